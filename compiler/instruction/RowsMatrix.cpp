// Matrix multiplication: T.tiled_mma repeats an atom, one issue of a matrix unit, over a larger product.
#include "instruction/Rows.h"

namespace tilewright::instruction::row {

namespace {
constexpr std::string_view kForward = "each top-level mode has no backward step", kInjective = "each top-level mode reaches each of its own slots exactly once";

// How the threads of one issue are arranged; fragments number them along these axes.
constexpr const char *kWarpgroup = "Mesh(('thread',), ComposedLayout(None, p0, Layout(((4, 8, 4),), ((32, 4, 1),))))";
constexpr const char *kWarp = "Mesh(('thread',), ComposedLayout(None, p0, Layout(((4, 8),), ((1, 4),))))";
Rules warpgroupRules() { return {kForward, kInjective, "p0 % 128 == 0"}; }
Rules warpRules() { return {kForward, kInjective, "p0 % 32 == 0"}; }

std::string number(int64_t value) { return std::to_string(value); }

/// What the registers of a fragment hold: modes of the tile, some split over the threads.
Arrangement fragment(const std::string &modes, const std::string &states, const std::string &threads) {
  return arrangement("ShardLayout(Layout(" + modes + "), (" + states + "), " + threads + ")");
}
/// A tile in shared memory, whole for every thread.
Arrangement shared(const std::string &swizzle, const std::string &offset, const std::string &modes, const Rules &rules, When when) {
  return arrangement("ShardLayout(ComposedLayout(Swizzle(" + swizzle + ", 4, 3), " + offset + ", Layout(" + modes + ")), (B(), B(), B()), " + kWarpgroup + ")", rules,
                     std::move(when));
}

// Tiles that wgmma reads from shared memory are made of core matrices: 8 rows of W elements, 16 bytes without a swizzle up to the 32, 64 or 128 of
// one. r counts core matrices along the side that is contiguous, s and l step between them.
struct WgmmaDType {
  DType dtype;
  int64_t k;         // of one issue: 32 bytes
  std::string width; // of a row, by swizzle
  bool eitherMajor;  // elements of two bytes may be contiguous along M or N too
};
const std::vector<WgmmaDType> &wgmmaDTypes() {
  static const std::vector<WgmmaDType> table{{DType::BF16, 16, "(8, 16, 32, 64)", true},
                                             {DType::F16, 16, "(8, 16, 32, 64)", true},
                                             {DType::F8E4M3, 32, "(16, 32, 64, 128)", false}};
  return table;
}

OperandCase matrixCase(const WgmmaDType &row, const std::string &shape, Storage storage, When when) {
  return {std::move(when), parseTuple(shape), {{}, {row.dtype}}, {{}, {storage}}, {}, {}};
}

Operand wgmmaA() {
  Operand operand{"A", Access::Read, {"m", "k"}};
  for (const WgmmaDType &row : wgmmaDTypes()) {
    const std::string dtype(name(row.dtype)), k = number(row.k), shape = "(64, " + k + ")";
    OperandCase whole = matrixCase(row, shape, Storage::Smem, {{"dtype", dtype}, {"form", "SS"}});
    if (row.eitherMajor)
      whole.arrangements.push_back(shared("a_swizzle", "0", "((r, W), (2, 8)), ((l, 1), (s, W))", {"r * W == 64", "s % (8 * W) == 0"}, {{"a_major", "MN"}}));
    const std::string slabs = "r * W == " + k, start = "k0 % " + k + " == 0";
    whole.arrangements.push_back(
        shared("a_swizzle", "0", "((8, 8), (r, W)), ((l, W), (s, 1))", {"a_swizzle <= 1", slabs, "s % (8 * W) == 0"}, {{"a_major", "K"}}));
    whole.arrangements.push_back(
        shared("a_swizzle", "k0", "((8, 8), " + k + "), ((l, W), 1)", {"a_swizzle >= 2", start, "k0 >= 0", "k0 < W"}, {{"a_major", "K"}}));
    const std::string width = "W == " + row.width + "[a_swizzle]";
    whole.rules = parseRules({width, "l % (8 * W) == 0"});
    operand.cases.push_back(std::move(whole));
    OperandCase registers = matrixCase(row, shape, Storage::Rmem, {{"dtype", dtype}, {"form", "RS"}});
    registers.arrangements = {fragment(row.k == 16 ? "(4, 2, 8, 2, 4, 2), (16, 8, 1, 512, 128, 64)" : "(4, 2, 8, 2, 4, 4), (16, 8, 1, 1024, 256, 64)", "S(0), S(2), S(4)",
                                       kWarpgroup)};
    operand.cases.push_back(std::move(registers));
  }
  operand.rules = parseRules(warpgroupRules());
  return operand;
}

Operand wgmmaB() {
  Operand operand{"B", Access::Read, {"k", "n"}};
  for (const WgmmaDType &row : wgmmaDTypes()) {
    const std::string k = number(row.k), slabs = "rb * Wb == " + k, start = "k0b % " + k + " == 0", width = "Wb == " + row.width + "[b_swizzle]";
    OperandCase whole = matrixCase(row, "(" + k + ", n)", Storage::Smem, {{"dtype", std::string(name(row.dtype))}});
    if (row.eitherMajor)
      whole.arrangements.push_back(shared("b_swizzle", "0", "((2, 8), (rb, Wb)), ((sb, Wb), (lb, 1))", {"rb * Wb == n", "sb % (8 * Wb) == 0"}, {{"b_major", "MN"}}));
    // With one major left, the rule about n holds for every arrangement of the case.
    Rules flat{"b_swizzle <= 1", slabs}, swizzled{"b_swizzle >= 2"};
    if (row.eitherMajor) {
      flat.push_back("8 * gb == n");
      swizzled.push_back("8 * gb == n");
    }
    flat.push_back("sb % (8 * Wb) == 0");
    swizzled.insert(swizzled.end(), {start, "k0b >= 0", "k0b < Wb"});
    whole.arrangements.push_back(shared("b_swizzle", "0", "((rb, Wb), (gb, 8)), ((sb, 1), (lb, Wb))", flat, {{"b_major", "K"}}));
    whole.arrangements.push_back(shared("b_swizzle", "k0b", "(" + k + ", (gb, 8)), (1, (lb, Wb))", swizzled, {{"b_major", "K"}}));
    whole.rules = parseRules({width});
    if (!row.eitherMajor)
      whole.rules.push_back(parseRule("8 * gb == n"));
    operand.cases.push_back(std::move(whole));
  }
  operand.rules = parseRules({"lb % (8 * Wb) == 0", kForward, kInjective, "p0 % 128 == 0"});
  return operand;
}

Operand accumulator(const std::string &shape, const std::string &modes, const std::string &states, const std::string &threads, Rules rules, const Rules &more = {}) {
  Operand operand{"C", Access::ReadWrite, {"m", "n"}};
  operand.cases = {{{}, parseTuple(shape), {{}, {DType::F32}}, {{}, {Storage::Rmem}}, {fragment(modes, states, threads)}, {}}};
  rules.insert(rules.end(), more.begin(), more.end());
  operand.rules = parseRules(rules);
  return operand;
}

Operand warpFragment(std::string name, std::vector<std::string> dims, const std::string &shape, const std::string &modes, const std::string &states) {
  Operand operand{std::move(name), Access::Read, std::move(dims)};
  operand.cases = {{{}, parseTuple(shape), {{}, {DType::BF16}}, {{}, {Storage::Rmem}}, {fragment(modes, states, kWarp)}, {}}};
  operand.rules = parseRules(warpRules());
  return operand;
}
} // namespace

Row wgmma() {
  Row row{"T.cuda.sm90.Wgmma", "Wgmma", "one warpgroup multiplies 64 rows by n columns, the right side from shared memory"};
  row.kind = Row::Kind::Atom;
  row.capability = "wgmma.mma_async";
  row.meshes = {mesh(kWarpgroup, warpgroupRules())};
  Parameter n{"n", Parameter::Kind::Int};
  n.rules = parseRules({"8 <= n <= 256", "n % 8 == 0"});
  Parameter dtype{"dtype", Parameter::Kind::DType};
  Parameter aMajor = oneOf("a_major", "T.cuda.sm90.Major", {"MN", "K"}), bMajor = oneOf("b_major", "T.cuda.sm90.Major", {"MN", "K"});
  for (const WgmmaDType &one : wgmmaDTypes()) {
    const std::string spelling(name(one.dtype));
    dtype.members.push_back(spelling);
    if (one.eitherMajor) {
      aMajor.cases.push_back({{{"dtype", spelling}, {"form", "SS"}}, {"MN", "K"}});
      aMajor.cases.push_back({{{"dtype", spelling}, {"form", "RS"}}, {"K"}});
    } else {
      aMajor.cases.push_back({{{"dtype", spelling}}, {"K"}});
    }
    bMajor.cases.push_back({{{"dtype", spelling}}, one.eitherMajor ? std::vector<std::string>{"MN", "K"} : std::vector<std::string>{"K"}});
  }
  for (Parameter *major : {&aMajor, &bMajor}) {
    major->optional = true;
    major->defaultValue = Enumerator{"T.cuda.sm90.Major", "MN"};
  }
  row.parameters = {std::move(n), std::move(dtype), oneOf("form", "T.cuda.sm90.Form", {"SS", "RS"}), std::move(aMajor), std::move(bMajor)};
  row.operands = {accumulator("(64, n)", "(4, 2, 8, c, 4, 2), (16, 8, 1, 512, 128, 64)", "S(0), S(2), S(4)", kWarpgroup, warpgroupRules(), {"8 * c == n"}), wgmmaA(),
                  wgmmaB()};
  row.iteration = {"m", "n", "k"};
  row.cost = "2 m n k floating-point operations at the matrix rate of the dtype";
  row.ptx = "wgmma.mma_async.sync.aligned.m64nNk(16|32)";
  row.source = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma";
  return row;
}

Row mma() {
  Row row{"T.cuda.sm80.Mma", "Mma", "one warp multiplies 16 by 8 by 16 from registers"};
  row.kind = Row::Kind::Atom;
  row.capability = "mma.sync";
  row.meshes = {mesh(kWarp, warpRules())};
  row.operands = {accumulator("(16, 8)", "(2, 8, 4, 2), (64, 8, 2, 1)", "S(2), S(1)", kWarp, warpRules()),
                  warpFragment("A", {"m", "k"}, "(16, 16)", "(2, 8, 2, 4, 2), (128, 16, 8, 2, 1)", "S(3), S(1)"),
                  warpFragment("B", {"k", "n"}, "(16, 8)", "(2, 4, 2, 8), (64, 16, 8, 1)", "S(1), S(3)")};
  row.iteration = {"m", "n", "k"};
  row.cost = "2 m n k floating-point operations at the matrix rate of the dtype";
  row.ptx = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
  row.source = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#warp-level-matrix-instructions-mma";
  return row;
}

Row tiledMma() {
  Row row{"T.tiled_mma", "TiledMma", "an atom repeated over m, n and k by one or more groups of its threads"};
  const Rules whole{"every arrangement has no backward step", "every arrangement reaches each of its own slots exactly once"};
  row.meshes = {mesh("Mesh(('thread',), ComposedLayout(None, p0, Layout(((*g, 4, 8, 4),), ((*gs, 32, 4, 1),))))", {"p0 % 128 == 0", whole[0], whole[1]},
                     {{"atom", "T.cuda.sm90.Wgmma"}}),
                mesh("Mesh(('thread',), ComposedLayout(None, p0, Layout(((*g, 4, 8),), ((*gs, 1, 4),))))", {"p0 % 32 == 0", whole[0], whole[1]},
                     {{"atom", "T.cuda.sm80.Mma"}})};
  row.parameters = {{"atom", Parameter::Kind::Atom, {}, {"T.cuda.sm90.Wgmma", "T.cuda.sm80.Mma"}}};
  row.operands = {{"acc", Access::ReadWrite, {"m", "n"}}, {"lhs", Access::Read, {"m", "k"}}, {"rhs", Access::Read, {"k", "n"}}};
  row.operands[0].ofAtom = "C";
  row.operands[1].ofAtom = "A";
  row.operands[2].ofAtom = "B";
  row.iteration = {"m", "n", "k"};
  row.cost = "its atom's, once for each issue; the issues of one group run one after another";
  row.ptx = "that of its atom";
  row.source = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#warp-level-matrix-instructions";
  return row;
}

} // namespace tilewright::instruction::row
