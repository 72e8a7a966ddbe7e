#include "ir/LayoutText.h"

#include "ir/ImportTypes.h"
#include "layout/Algebra.h"
#include "layout/Draw.h"
#include "support/Codes.h"
#include "syntax/Parser.h"

#include <cstdlib>

namespace tilewright::ir {
namespace {

/// The value of one expression; `local` answers names before the DSL does.
syntax::ValueRef valueOf(std::string_view text, std::string_view what, const std::function<syntax::ValueRef(std::string_view)> &local, DiagnosticSink &sink) {
  const std::string_view kPrelude = "from tilefoundry.dsl import *\n";
  const syntax::File file = syntax::parse("layout", std::string(kPrelude) + "_ = (" + std::string(text) + ")\n");
  bool wrong = file.items.size() != 2 || text.find_first_of("\n\r") != std::string_view::npos || !file.diagnostics.empty();
  for (const syntax::Item &item : file.items)
    wrong = wrong || !item.tree->diagnostics.empty();
  const syntax::Node value = wrong ? syntax::Node() : file.items[1].tree->root().child(syntax::Role::Value);
  if (!value) {
    sink.add(Code::BadLayout, {}, "`" + std::string(text) + "` is not one expression");
    return nullptr;
  }
  const syntax::Evaluation evaluation = syntax::evaluate(file);
  syntax::ValueRef result = syntax::evaluateExpression(value, file.items[1].tree, evaluation.globals, local);
  if (const auto *unknown = result->as<syntax::Unknown>()) {
    sink.add(Code::BadLayout, {}, std::string(what) + ": " + unknown->reason);
    return nullptr;
  }
  return result;
}

/// Whether every extent is positive and every offset, in bits, fits 64 bits.
bool measurable(const layout::TensorLayout &layout) {
  constexpr int64_t kFarthest = int64_t{1} << 56;
  int64_t farthest = 0, elements = 1;
  const auto reaches = [&](int64_t distance) { return distance > -kFarthest && distance < kFarthest && std::abs(farthest += std::abs(distance)) < kFarthest; };
  if (!reaches(layout.offset))
    return false;
  if (!layout.strides) {
    for (int64_t extent : layout.shape.flat())
      if (extent <= 0 || __builtin_mul_overflow(elements, extent, &elements) || elements >= kFarthest)
        return false;
    return true;
  }
  for (const layout::Mode &mode : layout::modesOf(layout)) {
    int64_t distance = 0;
    if (mode.extent <= 0 || __builtin_mul_overflow(elements, mode.extent, &elements) || elements >= kFarthest ||
        __builtin_mul_overflow(mode.extent - 1, mode.stride, &distance) || !reaches(distance))
      return false;
  }
  return true;
}

} // namespace

std::optional<StandaloneLayout> readLayout(std::string_view text, const std::optional<std::vector<int64_t>> &shape, const std::vector<MeshText> &meshes,
                                           DiagnosticSink &sink) {
  StandaloneLayout result;
  std::vector<MeshScope> scopes;
  const ImportOptions options;
  const std::vector<layout::Topology> topologies;
  std::shared_ptr<const layout::Mesh> composed;
  const TypeReader reader{sink, options, topologies,
                          [&](int number) -> const MeshScope * {
                            return number >= 0 && static_cast<size_t>(number) < scopes.size() ? &scopes[static_cast<size_t>(number)] : nullptr;
                          },
                          [&] { return composed; }};
  const auto local = [&](std::string_view name) -> syntax::ValueRef {
    for (const MeshScope &scope : scopes)
      if (scope.alias == name) {
        syntax::Opaque opaque;
        opaque.callee = std::string(kScopePrefix) + std::to_string(scope.number);
        return std::make_shared<const syntax::Value>(std::move(opaque));
      }
    return nullptr;
  };
  for (const MeshText &mesh : meshes) {
    const syntax::ValueRef value = valueOf(mesh.text, "mesh `" + mesh.name + "`", local, sink);
    auto scope = value ? reader.mesh(*value, {}) : std::nullopt;
    if (!scope)
      return std::nullopt;
    scope->number = static_cast<int>(scopes.size());
    scope->alias = mesh.name;
    scope->composed = composed ? std::make_shared<const layout::Mesh>(layout::compose(*composed, *scope->mesh)) : scope->mesh;
    composed = scope->composed;
    result.scopes.push_back({scope->mesh, mesh.name});
    scopes.push_back(std::move(*scope));
  }
  if (!meshes.empty() && !shape) {
    sink.add(Code::BadLayout, {}, "the modes of a layout that is placed on a mesh are not the tensor's axes: the shape must be given");
    return std::nullopt;
  }
  const syntax::ValueRef value = valueOf(text, "layout", local, sink);
  if (!value)
    return std::nullopt;
  // A plain layout is read without looking at the shape.
  std::optional<layout::TensorLayout> layout = reader.layoutOf(*value, shape.value_or(std::vector<int64_t>{}), {});
  if (!layout)
    return std::nullopt;
  if (!measurable(*layout)) {
    sink.add(Code::BadLayout, {}, "extents must be positive, and offsets below 2^56");
    return std::nullopt;
  }
  result.shape = shape ? *shape : layout::shapeOf(*layout);
  if (layout->swizzle && !layout::valid(*layout->swizzle)) {
    sink.add(Code::BadLayout, {}, "a swizzle has bits >= 0, base >= 0 and |shift| >= bits, 63 bits in all");
    return std::nullopt;
  }
  if (!layout::axisOfModes(result.shape, layout->shape)) {
    int64_t elements = 1;
    bool counted = true;
    for (int64_t extent : result.shape)
      counted = counted && !__builtin_mul_overflow(elements, extent, &elements);
    if (!counted || elements != layout->shape.product()) {
      sink.add(Code::BadLayout, {}, "modes " + layout::printTuple(layout->shape) + " do not group into the axes " + layout::printTuple(result.shape) + " of the tensor");
      return std::nullopt;
    }
  }
  result.layout = std::move(*layout);
  result.text = layout::oneLine(layout::printLayout(result.layout, layout::axisNamer(result.scopes)));
  return result;
}

} // namespace tilewright::ir
