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

/// Whether an operand reaches the units that run here: it is shared out over units of the open scopes, and registers belong to
/// threads. A reshard moves values between scopes.
static std::optional<Inferred> checkScope(const OpUse &use, const InferContext &context) {
  const bool anyMesh = std::any_of(use.operands.begin(), use.operands.end(), [](const Type &operand) {
    return !operand.isTuple && operand.tensor.layout && operand.tensor.layout->mesh;
  });
  if (!anyMesh || use.op == Op::Reshard)
    return std::nullopt;
  std::optional<layout::Mesh> scope;
  for (const auto &mesh : context.enclosing)
    scope = scope ? layout::compose(*scope, *mesh) : *mesh;
  if (!scope && context.mesh)
    scope = *context.mesh;
  for (size_t i = 0; i < use.operands.size(); ++i) {
    const Type &operand = use.operands[i];
    if (operand.isTuple || !operand.tensor.layout || !operand.tensor.layout->mesh)
      continue;
    const layout::Mesh &mesh = *operand.tensor.layout->mesh;
    bool innermost = false;
    for (size_t level = 0; level < mesh.topologies.size(); ++level) {
      bool found = false;
      for (size_t j = 0; scope && j < scope->topologies.size() && !found; ++j) {
        if (scope->topologies[j].name != mesh.topologies[level].name)
          continue;
        const layout::Mesh mine = layout::levelMesh(mesh, static_cast<int>(level)), open = layout::levelMesh(*scope, static_cast<int>(j));
        found = mine.offset == open.offset && mine.positions() == open.positions();
        innermost = innermost || (found && j + 1 == scope->topologies.size());
      }
      if (!found)
        return rules::fail("operand " + std::to_string(i) + " is shared out over units of `" + mesh.topologies[level].name +
                               "` other than those that run here; use it inside its own scope, or `tf.reshard` it there first",
                           static_cast<int>(i));
    }
    if (!innermost && operand.tensor.storage == Storage::Rmem)
      return rules::fail("operand " + std::to_string(i) + " is in rmem but not shared out over the threads that run here; `tf.reshard` it to smem or gmem first",
                         static_cast<int>(i));
  }
  return std::nullopt;
}

Inferred infer(const OpUse &use, const InferContext &context) {
  const OpSpec &row = spec(use.op);
  for (size_t i = 0; i < use.operands.size(); ++i) {
    const bool index = i < row.operands.size() && row.operands[i].index;
    if (use.operands[i].isTuple && !index)
      return rules::fail("operand " + std::to_string(i) + " is a tuple; take one of its items first", static_cast<int>(i));
  }
  for (const AttributeSpec &attribute : row.attributes) {
    if (attribute.kind != AttributeSpec::Kind::String || attribute.values.empty())
      continue;
    const std::string text = rules::textOf(use, attribute.name);
    if (std::find(attribute.values.begin(), attribute.values.end(), text) == attribute.values.end()) {
      std::string allowed;
      for (std::string_view value : attribute.values)
        allowed += (allowed.empty() ? "\"" : " or \"") + std::string(value) + "\"";
      return rules::fail("`" + std::string(attribute.name) + "` is " + allowed + ", not \"" + text + "\"", -1, std::string(attribute.name));
    }
  }
  // Matching asks the same of the operands of an instruction, in its own order and words.
  if (use.op != Op::Schedule)
    if (auto error = checkScope(use, context))
      return *error;
  return row.infer(use, context);
}

} // namespace tilewright::ir
