// Scalars and loop bounds as expressions. What the author named in between disappears: an index prints as the arithmetic it is.
#include "schedule/FinalizeFunction.h"
#include "support/Codes.h"

#include <algorithm>

namespace tilewright::schedule {

tir::Expr FunctionLowering::integer(int64_t value) {
  tir::Expr out;
  out.integer = value;
  return out;
}

tir::Expr FunctionLowering::join(tir::Expr::Kind kind, tir::Expr left, tir::Expr right) {
  tir::Expr out;
  out.kind = kind;
  out.operands.push_back(std::move(left));
  out.operands.push_back(std::move(right));
  return out;
}

bool FunctionLowering::isIndex(ir::ValueId id, int depth) const {
  const ir::PlanValue &value = at(id);
  if (value.type.isTuple || !value.type.tensor.shape.empty() || !ir::isInteger(value.type.tensor.dtype) || depth > 10000)
    return false;
  switch (value.kind) {
  case ir::ValueKind::Constant:
  case ir::ValueKind::Coordinate:
  case ir::ValueKind::Induction:
  case ir::ValueKind::DimArith: return true;
  case ir::ValueKind::Op: break;
  default: return false;
  }
  switch (value.op) {
  case ir::Op::Add:
  case ir::Op::Sub:
  case ir::Op::Mul:
  case ir::Op::FloorDiv:
  case ir::Op::Mod:
  case ir::Op::Min:
  case ir::Op::Max:
  case ir::Op::Neg: return std::all_of(value.operands.begin(), value.operands.end(), [&](ir::ValueId operand) { return isIndex(operand, depth + 1); });
  default: return false;
  }
}

tir::Expr FunctionLowering::indexOf(ir::ValueId id, const ir::PlanValue &site) {
  if (!isIndex(id)) {
    refuse(site, Code::RuntimeIndex, "the window starts at `" + nameOf(id) + "`, which is computed at run time; an address is arithmetic of coordinates, loop variables and literals");
    return {};
  }
  tir::Expr index = expression(id);
  std::vector<const tir::Expr *> open{&index};
  while (!open.empty()) {
    const tir::Expr *one = open.back();
    open.pop_back();
    if (one->kind == tir::Expr::Kind::Min || one->kind == tir::Expr::Kind::Max) {
      refuse(site, Code::RuntimeIndex, std::string("the window starts at a ") + (one->kind == tir::Expr::Kind::Min ? "minimum" : "maximum") + ", which an address cannot hold; it adds, subtracts, multiplies and divides");
      return {};
    }
    for (const tir::Expr &operand : one->operands)
      open.push_back(&operand);
  }
  return index;
}

tir::Expr FunctionLowering::expression(ir::ValueId id) const {
  const ir::PlanValue &value = at(id);
  tir::Expr out;
  switch (value.kind) {
  case ir::ValueKind::Constant: return integer(value.integer);
  case ir::ValueKind::Coordinate: {
    const ir::RegionId region = value.mesh == ir::kNone ? 0 : value.mesh;
    auto scope = scopeOf_.find(region);
    out.kind = tir::Expr::Kind::Coordinate;
    out.scope = scope == scopeOf_.end() ? tir::kNone : scope->second;
    out.axis = this->region(region).mesh->axis(value.axis);
    return out;
  }
  case ir::ValueKind::Induction: {
    auto variable = variables_.find(id);
    out.kind = tir::Expr::Kind::Value;
    out.value = variable == variables_.end() ? tir::kNone : variable->second;
    return out;
  }
  case ir::ValueKind::DimArith: return expression(value.dim);
  case ir::ValueKind::Op: {
    static const std::map<ir::Op, tir::Expr::Kind> kKinds = {
        {ir::Op::Add, tir::Expr::Kind::Add}, {ir::Op::Sub, tir::Expr::Kind::Sub}, {ir::Op::Mul, tir::Expr::Kind::Mul},
        {ir::Op::FloorDiv, tir::Expr::Kind::FloorDiv}, {ir::Op::Mod, tir::Expr::Kind::Mod}, {ir::Op::Min, tir::Expr::Kind::Min}, {ir::Op::Max, tir::Expr::Kind::Max}};
    if (auto kind = kKinds.find(value.op); kind != kKinds.end())
      return join(kind->second, expression(value.operands[0]), expression(value.operands[1]));
    if (value.op == ir::Op::Neg) {
      out.kind = tir::Expr::Kind::Neg;
      out.operands.push_back(expression(value.operands[0]));
      return out;
    }
    break;
  }
  default: break;
  }
  out.kind = tir::Expr::Kind::Value; // computed at run time; whoever asks has checked isIndex
  return out;
}

tir::Expr FunctionLowering::expression(const ir::DimExpr &dim) const {
  using Kind = ir::DimExpr::Kind;
  switch (dim.kind) {
  case Kind::Constant: return integer(dim.constant);
  case Kind::Value: return expression(dim.value);
  case Kind::Neg: {
    tir::Expr out;
    out.kind = tir::Expr::Kind::Neg;
    out.operands.push_back(expression(dim.operands[0]));
    return out;
  }
  default: break;
  }
  static const std::map<Kind, tir::Expr::Kind> kKinds = {{Kind::Add, tir::Expr::Kind::Add}, {Kind::Sub, tir::Expr::Kind::Sub}, {Kind::Mul, tir::Expr::Kind::Mul},
                                                         {Kind::FloorDiv, tir::Expr::Kind::FloorDiv}, {Kind::Mod, tir::Expr::Kind::Mod}, {Kind::Min, tir::Expr::Kind::Min},
                                                         {Kind::Max, tir::Expr::Kind::Max}};
  return join(kKinds.at(dim.kind), expression(dim.operands[0]), expression(dim.operands[1]));
}

} // namespace tilewright::schedule
