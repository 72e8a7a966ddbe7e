#include "analysis/Distribution.h"
#include "harness/PlanBuilder.h"

#include <doctest/doctest.h>

using namespace tilewright;
using namespace tilewright::analysis;
using testing::PlanBuilder;

namespace {
const Levels kLevels{{{"cta", 8}, {"thread", 128}}, 0};

ir::TensorType split(std::vector<int64_t> shape, std::vector<int64_t> modes, std::shared_ptr<const layout::Mesh> mesh, std::vector<int> modeOfAxis, ir::Storage storage = ir::Storage::Rmem) {
  ir::TensorType type = PlanBuilder::tensor(std::move(shape), ir::DType::F32, storage);
  type.layout.emplace();
  type.layout->shape = layout::IntTuple::of(modes);
  type.layout->mesh = std::move(mesh);
  for (int mode : modeOfAxis) {
    layout::AxisState state;
    state.kind = mode < 0 ? layout::StateKind::Broadcast : layout::StateKind::Split;
    state.mode = mode;
    type.layout->states.push_back(state);
  }
  return type;
}
} // namespace

TEST_CASE("modes belong to the axis whose extent they multiply to") {
  auto mesh = PlanBuilder::mesh("thread", 128, {4, 8, 4}, {"w", "r", "q"});
  ir::TensorType fragment = split({128, 128}, {2, 4, 2, 8, 16, 4, 2}, mesh, {1, 3, 5});
  CHECK(axisOfModes(fragment) == std::vector<int>{0, 0, 0, 0, 1, 1, 1});
  CHECK(axisOfModes(split({1, 8}, {1, 1, 1, 8}, mesh, {-1, -1, -1})) == std::vector<int>{0, 0, 0, 1});
  CHECK(axisOfModes(split({1, 64}, {1, 64}, mesh, {-1, -1, -1})) == std::vector<int>{0, 1});
  CHECK(axisOfModes(split({16, 1}, {16, 1}, mesh, {-1, -1, -1})) == std::vector<int>{0, 1});
}

TEST_CASE("a unit holds what the splits of its level and coarser ones leave") {
  auto threads = PlanBuilder::mesh("thread", 128, {4, 8, 4}, {"w", "r", "q"});
  ir::TensorType fragment = split({128, 128}, {2, 4, 2, 8, 16, 4, 2}, threads, {1, 3, 5});
  CHECK(localShape(fragment, 0, kLevels) == std::vector<int64_t>{128, 128});
  CHECK(localShape(fragment, 1, kLevels) == std::vector<int64_t>{4, 32});
  auto ctas = PlanBuilder::mesh("cta", 8, {8}, {"k"});
  CHECK(localShape(split({32, 256}, {32, 8, 32}, ctas, {1}), 0, kLevels) == std::vector<int64_t>{32, 32});
}

TEST_CASE("a reshard keeps the bytes when every element keeps its place") {
  auto ctas = PlanBuilder::mesh("cta", 8, {8}, {"k"});
  ir::TensorType plain = PlanBuilder::tensor({16, 16});
  CHECK(sameBytes(plain, split({16, 16}, {8, 2, 16}, ctas, {0}, ir::Storage::Gmem), kLevels));
  CHECK_FALSE(sameBytes(plain, PlanBuilder::tensor({16, 16}, ir::DType::F32, ir::Storage::Smem), kLevels));
  auto threads = PlanBuilder::mesh("thread", 128, {16}, {"t"});
  ir::TensorType rows = split({16, 16}, {16, 16}, threads, {0}), columns = split({16, 16}, {16, 16}, threads, {1});
  CHECK(sameBytes(rows, rows, kLevels));
  CHECK_FALSE(sameBytes(rows, columns, kLevels));
}
