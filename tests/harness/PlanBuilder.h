// Plans by hand, for tests of what reads them: a few lines state a function, its loops and meshes, without a source text.
#pragma once
#include "ir/Plan.h"

#include <utility>

namespace tilewright::testing {

class PlanBuilder {
public:
  explicit PlanBuilder(std::string name = "f") {
    plan.module = "M";
    plan.name = std::move(name);
    plan.regions.emplace_back();
  }

  ir::FunctionPlan plan;

  static ir::TensorType tensor(std::vector<int64_t> shape, ir::DType dtype = ir::DType::F32, ir::Storage storage = ir::Storage::Gmem) {
    ir::TensorType type;
    type.shape = std::move(shape);
    type.dtype = dtype;
    type.storage = storage;
    return type;
  }

  ir::ValueId parameter(const std::string &name, ir::TensorType type) {
    ir::ValueId id = add(ir::ValueKind::Parameter, name, std::move(type), {}, false);
    plan.parameters.push_back(id);
    return id;
  }
  ir::ValueId constant(int64_t value) {
    ir::ValueId id = add(ir::ValueKind::Constant, "", ir::scalar(ir::DType::I64, ir::Storage::Umat).tensor, {});
    plan.values[static_cast<size_t>(id)].integer = value;
    return id;
  }
  ir::ValueId op(const std::string &name, ir::Op op, ir::TensorType type, std::vector<ir::ValueId> operands, ir::Attributes attributes = {}) {
    ir::ValueId id = add(ir::ValueKind::Op, name, std::move(type), std::move(operands));
    plan.values[static_cast<size_t>(id)].op = op;
    plan.values[static_cast<size_t>(id)].attributes = std::move(attributes);
    return id;
  }
  ir::ValueId tuple(std::vector<ir::ValueId> elements) {
    std::vector<ir::Type> types;
    for (ir::ValueId element : elements)
      types.push_back(plan.at(element).type);
    ir::ValueId id = add(ir::ValueKind::Tuple, "", ir::TensorType(), std::move(elements));
    plan.values[static_cast<size_t>(id)].type = ir::Type::tuple(std::move(types));
    return id;
  }
  ir::ValueId coordinate(ir::RegionId mesh, const std::string &axis) {
    ir::ValueId id = add(ir::ValueKind::Coordinate, axis, ir::scalar(ir::DType::I64, ir::Storage::Rmem).tensor, {});
    plan.values[static_cast<size_t>(id)].axis = axis;
    plan.values[static_cast<size_t>(id)].mesh = mesh;
    return id;
  }

  static std::shared_ptr<const layout::Mesh> mesh(const std::string &level, int64_t units, std::vector<int64_t> shape, std::vector<std::string> names) {
    auto made = std::make_shared<layout::Mesh>();
    made->topologies = {{level, units}};
    made->strides.assign(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      made->strides[i - 1] = made->strides[i] * shape[i];
    made->shape = std::move(shape);
    made->names = std::move(names);
    return made;
  }
  void wholeBody(std::shared_ptr<const layout::Mesh> mesh) { plan.regions[0].mesh = std::move(mesh); }

  /// Opens a loop; statements go into it until close().
  ir::RegionId loop(const std::string &name, ir::DimExpr start, int64_t stop, int64_t step = 1) {
    ir::RegionId id = open(ir::RegionKind::Loop, name);
    ir::PlanRegion &region = plan.regions[static_cast<size_t>(id)];
    region.start = std::move(start);
    region.stop.constant = stop;
    region.step.constant = step;
    ir::ValueId induction = static_cast<ir::ValueId>(plan.values.size());
    plan.values.emplace_back();
    plan.values.back().kind = ir::ValueKind::Induction;
    plan.values.back().name = name;
    plan.values.back().type = ir::scalar(ir::DType::I64, ir::Storage::Umat).tensor;
    plan.values.back().region = id;
    plan.regions[static_cast<size_t>(id)].induction = induction;
    return id;
  }
  ir::RegionId loop(const std::string &name, int64_t stop, int64_t step = 1) { return loop(name, ir::DimExpr{}, stop, step); }
  ir::ValueId induction(ir::RegionId loop) const { return plan.regions[static_cast<size_t>(loop)].induction; }
  ir::ValueId carry(ir::RegionId loop, const std::string &name, ir::ValueId init) {
    auto inside = static_cast<ir::ValueId>(plan.values.size());
    plan.values.emplace_back();
    plan.values.back().kind = ir::ValueKind::Carry;
    plan.values.back().name = name;
    plan.values.back().type = plan.at(init).type;
    plan.values.back().region = loop;
    plan.regions[static_cast<size_t>(loop)].carries.push_back({name, init, inside, ir::kNone, ir::kNone});
    return inside;
  }
  /// States what the carry yields and closes the loop; the value after it.
  ir::ValueId yield(ir::RegionId loop, ir::ValueId inside, ir::ValueId yielded) {
    ir::ValueId result = static_cast<ir::ValueId>(plan.values.size());
    plan.values.emplace_back();
    plan.values.back().kind = ir::ValueKind::LoopResult;
    plan.values.back().name = plan.at(inside).name;
    plan.values.back().type = plan.at(inside).type;
    plan.values.back().region = plan.regions[static_cast<size_t>(loop)].parent;
    for (ir::LoopCarry &one : plan.regions[static_cast<size_t>(loop)].carries)
      if (one.inside == inside) {
        one.yielded = yielded;
        one.result = result;
      }
    close();
    return result;
  }
  ir::RegionId open(ir::RegionKind kind, const std::string &name, std::shared_ptr<const layout::Mesh> mesh = nullptr) {
    auto id = static_cast<ir::RegionId>(plan.regions.size());
    plan.regions.emplace_back();
    plan.regions.back().kind = kind;
    plan.regions.back().parent = at_;
    plan.regions.back().name = name;
    plan.regions.back().mesh = std::move(mesh);
    plan.regions[static_cast<size_t>(at_)].items.push_back({ir::kNone, id});
    at_ = id;
    return id;
  }
  void close() { at_ = plan.regions[static_cast<size_t>(at_)].parent; }
  void returns(ir::ValueId value) { plan.returned = value; }

private:
  ir::ValueId add(ir::ValueKind kind, const std::string &name, ir::TensorType type, std::vector<ir::ValueId> operands, bool placed = true) {
    auto id = static_cast<ir::ValueId>(plan.values.size());
    plan.values.emplace_back();
    ir::PlanValue &value = plan.values.back();
    value.kind = kind;
    value.name = name.empty() ? "v" + std::to_string(id) : name;
    value.type = std::move(type);
    value.operands = std::move(operands);
    value.region = at_;
    value.printed = placed;
    value.line = placed ? static_cast<int>(id) + 10 : 0;
    if (placed)
      plan.regions[static_cast<size_t>(at_)].items.push_back({id, ir::kNone});
    return id;
  }

  ir::RegionId at_ = 0;
};

} // namespace tilewright::testing
