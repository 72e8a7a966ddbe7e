// Moving values between storages, and filling them.
#include "instruction/Rows.h"

namespace tilewright::instruction::row {

namespace {
constexpr const char *kPtx = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#";

/// An operand of any dtype of whole bytes, bound to a symbol as its storage is.
Operand moved(std::string name, const std::string &number, Access access, std::vector<Storage> storages) {
  Operand operand{std::move(name), access};
  OperandCase one;
  one.dtype.symbol = "dtype" + number;
  if (storages.size() > 1)
    one.storage.symbol = "storage" + number;
  one.storage.among = std::move(storages);
  operand.cases = {std::move(one)};
  return operand;
}
Rule wholeBytes(const std::string &number) { return parseRule("Bits('dtype" + number + "') % 8 == 0"); }

Operand copied(std::string name, const std::string &number, Access access) {
  Operand operand = moved(std::move(name), number, access, {Storage::Gmem, Storage::Smem, Storage::Rmem});
  const std::string storage = "storage" + number;
  operand.cases[0].arrangements = {
      arrangement("_", {}, {{storage, "GMEM"}}), arrangement("_", {}, {{storage, "SMEM"}}),
      // Registers belong to the threads that issue the copy, or to one of them alone.
      arrangement("ShardLayout(_, _, Mesh(_, ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,)))))", {}, {{storage, "RMEM"}}),
      arrangement("layout", {}, {{storage, "RMEM"}})};
  operand.rules = {wholeBytes(number), parseRule(storage + " in {gmem, smem, rmem}")};
  return operand;
}

Operand walked(std::string name, const std::string &number, Access access, Storage storage) {
  Operand operand = moved(std::move(name), number, access, {storage});
  operand.cases[0].arrangements = {arrangement("layout")};
  operand.rules = {parseRule("every run: each tile axis's modes walked fastest first, contiguous ones joined; the run at step 1 and every other step a whole number of "
                             "vectors"),
                   wholeBytes(number)};
  return operand;
}

/// A tensor map describes global memory by at most 5 dims, each step but the first a multiple of 16 bytes; a box of it lies in shared memory, at most
/// 256 elements a dim, its innermost dim within the span of the swizzle.
Operand boxed(std::string name, const std::string &number, Access access) {
  Operand operand = moved(std::move(name), number, access, {Storage::Gmem, Storage::Smem});
  const std::string storage = "storage" + number, bits = "Bits('dtype" + number + "') * ";
  std::vector<Arrangement> &arrangements = operand.cases[0].arrangements;
  Arrangement global = arrangement("layout", {"every tensormap: one dim per mode of the tile, the mode at step 1 first"}, {{storage, "GMEM"}});
  for (const char *step : {"step1", "step2", "step3", "step4"})
    global.rules.push_back(parseRule(bits + step + " % 128 == 0"));
  arrangements.push_back(std::move(global));
  struct Span {
    const char *swizzle, *pattern, *inner;
    int bits; // 0: the box alone limits the innermost dim
  };
  for (const Span &span : {Span{"NONE", "layout", "dim0", 0}, Span{"SW32", "ComposedLayout(Swizzle(1, 4, 3), 0, layout)", "dim5", 256},
                           Span{"SW64", "ComposedLayout(Swizzle(2, 4, 3), 0, layout)", "dim6", 512},
                           Span{"SW128", "ComposedLayout(Swizzle(3, 4, 3), 0, layout)", "dim7", 1024}}) {
    Arrangement box = arrangement(span.pattern, {"every box: each tile axis's modes, contiguous ones joined up to 256 elements, one dim each, in increasing step"},
                                  {{storage, "SMEM"}, {"swizzle", span.swizzle}});
    for (const char *dim : {span.inner, "dim1", "dim2", "dim3", "dim4"}) {
      box.rules.push_back(parseRule(std::string(dim) + " >= 1"));
      box.rules.push_back(parseRule(std::string(dim) + " <= 256"));
      if (dim != span.inner)
        continue;
      box.rules.push_back(parseRule(bits + dim + " % 128 == 0"));
      if (span.bits)
        box.rules.push_back(parseRule(bits + dim + " <= " + std::to_string(span.bits)));
    }
    arrangements.push_back(std::move(box));
  }
  operand.rules = {parseRule("every plain arrangement is a static strided layout with no swizzle and zero offset, and, where it is sharded, one every participant holds "
                             "whole"),
                   wholeBytes(number), parseRule(storage + " in {gmem, smem}")};
  return operand;
}
} // namespace

Row copy() {
  Row row{"T.copy", "Copy", "ordinary loads and stores, each unit its own part"};
  row.meshes = {mesh("Mesh(_, ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,))))")};
  row.everyLevel = true;
  row.operands = {copied("src", "0", Access::Read), copied("dst", "1", Access::Write)};
  row.between = {same(Between::Field::Shape, "src", "dst"), same(Between::Field::DType, "src", "dst")};
  row.destination = 1;
  row.cost = "the bytes of src read and of dst written, at the slower of the two storages";
  row.ptx = "ld / st";
  row.source = std::string(kPtx) + "data-movement-and-conversion-instructions-ld";
  return row;
}

Row fill() {
  Row row{"T.fill", "Fill", "one value everywhere"};
  row.meshes = {mesh("Mesh(_, ComposedLayout(None, p0, Layout((*execution_shape,), (*execution_strides,))))")};
  row.everyLevel = true;
  Operand value{"value"};
  value.cases = {{}};
  row.operands = {copied("dst", "0", Access::Write), std::move(value)};
  row.between = {same(Between::Field::DType, "dst", "value")};
  row.cost = "the bytes of dst written, at the rate of its storage; registers are born with the value";
  row.ptx = "st / mov";
  row.source = std::string(kPtx) + "data-movement-and-conversion-instructions-st";
  row.listed = false; // the inventories of the reference leave it out, though `tf.schedule` takes it
  return row;
}

Row copyAsync() {
  Row row{"T.copy_async", "CopyAsync", "global to shared memory past the registers, in vectors of 4, 8 or 16 bytes"};
  row.capability = "cp.async";
  row.meshes = {anyThreads()};
  Parameter fill{"fill", Parameter::Kind::Float};
  fill.optional = true;
  row.parameters = {std::move(fill)};
  Operand index{"index"};
  index.optional = true;
  index.cases = {{{}, parseTuple("(None,)"), {{}, {DType::I32, DType::I64}}, {}, {}, {}}};
  row.operands = {walked("src", "0", Access::Read, Storage::Gmem), walked("dst", "1", Access::Write, Storage::Smem), std::move(index)};
  row.between = {same(Between::Field::DType, "src", "dst"), distinct(Between::Field::Storage, "src", "dst"),
                 {Between::Kind::SameWalkIndexed, Between::Field::Shape, "src", "dst"}};
  row.destination = 1;
  row.cost = "the bytes moved, at the slower of global and shared memory";
  row.ptx = "cp.async.ca.shared.global / cp.async.cg.shared.global";
  row.source = std::string(kPtx) + "data-movement-and-conversion-instructions-cp-async";
  return row;
}

Row copyAsyncTensor() {
  Row row{"T.copy_async_tensor", "CopyAsyncTensor", "one box of a tensor between global and shared memory, issued by one warp and moved by the copy engine"};
  row.capability = "cp.async.bulk.tensor";
  row.meshes = {mesh("Mesh(('thread',), ComposedLayout(None, p0, Layout(((*_{1}, 32),), ((*_, 1),))))",
                     {"p0 % 32 == 0", "every arrangement has no backward step", "every arrangement reaches each of its own slots exactly once"})};
  row.operands = {boxed("src", "0", Access::Read), boxed("dst", "1", Access::Write)};
  row.between = {same(Between::Field::Shape, "src", "dst"), same(Between::Field::DType, "src", "dst"), distinct(Between::Field::Storage, "src", "dst"),
                 {Between::Kind::SameWalk, Between::Field::Shape, "src", "dst"}};
  row.destination = 1;
  row.cost = "the bytes moved, at the slower of global and shared memory";
  row.ptx = "cp.async.bulk.tensor";
  row.source = std::string(kPtx) + "data-movement-and-conversion-instructions-cp-async-bulk-tensor";
  return row;
}

Row ldmatrix() {
  Row row{"T.ldmatrix", "Ldmatrix", "four 8 by 8 matrices from shared memory into the fragment of a warp"};
  row.capability = "ldmatrix";
  const Rules rules{"each top-level mode has no backward step", "each top-level mode reaches each of its own slots exactly once", "p0 % 32 == 0"};
  row.meshes = {mesh("Mesh(('thread',), ComposedLayout(None, p0, Layout(((4, 8),), ((1, 4),))))", rules)};
  Operand source = moved("src", "0", Access::Read, {Storage::Smem});
  source.rules = {wholeBytes("0")};
  Operand destination{"dst", Access::Write};
  destination.cases = {{{},
                        parseTuple("(16, 16)"),
                        {{}, {DType::BF16}},
                        {{}, {Storage::Rmem}},
                        {arrangement("ShardLayout(Layout((2, 8, 2, 4, 2), (128, 16, 8, 2, 1)), (S(3), S(1)), Mesh(('thread',), ComposedLayout(None, p0, Layout(((4, 8),), "
                                     "((1, 4),)))))")},
                        {}}};
  destination.rules = parseRules(rules);
  row.operands = {std::move(source), std::move(destination)};
  row.destination = 1;
  row.cost = "the bytes moved, at the rate of shared memory";
  row.ptx = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
  row.source = std::string(kPtx) + "warp-level-matrix-instructions-ldmatrix";
  return row;
}

} // namespace tilewright::instruction::row
