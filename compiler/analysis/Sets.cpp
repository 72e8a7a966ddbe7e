#include "analysis/Sets.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <memory>

namespace tilewright::analysis {
namespace {

constexpr unsigned long kMostOperations = 2'000'000;

struct FreeCtx {
  void operator()(isl_ctx *ctx) const { isl_ctx_free(ctx); }
};
struct FreeSet {
  void operator()(isl_set *set) const { isl_set_free(set); }
};
struct FreeVal {
  void operator()(isl_val *val) const { isl_val_free(val); }
};

std::string name(VariableId variable) { return "v" + std::to_string(variable); }

/// The expression in isl's notation; empty for what isl has no word for.
std::string spell(const Index &index, ExprId id) {
  const Expr &expr = index.at(id);
  int64_t constant = 0;
  switch (expr.form) {
  case Expr::Form::Constant: return std::to_string(expr.constant);
  case Expr::Form::Variable: return name(expr.variable);
  case Expr::Form::Unknown: return "";
  default: break;
  }
  std::string left = spell(index, expr.left), right = spell(index, expr.right);
  if (left.empty() || right.empty())
    return "";
  switch (expr.form) {
  case Expr::Form::Add: return "(" + left + " + " + right + ")";
  case Expr::Form::Sub: return "(" + left + " - " + right + ")";
  case Expr::Form::Mul:
    return index.constantValue(expr.left, constant) || index.constantValue(expr.right, constant) ? "(" + left + " * " + right + ")" : "";
  case Expr::Form::FloorDiv: return index.constantValue(expr.right, constant) && constant > 0 ? "floor(" + left + " / " + right + ")" : "";
  case Expr::Form::Mod: return index.constantValue(expr.right, constant) && constant > 0 ? "(" + left + " mod " + right + ")" : "";
  case Expr::Form::Min: return "min(" + left + ", " + right + ")";
  case Expr::Form::Max: return "max(" + left + ", " + right + ")";
  default: return "";
  }
}
} // namespace

std::optional<int64_t> countWithSets(const Model &model, const WindowAxis &axis, const std::vector<VariableId> &variables, const Sweep &how) {
  const Index &index = model.index;
  if (axis.step != 1)
    return std::nullopt;
  std::string start = spell(index, axis.start), exists, where;
  if (start.empty())
    return std::nullopt;
  for (VariableId id : variables) {
    const Variable &variable = index.variableAt(id);
    exists += (exists.empty() ? "" : ", ") + name(id);
    if (variable.kind == Variable::Kind::Coordinate) {
      const MeshOccurrence &occurrence = model.meshes[static_cast<size_t>(variable.mesh)];
      if (!how.wholeMesh && occurrence.wave < occurrence.mesh->positions() && occurrence.axes.size() > 1)
        return std::nullopt;
      int64_t extent = how.wholeMesh ? variable.extent : std::min(variable.extent, occurrence.wave);
      where += " and 0 <= " + name(id) + " < " + std::to_string(extent);
      continue;
    }
    std::string from = spell(index, variable.start), to = spell(index, variable.stop);
    if (from.empty() || to.empty())
      return std::nullopt;
    bool runs = how.allLoops || std::find(how.running.begin(), how.running.end(), variable.scope) != how.running.end();
    where += " and " + from + " < " + to;
    if (!runs) {
      where += " and " + name(id) + " = " + from;
    } else {
      exists += ", t" + std::to_string(id);
      where += " and t" + std::to_string(id) + " >= 0 and " + name(id) + " = " + from + " + " + std::to_string(variable.step) + " * t" + std::to_string(id) + " and " + name(id) + " < " + to;
    }
  }
  std::string text = "{ [x] : exists (" + exists + " : " + start + " <= x < " + start + " + " + std::to_string(axis.extent) + where + ") }";
  std::unique_ptr<isl_ctx, FreeCtx> ctx(isl_ctx_alloc());
  isl_options_set_on_error(ctx.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(ctx.get(), kMostOperations);
  std::optional<int64_t> counted;
  {
    std::unique_ptr<isl_set, FreeSet> set(isl_set_read_from_str(ctx.get(), text.c_str()));
    if (set && isl_set_is_bounded(set.get()) == isl_bool_true) {
      std::unique_ptr<isl_val, FreeVal> value(isl_set_count_val(set.get()));
      // A count that the quota stopped is a wrong number rather than none.
      if (value && isl_val_is_int(value.get()) == isl_bool_true && isl_ctx_last_error(ctx.get()) == isl_error_none)
        counted = isl_val_get_num_si(value.get());
    }
  }
  return counted;
}

} // namespace tilewright::analysis
