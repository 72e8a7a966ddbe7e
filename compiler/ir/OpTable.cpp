#include "ir/OpTable.h"

#include "ir/OpRules.h"
#include "support/Check.h"

#include <algorithm>

namespace tilewright::ir {

namespace {
struct OpName {
  std::string_view mnemonic, summary;
};
constexpr OpName kNames[] = {
#define TW_OP(Name, Mnemonic, Summary) {Mnemonic, Summary},
#include "ir/Ops.def"
};
constexpr size_t kOps = std::size(kNames);

std::vector<OpSpec> makeTable() {
  std::vector<OpSpec> table;
  rules::addMath(table);
  rules::addNn(table);
  rules::addShape(table);
  rules::addTensor(table);
  rules::addSharding(table);
  rules::addSchedule(table);
  std::sort(table.begin(), table.end(), [](const OpSpec &a, const OpSpec &b) { return a.op < b.op; });
  TW_CHECK(table.size() == kOps, "every op of Ops.def has one row");
  for (size_t i = 0; i < table.size(); ++i) {
    TW_CHECK(static_cast<size_t>(table[i].op) == i, "every op of Ops.def has one row");
    table[i].mnemonic = kNames[i].mnemonic;
    table[i].summary = kNames[i].summary;
  }
  return table;
}

const std::vector<OpSpec> &table() {
  static const std::vector<OpSpec> rows = makeTable();
  return rows;
}

std::vector<AuthoredOp> makeAuthored() {
  std::vector<AuthoredOp> authored;
  for (const OpSpec &row : table())
    authored.push_back({row.mnemonic, row.op, {}});
  authored.push_back({"minimum", Op::Min, {}});
  authored.push_back({"maximum", Op::Max, {}});
  authored.push_back({"square", Op::Unary, {{"kind", Enumerator{"UnaryKind", "SQUARE"}}}});
  authored.push_back({"rsqrt", Op::Unary, {{"kind", Enumerator{"UnaryKind", "RSQRT"}}}});
  std::sort(authored.begin(), authored.end(), [](const AuthoredOp &a, const AuthoredOp &b) { return a.name < b.name; });
  return authored;
}

struct KindName {
  std::string_view kind;
  Op op;
};
// Kinds of `tf.unary` and `tf.binary` that have a mnemonic of their own.
constexpr KindName kUnaryKinds[] = {{"neg", Op::Neg},     {"abs", Op::Abs},   {"not", Op::LogicalNot}, {"exp", Op::Exp},    {"log", Op::Log},
                                    {"exp2", Op::Exp2},   {"log2", Op::Log2}, {"ceil", Op::Ceil},      {"round", Op::Round}};
constexpr KindName kBinaryKinds[] = {{"add", Op::Add}, {"sub", Op::Sub}, {"mul", Op::Mul},  {"div", Op::Div}, {"floor_div", Op::FloorDiv},
                                     {"mod", Op::Mod}, {"min", Op::Min}, {"max", Op::Max},  {"eq", Op::CmpEq}, {"ne", Op::CmpNe},
                                     {"lt", Op::CmpLt}, {"le", Op::CmpLe}, {"gt", Op::CmpGt}, {"ge", Op::CmpGe}, {"and", Op::LogicalAnd},
                                     {"or", Op::LogicalOr}};
} // namespace

const OpSpec &spec(Op op) { return table()[static_cast<size_t>(op)]; }

std::span<const OpSpec> allOps() { return table(); }

std::span<const AuthoredOp> allAuthoredOps() {
  static const std::vector<AuthoredOp> authored = makeAuthored();
  return authored;
}

const AuthoredOp *authoredOp(std::string_view name) {
  const std::span<const AuthoredOp> all = allAuthoredOps();
  const auto found = std::lower_bound(all.begin(), all.end(), name, [](const AuthoredOp &a, std::string_view b) { return a.name < b; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::optional<Op> opOfKind(std::string_view family, std::string_view kind) {
  const std::span<const KindName> kinds = family == "binary" ? std::span<const KindName>(kBinaryKinds) : std::span<const KindName>(kUnaryKinds);
  for (const KindName &row : kinds)
    if (row.kind == kind)
      return row.op;
  return std::nullopt;
}

Inferred infer(const OpUse &use, const InferContext &context) {
  const OpSpec &row = spec(use.op);
  for (size_t i = 0; i < use.operands.size(); ++i) {
    const bool index = i < row.operands.size() && row.operands[i].index;
    if (use.operands[i].isTuple && !index)
      return rules::fail("operand " + std::to_string(i) + " is a tuple; take one of its items first", static_cast<int>(i));
  }
  return row.infer(use, context);
}

} // namespace tilewright::ir
