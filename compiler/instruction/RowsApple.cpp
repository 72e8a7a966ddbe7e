// Apple's processors: the matrix coprocessor of a core, and whole tensors that one core computes by calls of the host's library.
#include "instruction/Rows.h"

namespace tilewright::instruction::row {

namespace {
constexpr const char *kAmx = "https://github.com/corsix/amx"; // Apple documents none of it

Operand tile(std::string name, Access access, const std::string &shape, DType dtype, Storage storage) {
  Operand operand{std::move(name), access};
  operand.cases = {{{}, parseTuple(shape), {{}, {dtype}}, {{}, {storage}}, {}, {}}};
  return operand;
}
/// 32 by 32 sums in the accumulator file: two interleaved halves of 16 columns a row.
Operand accumulators(std::string name, Access access) {
  Operand operand = tile(std::move(name), access, "(32, 32)", DType::F32, Storage::Rmem);
  operand.cases[0].arrangements = {arrangement("Layout((32, (16, 2)), (32, (1, 16)))")};
  return operand;
}

Row amx(std::string id, std::string className, std::string summary, std::vector<Operand> operands, const std::string &file) {
  Row row{std::move(id), std::move(className), std::move(summary)};
  row.capability = "amx_outer_product";
  row.meshes = {mesh("Mesh(('amx',), ComposedLayout(None, amx_offset, Layout(((1,),), ((1,),))))")};
  row.operands = std::move(operands);
  row.destination = row.operands.size() == 2 ? 1 : 0;
  row.ptx = std::string();
  row.source = std::string(kAmx) + "/blob/main/" + file;
  return row;
}

using Kind = Parameter::Kind;

Parameter given(std::string name, Kind kind, InstructionParameter otherwise) {
  Parameter parameter{std::move(name), kind};
  parameter.optional = true;
  parameter.defaultValue = std::move(otherwise);
  return parameter;
}
Parameter kindOf(const Row &row) {
  for (const Parameter &parameter : row.parameters)
    if (parameter.name == "kind")
      return parameter;
  return {};
}

/// A call of the host on whole tensors in memory. It prints every parameter, the dtype it computes in last.
Row host(std::string id, std::string className, std::string summary, int sources, std::vector<Parameter> parameters = {}) {
  Row row{std::move(id), std::move(className), std::move(summary)};
  row.capability = "cpu_tensor";
  row.meshes = {mesh("Mesh(('core',), ComposedLayout(None, core_offset, Layout(((1,),), ((1,),))))")};
  for (int i = 0; i < sources; ++i) {
    Operand operand{"arg" + std::to_string(i)};
    operand.cases = {{}};
    row.operands.push_back(std::move(operand));
  }
  Operand destination{"dst", Access::Write};
  destination.cases = {{{}, {}, {}, {{}, {Storage::Gmem}}, {}, {}}};
  row.operands.push_back(std::move(destination));
  row.destination = row.operands.size() - 1;
  row.cost = "the work of the whole tensor on one core";
  row.complete = true;
  parameters.push_back(given("dtype", Kind::DType, std::string("f32")));
  row.parameters = std::move(parameters);
  return row;
}
} // namespace

Row amxFma16() {
  Row row = amx("T.amx_fma16", "Fma16", "adds the outer product of a column and a row to the accumulators",
                {accumulators("acc", Access::ReadWrite), tile("lhs", Access::Read, "(32, 1)", DType::F16, Storage::Rmem), tile("rhs", Access::Read, "(1, 32)", DType::F16, Storage::Rmem)},
                "fma.md");
  row.iteration = {"m", "n", "k"};
  row.operands[0].dims = {"m", "n"};
  row.operands[1].dims = {"m", "k"};
  row.operands[2].dims = {"k", "n"};
  row.cost = "2048 floating-point operations";
  row.ptx = "fma16";
  return row;
}
Row amxLoadX() {
  Row row = amx("T.amx_load_x", "amx_load_x", "a row of 32 values into the X file",
                {tile("src", Access::Read, "(1, 32)", DType::F16, Storage::Gmem), tile("dst", Access::Write, "(1, 32)", DType::F16, Storage::Rmem)}, "ldst.md");
  row.cost = "64 bytes from memory";
  row.ptx = "ldx";
  return row;
}
Row amxLoadY() {
  Row row = amx("T.amx_load_y", "amx_load_y", "a column of 32 values into the Y file",
                {tile("src", Access::Read, "(32, 1)", DType::F16, Storage::Gmem), tile("dst", Access::Write, "(32, 1)", DType::F16, Storage::Rmem)}, "ldst.md");
  row.cost = "64 bytes from memory";
  row.ptx = "ldy";
  return row;
}
Row amxStore() {
  Row row = amx("T.amx_store", "amx_store", "the accumulators into memory",
                {accumulators("src", Access::Read), tile("dst", Access::Write, "(32, 32)", DType::F32, Storage::Gmem)}, "ldst.md");
  row.cost = "4096 bytes to memory";
  row.ptx = "stz";
  return row;
}

Row cpuArange() {
  // FIXME: its `type`, a tensor type, is no value that a parameter can have yet, so no schedule can name it.
  return host("T.cpu_arange", "CpuArange0", "start, start + step, ...", 0, {given("start", Kind::Int, int64_t{0}), given("step", Kind::Int, int64_t{1})});
}
Row cpuBinary() { return host("T.cpu_binary", "CpuBinary2", "an operation of two tensors", 2, {kindOf(binary())}); }
Row cpuCast() {
  Row row = host("T.cpu_cast", "CpuCast1", "the same values in another dtype", 1);
  row.parameters = {{"dtype", Kind::DType}};
  return row;
}
Row cpuConcat2() { return host("T.cpu_concat_2", "CpuConcat2", "two tensors one behind the other", 2, {{"axis", Kind::Int}}); }
Row cpuFullLike() { return host("T.cpu_full_like", "CpuFullLike1", "one value in the shape of another tensor", 1, {{"value", Kind::Float}}); }
Row cpuIndexSelect() { return host("T.cpu_index_select", "CpuIndexSelect2", "the slices that an index names", 2, {given("dim", Kind::Int, int64_t{0})}); }
Row cpuMatmul() {
  Parameter left = given("a_layout", Kind::Text, std::string("MK")), right = given("b_layout", Kind::Text, std::string("KN"));
  left.members = {"MK", "KM"};
  right.members = {"KN", "NK"};
  return host("T.cpu_matmul", "CpuMatMul2", "a matrix product", 2, {std::move(left), std::move(right)});
}
Row cpuReduce() {
  Parameter kind = kindOf(reduce());
  kind.optional = true;
  kind.defaultValue = Enumerator{kind.enumType, "MEAN"};
  return host("T.cpu_reduce", "CpuReduce1", "values joined along axes", 1, {{"axes", Kind::Ints}, given("keepdim", Kind::Bool, true), std::move(kind)});
}
Row cpuRepeatInterleave() {
  return host("T.cpu_repeat_interleave", "CpuRepeatInterleave1", "each slice several times in a row", 1, {{"repeats", Kind::Int}, {"axis", Kind::Int}});
}
Row cpuReshape() { return host("T.cpu_reshape", "CpuReshape1", "the same elements in another shape", 1, {{"new_shape", Kind::Ints}}); }
Row cpuRmsNorm() { return host("T.cpu_rms_norm", "CpuRMSNorm2", "rows scaled to unit mean square, times a weight", 2, {given("eps", Kind::Float, 1e-6)}); }
Row cpuSigmoid() { return host("T.cpu_sigmoid", "CpuSigmoid1", "1 / (1 + exp(-x))", 1); }
Row cpuSilu() { return host("T.cpu_silu", "CpuSilu1", "x / (1 + exp(-x))", 1); }
Row cpuSoftmax() { return host("T.cpu_softmax", "CpuSoftMax1", "exponentials divided by their sum", 1, {{"axis", Kind::Int}}); }
Row cpuSoftplus() { return host("T.cpu_softplus", "CpuSoftplus1", "log(1 + exp(x))", 1); }
Row cpuTranspose() { return host("T.cpu_transpose", "CpuTranspose1", "axes in another order", 1, {{"perm", Kind::Ints}}); }
Row cpuUnary() { return host("T.cpu_unary", "CpuUnary1", "an operation of one tensor", 1, {kindOf(unary())}); }

} // namespace tilewright::instruction::row
