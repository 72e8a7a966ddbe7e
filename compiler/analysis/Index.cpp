#include "analysis/Index.h"

#include <algorithm>

namespace tilewright::analysis {
namespace {
int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

int64_t apply(Expr::Form form, int64_t a, int64_t b) {
  // Arithmetic wraps on purpose: a start that overflows is nonsense, but reading it must not be undefined.
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (form) {
  case Expr::Form::Add: return static_cast<int64_t>(ua + ub);
  case Expr::Form::Sub: return static_cast<int64_t>(ua - ub);
  case Expr::Form::Mul: return static_cast<int64_t>(ua * ub);
  case Expr::Form::FloorDiv: return b == -1 ? static_cast<int64_t>(0 - ua) : floorDiv(a, b);
  case Expr::Form::Mod: return b == 0 || b == -1 ? 0 : a - b * floorDiv(a, b);
  case Expr::Form::Min: return std::min(a, b);
  case Expr::Form::Max: return std::max(a, b);
  default: return 0;
  }
}
} // namespace

Index::Index() {
  nodes_.push_back({Expr::Form::Unknown, 0, -1, -1, -1});
  known_.push_back(false);
  depth_.push_back(0);
  used_.emplace_back();
}

ExprId Index::intern(Expr expr) {
  std::string key(reinterpret_cast<const char *>(&expr.constant), sizeof expr.constant);
  for (int32_t part : {static_cast<int32_t>(expr.form), expr.variable, expr.left, expr.right})
    key.append(reinterpret_cast<const char *>(&part), sizeof part);
  auto [place, fresh] = table_.try_emplace(std::move(key), static_cast<ExprId>(nodes_.size()));
  if (!fresh)
    return place->second;
  bool known = true;
  int32_t depth = 0;
  std::vector<VariableId> used;
  if (expr.variable >= 0)
    used.push_back(expr.variable);
  for (ExprId part : {expr.left, expr.right}) {
    if (part < 0)
      continue;
    known = known && known_[static_cast<size_t>(part)];
    depth = std::max(depth, depth_[static_cast<size_t>(part)] + 1);
    const std::vector<VariableId> &more = used_[static_cast<size_t>(part)];
    used.insert(used.end(), more.begin(), more.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  nodes_.push_back(expr);
  known_.push_back(known && depth <= kDeepest);
  depth_.push_back(depth);
  used_.push_back(std::move(used));
  return place->second;
}

ExprId Index::constant(int64_t value) { return intern({Expr::Form::Constant, value, -1, -1, -1}); }

ExprId Index::variable(const Variable &variable) {
  variables_.push_back(variable);
  return intern({Expr::Form::Variable, 0, static_cast<VariableId>(variables_.size()) - 1, -1, -1});
}

bool Index::constantValue(ExprId id, int64_t &value) const {
  value = at(id).constant;
  return at(id).form == Expr::Form::Constant;
}

ExprId Index::make(Expr::Form form, ExprId left, ExprId right) {
  if (!known(left) || !known(right))
    return kUnknown;
  int64_t a = 0, b = 0;
  bool constantLeft = constantValue(left, a), constantRight = constantValue(right, b);
  if (constantLeft && constantRight)
    return constant(apply(form, a, b));
  if ((form == Expr::Form::Add && constantLeft && a == 0) || (form == Expr::Form::Mul && constantLeft && a == 1))
    return right;
  if (constantRight && ((b == 0 && (form == Expr::Form::Add || form == Expr::Form::Sub)) || (b == 1 && (form == Expr::Form::Mul || form == Expr::Form::FloorDiv))))
    return left;
  if (form == Expr::Form::Mul && ((constantLeft && a == 0) || (constantRight && b == 0)))
    return constant(0);
  return intern({form, 0, -1, left, right});
}

std::vector<VariableId> Index::closure(std::span<const VariableId> variables) const {
  std::vector<VariableId> all(variables.begin(), variables.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const Variable &one = variableAt(all[i]);
    if (one.kind != Variable::Kind::Loop)
      continue;
    for (ExprId bound : {one.start, one.stop})
      for (VariableId more : used(bound))
        if (std::find(all.begin(), all.end(), more) == all.end())
          all.push_back(more);
  }
  std::sort(all.begin(), all.end());
  return all;
}

int64_t Index::evaluate(ExprId id, std::span<const int64_t> values) const {
  const Expr &expr = at(id);
  switch (expr.form) {
  case Expr::Form::Constant: return expr.constant;
  case Expr::Form::Unknown: return 0;
  case Expr::Form::Variable: return values[static_cast<size_t>(expr.variable)];
  default: return apply(expr.form, evaluate(expr.left, values), evaluate(expr.right, values));
  }
}

} // namespace tilewright::analysis
