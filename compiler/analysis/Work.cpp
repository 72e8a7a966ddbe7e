#include "analysis/Work.h"

namespace tilewright::analysis {
namespace {

/// Shapes of operands and result as one unit sees them; level -1 is the value as written.
struct Shapes {
  const ir::FunctionPlan &plan;
  const ir::PlanValue &op;
  const Levels &levels;
  int level;

  const ir::TensorType &type(size_t operand) const { return plan.at(op.operands[operand]).type.tensor; }
  std::vector<int64_t> operand(size_t operand) const { return localShape(type(operand), level, levels); }
  int64_t elements(size_t operand) const { return operand < op.operands.size() ? elementsOf(this->operand(operand)) : 0; }
  const ir::TensorType &resultType() const {
    const ir::Type *type = &op.type;
    while (type->isTuple && !type->fields.empty())
      type = &type->fields[0];
    return type->tensor;
  }
  int64_t result() const { return elementsOf(localShape(resultType(), level, levels)); }
};

struct Amount {
  std::string kind; // empty: nothing
  bool flops = true;
  int64_t count = 0;
};

Amount flops(ir::DType dtype, int64_t count) { return {std::string(ir::name(dtype)), true, count}; }
Amount other(const char *kind, int64_t count) { return {kind, false, count}; }

std::string kindOf(const ir::PlanValue &op) {
  const ir::Attribute *attribute = ir::find(op.attributes, "kind");
  const auto *enumerator = attribute ? std::get_if<ir::Enumerator>(attribute) : nullptr;
  return enumerator ? enumerator->value : "";
}

/// Arithmetic on floats is flops; on integers it is integer work.
Amount arithmetic(ir::DType dtype, int64_t count) { return ir::isFloat(dtype) ? flops(dtype, count) : other("integer", count); }

Amount product(const Shapes &shapes, size_t left, int64_t resultElements) {
  std::vector<int64_t> a = shapes.operand(left);
  int64_t depth = a.empty() ? 1 : a.back();
  return flops(shapes.type(left).dtype, 2 * resultElements * depth);
}

Amount amountOf(const Shapes &shapes) {
  using ir::Op;
  const ir::PlanValue &op = shapes.op;
  ir::DType result = shapes.resultType().dtype;
  switch (op.op) {
  case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::FloorDiv: case Op::Mod: case Op::Min: case Op::Max:
  case Op::Neg: case Op::Abs: case Op::Clamp:
    return arithmetic(result, shapes.result());
  case Op::CmpEq: case Op::CmpNe: case Op::CmpLt: case Op::CmpLe: case Op::CmpGt: case Op::CmpGe:
  case Op::LogicalAnd: case Op::LogicalOr: case Op::LogicalNot:
    return other("predicate", shapes.result());
  case Op::Where: return other("select", shapes.result());
  case Op::Cast:
    if (result == ir::DType::Bool)
      return other("predicate", shapes.result());
    return arithmetic(result, shapes.result());
  case Op::Ceil: case Op::Round: return arithmetic(result, shapes.result());
  case Op::Exp: case Op::Exp2: case Op::Log: case Op::Log2: return other("special", shapes.result());
  case Op::Unary: {
    std::string kind = kindOf(op);
    if (kind == "EXP" || kind == "EXP2" || kind == "LOG" || kind == "LOG2" || kind == "RSQRT" || kind == "SQRT" || kind == "SIN" || kind == "COS")
      return other("special", shapes.result());
    return arithmetic(result, shapes.result());
  }
  case Op::ReLU: case Op::Sigmoid: case Op::Tanh: case Op::Gelu: case Op::Silu: case Op::Softplus: case Op::Softmax:
    return flops(result, shapes.result());
  case Op::RmsNorm: case Op::LayerNorm: return flops(ir::DType::F32, 8 * shapes.result());
  case Op::Rope: return flops(shapes.type(0).dtype, 3 * (shapes.elements(0) + shapes.elements(1)));
  case Op::Quant: return flops(ir::DType::F32, 4 * shapes.elements(0));
  case Op::Reduce: case Op::TopK: return arithmetic(shapes.type(0).dtype, shapes.elements(0));
  case Op::MatMul: return product(shapes, 0, shapes.result());
  case Op::Conv2D: {
    std::vector<int64_t> weight = shapes.operand(1);
    int64_t taps = weight.size() == 4 ? weight[1] * weight[2] * weight[3] : 1;
    return flops(shapes.type(0).dtype, 2 * shapes.result() * taps);
  }
  case Op::IndexAdd: return arithmetic(result, shapes.elements(2));
  case Op::Schedule:
    if (isProduct(op) && op.operands.size() >= 3)
      return product(shapes, 1, shapes.elements(0));
    return {};
  default: return {};
  }
}
} // namespace

ComputeCost workOf(const ir::FunctionPlan &plan, ir::ValueId value, const Levels &levels, int64_t positions) {
  ComputeCost cost;
  const ir::PlanValue &op = plan.at(value);
  if (op.kind != ir::ValueKind::Op)
    return cost;
  Amount whole = amountOf({plan, op, levels, -1});
  if (whole.kind.empty() || whole.count == 0)
    return cost;
  Counts counts;
  counts.logical = whole.count;
  counts.total = whole.count * positions;
  for (size_t level = 0; level < levels.size(); ++level) {
    counts.perUnit.push_back(amountOf({plan, op, levels, static_cast<int>(level)}).count);
    if (static_cast<int>(level) == levels.selected)
      counts.total = counts.perUnit.back() * positions;
  }
  (whole.flops ? cost.flops : cost.otherOps)[whole.kind] = std::move(counts);
  return cost;
}

} // namespace tilewright::analysis
