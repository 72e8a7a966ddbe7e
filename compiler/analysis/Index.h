// Address arithmetic as data: quasi-affine expressions over mesh coordinates and loop variables, which the footprints evaluate.
// Nodes are hash-consed in one arena per analysis, so equal expressions have equal ids and a window compares by ids.
// What cannot be known before the program runs is the node `unknown`; it spoils whatever is built on it. So does arithmetic nested deeper
// than kDeepest, which keeps evaluation from exhausting the stack.
// Thread rule: one arena belongs to one analysis.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::analysis {

using ExprId = int32_t;
using VariableId = int32_t;

struct Expr {
  enum class Form : uint8_t { Constant, Variable, Unknown, Add, Sub, Mul, FloorDiv, Mod, Min, Max } form = Form::Constant;
  int64_t constant = 0;
  VariableId variable = -1;
  ExprId left = -1, right = -1;
};

/// A mesh coordinate or a loop variable with its range.
struct Variable {
  enum class Kind : uint8_t { Coordinate, Loop } kind = Kind::Coordinate;
  int64_t extent = 1;                 // Coordinate
  int mesh = -1, axis = -1;           // Coordinate: which occurrence of a mesh, which of its axes
  ExprId start = -1, stop = -1;       // Loop
  int64_t step = 1;                   // Loop
  int scope = -1;                     // Loop: the scope it repeats
};

class Index {
public:
  Index();
  ExprId constant(int64_t value);
  ExprId unknown() const { return kUnknown; }
  ExprId variable(const Variable &variable);
  ExprId make(Expr::Form form, ExprId left, ExprId right);
  ExprId add(ExprId left, ExprId right) { return make(Expr::Form::Add, left, right); }
  ExprId multiply(ExprId left, int64_t factor) { return make(Expr::Form::Mul, left, constant(factor)); }

  const Expr &at(ExprId id) const { return nodes_[static_cast<size_t>(id)]; }
  const Variable &variableAt(VariableId id) const { return variables_[static_cast<size_t>(id)]; }
  size_t variables() const { return variables_.size(); }
  bool known(ExprId id) const { return known_[static_cast<size_t>(id)]; }
  bool constantValue(ExprId id, int64_t &value) const;
  /// The variables that occur in an expression, in order of id.
  const std::vector<VariableId> &used(ExprId id) const { return used_[static_cast<size_t>(id)]; }
  /// The same, with the variables that the ranges of those loops depend on.
  std::vector<VariableId> closure(std::span<const VariableId> variables) const;
  /// The value under `values` (one per variable of the arena). Division by zero gives 0.
  int64_t evaluate(ExprId id, std::span<const int64_t> values) const;

private:
  static constexpr ExprId kUnknown = 0;
  static constexpr int32_t kDeepest = 512;
  ExprId intern(Expr expr);
  std::vector<Expr> nodes_;
  std::vector<bool> known_;
  std::vector<int32_t> depth_;
  std::vector<std::vector<VariableId>> used_;
  std::vector<Variable> variables_;
  std::unordered_map<std::string, ExprId> table_;
};

} // namespace tilewright::analysis
