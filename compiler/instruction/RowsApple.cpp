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

/// A call of the host on whole tensors in memory.
Row host(std::string id, std::string className, std::string summary, int sources) {
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
  return row;
}
} // namespace

Row amxFma16() {
  Row row = amx("T.amx_fma16", "AmxFma16", "adds the outer product of a column and a row to the accumulators",
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
  Row row = amx("T.amx_load_x", "AmxLoadX", "a row of 32 values into the X file",
                {tile("src", Access::Read, "(1, 32)", DType::F16, Storage::Gmem), tile("dst", Access::Write, "(1, 32)", DType::F16, Storage::Rmem)}, "ldst.md");
  row.cost = "64 bytes from memory";
  row.ptx = "ldx";
  return row;
}
Row amxLoadY() {
  Row row = amx("T.amx_load_y", "AmxLoadY", "a column of 32 values into the Y file",
                {tile("src", Access::Read, "(32, 1)", DType::F16, Storage::Gmem), tile("dst", Access::Write, "(32, 1)", DType::F16, Storage::Rmem)}, "ldst.md");
  row.cost = "64 bytes from memory";
  row.ptx = "ldy";
  return row;
}
Row amxStore() {
  Row row = amx("T.amx_store", "AmxStore", "the accumulators into memory",
                {accumulators("src", Access::Read), tile("dst", Access::Write, "(32, 32)", DType::F32, Storage::Gmem)}, "ldst.md");
  row.cost = "4096 bytes to memory";
  row.ptx = "stz";
  return row;
}

Row cpuArange() { return host("T.cpu_arange", "CpuArange", "0, 1, 2, ...", 0); }
Row cpuBinary() { return host("T.cpu_binary", "CpuBinary", "an operation of two tensors", 2); }
Row cpuCast() { return host("T.cpu_cast", "CpuCast", "the same values in another dtype", 1); }
Row cpuConcat2() { return host("T.cpu_concat_2", "CpuConcat2", "two tensors one behind the other", 2); }
Row cpuFullLike() { return host("T.cpu_full_like", "CpuFullLike", "one value in the shape of another tensor", 1); }
Row cpuIndexSelect() { return host("T.cpu_index_select", "CpuIndexSelect", "the slices that an index names", 2); }
Row cpuMatmul() { return host("T.cpu_matmul", "CpuMatmul", "a matrix product", 2); }
Row cpuReduce() { return host("T.cpu_reduce", "CpuReduce", "values joined along axes", 1); }
Row cpuRepeatInterleave() { return host("T.cpu_repeat_interleave", "CpuRepeatInterleave", "each slice several times in a row", 1); }
Row cpuReshape() { return host("T.cpu_reshape", "CpuReshape", "the same elements in another shape", 1); }
Row cpuRmsNorm() { return host("T.cpu_rms_norm", "CpuRmsNorm", "rows scaled to unit mean square, times a weight", 2); }
Row cpuSigmoid() { return host("T.cpu_sigmoid", "CpuSigmoid", "1 / (1 + exp(-x))", 1); }
Row cpuSilu() { return host("T.cpu_silu", "CpuSilu", "x / (1 + exp(-x))", 1); }
Row cpuSoftmax() { return host("T.cpu_softmax", "CpuSoftmax", "exponentials divided by their sum", 1); }
Row cpuSoftplus() { return host("T.cpu_softplus", "CpuSoftplus", "log(1 + exp(x))", 1); }
Row cpuTranspose() { return host("T.cpu_transpose", "CpuTranspose", "axes in another order", 1); }
Row cpuUnary() { return host("T.cpu_unary", "CpuUnary", "an operation of one tensor", 1); }

} // namespace tilewright::instruction::row
