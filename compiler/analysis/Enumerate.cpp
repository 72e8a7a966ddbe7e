#include "analysis/Enumerate.h"

#include <algorithm>

namespace tilewright::analysis {
namespace {

/// One level of the enumeration: a loop variable, one coordinate, or all coordinates of a mesh that runs in waves.
struct Place {
  VariableId variable = -1;
  int mesh = -1;
};

bool inWaves(const Model &model, int mesh, const Sweep &how) {
  const MeshOccurrence &occurrence = model.meshes[static_cast<size_t>(mesh)];
  return !how.wholeMesh && occurrence.wave < occurrence.mesh->positions();
}

class Walker {
public:
  Walker(const Model &model, const Sweep &how, const std::function<void(std::span<const int64_t>)> &visit) : model_(model), how_(how), visit_(visit), values_(model.index.variables(), 0) {}

  Swept run(const std::vector<VariableId> &variables) {
    std::vector<int> meshes;
    for (VariableId id : variables) {
      const Variable &variable = model_.index.variableAt(id);
      if (variable.kind == Variable::Kind::Coordinate && inWaves(model_, variable.mesh, how_)) {
        if (std::find(meshes.begin(), meshes.end(), variable.mesh) == meshes.end()) {
          meshes.push_back(variable.mesh);
          places_.push_back({-1, variable.mesh});
        }
        continue;
      }
      places_.push_back({id, -1});
    }
    step(0);
    return outcome_;
  }

private:
  void step(size_t at) { // depth: one per variable, bounded by the nesting of loops and meshes
    if (outcome_ != Swept::Done)
      return;
    if (at == places_.size()) {
      if (++visited_ > how_.budget)
        outcome_ = Swept::TooMany;
      else if ((visited_ & 1023) == 0 && model_.cancelled())
        outcome_ = Swept::Cancelled;
      else
        visit_(values_);
      return;
    }
    const Place &place = places_[at];
    if (place.mesh >= 0) {
      const MeshOccurrence &occurrence = model_.meshes[static_cast<size_t>(place.mesh)];
      for (int64_t position = 0; position < occurrence.wave && outcome_ == Swept::Done; ++position) {
        int64_t rest = position;
        for (size_t axis = occurrence.axes.size(); axis-- > 0;) {
          int64_t extent = std::max<int64_t>(occurrence.mesh->shape[axis], 1);
          values_[static_cast<size_t>(model_.index.at(occurrence.axes[axis]).variable)] = rest % extent;
          rest /= extent;
        }
        step(at + 1);
      }
      return;
    }
    const Variable &variable = model_.index.variableAt(place.variable);
    int64_t &value = values_[static_cast<size_t>(place.variable)];
    if (variable.kind == Variable::Kind::Coordinate) {
      for (value = 0; value < variable.extent && outcome_ == Swept::Done; ++value)
        step(at + 1);
      return;
    }
    int64_t start = model_.index.evaluate(variable.start, values_), stop = model_.index.evaluate(variable.stop, values_);
    bool runs = how_.allLoops || std::find(how_.running.begin(), how_.running.end(), variable.scope) != how_.running.end();
    if (!runs || variable.step <= 0) {
      if (start < stop) { // a loop without iterations reaches nothing
        value = start;
        step(at + 1);
      }
      return;
    }
    for (value = start; value < stop && outcome_ == Swept::Done; value += variable.step)
      step(at + 1);
  }

  const Model &model_;
  const Sweep &how_;
  const std::function<void(std::span<const int64_t>)> &visit_;
  std::vector<int64_t> values_;
  std::vector<Place> places_;
  int64_t visited_ = 0;
  Swept outcome_ = Swept::Done;
};

} // namespace

std::vector<VariableId> together(const Model &model, std::span<const VariableId> variables, const Sweep &how) {
  std::vector<VariableId> all = model.index.closure(variables);
  std::vector<int> meshes;
  for (VariableId id : all) {
    const Variable &variable = model.index.variableAt(id);
    if (variable.kind == Variable::Kind::Coordinate && inWaves(model, variable.mesh, how))
      meshes.push_back(variable.mesh);
  }
  for (int mesh : meshes)
    for (ExprId axis : model.meshes[static_cast<size_t>(mesh)].axes) {
      VariableId id = model.index.at(axis).variable;
      if (std::find(all.begin(), all.end(), id) == all.end())
        all.push_back(id);
    }
  std::sort(all.begin(), all.end());
  return all;
}

Swept sweep(const Model &model, std::span<const VariableId> variables, const Sweep &how, const std::function<void(std::span<const int64_t>)> &visit) {
  return Walker(model, how, visit).run(model.index.closure(variables));
}

} // namespace tilewright::analysis
