// Work on values that the issuing threads hold, element by element, and reductions over them.
#include "instruction/Rows.h"

namespace tilewright::instruction::row {

namespace {
constexpr const char *kPtx = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#";
constexpr const char *kPerElement = "one operation for each element of dst, at the rate of its dtype";

Row pointwise(std::string id, std::string className, std::string summary, std::vector<Operand> operands, std::string ptx, const std::string &section) {
  Row row{std::move(id), std::move(className), std::move(summary)};
  row.meshes = {anyThreads()};
  row.destination = operands.size() - 1;
  operands.back().access = Access::Write;
  row.operands = std::move(operands);
  row.cost = kPerElement;
  row.ptx = std::move(ptx);
  row.source = kPtx + section;
  return row;
}

/// Held by the issuing threads, shared out over their mesh or whole in each.
Operand held(std::string name, std::string dtype) {
  Operand operand = inRegisters(std::move(name));
  operand.cases[0].dtype.symbol = std::move(dtype);
  operand.cases[0].arrangements = {
      arrangement("ShardLayout(_, _, Mesh(('thread',), ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,)))))"), arrangement("layout")};
  return operand;
}

Operand reduced(std::string name, Access access, const std::string &layout, const std::string &dtype) {
  Operand operand{std::move(name), access};
  operand.cases = {
      {{},
       {},
       {dtype, {}},
       {},
       {arrangement("ShardLayout(" + layout + ", _, Mesh(('thread',), ComposedLayout(None, mesh_offset, Layout((*mesh_shape,), (*mesh_stride,)))))")},
       {}}};
  operand.rules = {parseRule(dtype + " in {f32, f16, bf16}")};
  return operand;
}
} // namespace

Row arange() {
  Operand dst{"dst"};
  dst.cases = {{{}, parseTuple("(None,)"), {{}, {DType::I32, DType::I64}}, {{}, {Storage::Rmem}}, {}, {}}};
  Row row = pointwise("T.arange", "Arange", "start, start + step, ...", {std::move(dst)}, "mad", "integer-arithmetic-instructions-mad");
  Parameter start{"start", Parameter::Kind::Int}, step{"step", Parameter::Kind::Int};
  start.optional = step.optional = true;
  start.defaultValue = int64_t{0};
  step.defaultValue = int64_t{1};
  row.parameters = {std::move(start), std::move(step)};
  return row;
}

Row binary() {
  Row row = pointwise("T.binary", "Binary", "an operation of two values", {inRegisters("lhs"), inRegisters("rhs"), inRegisters("dst")}, "add, sub, mul, div, min, max, setp, and, or",
                      "floating-point-instructions");
  row.parameters = {oneOf("kind", "BinaryKind", {"ADD", "SUB", "MUL", "DIV", "FLOOR_DIV", "MOD", "MIN", "MAX", "EQ", "NE", "LT", "LE", "GT", "GE", "AND", "OR"})};
  return row;
}

Row cast() {
  Row row = pointwise("T.cast", "Cast", "the same values in another dtype", {held("src", ""), held("dst", "cast_dtype")}, "cvt",
                      "data-movement-and-conversion-instructions-cvt");
  row.parameters = {{"dtype", Parameter::Kind::DType}};
  row.between = {same(Between::Field::Shape, "src", "dst"), distinct(Between::Field::DType, "src", "dst")};
  return row;
}

Row clamp() {
  Row row = pointwise("T.clamp", "Clamp", "values cut off at two bounds", {inRegisters("src"), inRegisters("dst")}, "min, max", "floating-point-instructions-min");
  row.parameters = {{"min_val", Parameter::Kind::Float}, {"max_val", Parameter::Kind::Float}};
  row.between = {same(Between::Field::DType, "src", "dst")};
  return row;
}

Row unary() {
  Row row = pointwise("T.unary", "Unary", "an operation of one value", {inRegisters("src"), inRegisters("dst")}, "neg, abs, not, mul, rsqrt, ex2, lg2, cvt",
                      "floating-point-instructions");
  row.parameters = {oneOf("kind", "UnaryKind", {"NEG", "ABS", "NOT", "SQUARE", "RSQRT", "EXP", "LOG", "RELU", "CEIL", "ROUND", "EXP2", "LOG2"})};
  return row;
}

Row where() {
  Operand cond = inRegisters("cond");
  cond.cases[0].dtype.among = {DType::Bool};
  Row row = pointwise("T.where", "Where", "lhs where cond holds, else rhs", {std::move(cond), inRegisters("lhs"), inRegisters("rhs"), inRegisters("dst")}, "selp",
                      "comparison-and-selection-instructions-selp");
  row.between = {same(Between::Field::DType, "lhs", "rhs"), same(Between::Field::DType, "lhs", "dst")};
  return row;
}

Row relu() {
  Row row = pointwise("T.relu", "Relu", "zero where a value is negative", {inRegisters("src"), inRegisters("dst")}, "max", "floating-point-instructions-max");
  row.between = {same(Between::Field::Shape, "src", "dst"), same(Between::Field::DType, "src", "dst")};
  return row;
}

Row reduce() {
  Row row{"T.reduce", "Reduce", "values joined along axes, across the threads that hold them"};
  row.meshes = {anyThreads()};
  Operand workspace{"workspace", Access::ReadWrite};
  workspace.cases = {{{}, {}, {}, {{}, {Storage::Smem}}, {}, {}}};
  workspace.optional = true;
  row.operands = {reduced("src", Access::Read, "Layout((*_,), (*_,))", "src_dtype"), reduced("dst", Access::Write, "None", "dst_dtype"), std::move(workspace)};
  row.parameters = {{"axes", Parameter::Kind::Ints}, {"keepdim", Parameter::Kind::Bool}, oneOf("kind", "ReduceKind", {"MEAN", "SUM", "ABS_MAX", "MAX", "MIN"})};
  row.destination = 1;
  row.cost = "one operation for each element of src, at the rate of its dtype; threads exchange partial results through shuffles, warps through the workspace";
  row.ptx = "shfl.sync, bar.sync";
  row.source = std::string(kPtx) + "data-movement-and-conversion-instructions-shfl-sync";
  return row;
}

} // namespace tilewright::instruction::row
