// From a tile to the constants in the text that it comes from.
#include "features/Names.h"
#include "features/Tiles.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <tuple>

namespace tilewright::features {
namespace {

using syntax::Kind;
using syntax::Node;
using syntax::Role;

int64_t valueOf(const schedule::TileConfig &config, TileSize size) {
  schedule::TileConfig copy = config;
  return sizeOf(copy, size);
}

class Tracer {
public:
  Tracer(const session::Snapshot &snapshot, const TileView &view) : file_(snapshot.file), view_(view), plan_(*view.function.plan) {}

  std::vector<TileConstant> run() {
    const auto &site = view_.site;
    const auto &[a, b] = std::pair(site.lhs, site.rhs);
    shapes(a, TileSize::BlockM, TileSize::BlockK, site.config.blockM, site.config.blockK);
    shapes(b, TileSize::BlockK, TileSize::BlockN, site.config.blockK, site.config.blockN);
    shapes(site.result, TileSize::BlockM, TileSize::BlockN, site.config.blockM, site.config.blockN);
    for (ir::RegionId loop : site.loops)
      if (const ir::PlanRegion &region = plan_.regions[static_cast<size_t>(loop)]; region.tile) {
        within(region.span, [&](Node node) {
          if (node.is(Kind::Call) && node.child(Role::Callee).text() == "tile")
            if (const std::vector<Node> given = node.childrenIn(Role::Argument); given.size() == 2)
              trace(given[1], view_.function.item, TileSize::BlockK, Reach::Exact);
        });
        break; // the innermost
      }
    auto &found = constants_;
    std::stable_sort(found.begin(), found.end(), [](const TileConstant &x, const TileConstant &y) {
      return std::tuple(x.item, x.nameSpan.begin, x.size, !x.exact) < std::tuple(y.item, y.nameSpan.begin, y.size, !y.exact);
    });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const TileConstant &x, const TileConstant &y) { return x.item == y.item && x.nameSpan == y.nameSpan && x.size == y.size; }),
                found.end());
    return std::move(found);
  }

private:
  enum class Reach : uint8_t { Exact, Derived };

  /// Every node of the function's item inside a span.
  void within(Span span, const std::function<void(Node)> &visit) const {
    const syntax::Tree &tree = *file_.items[view_.function.item].tree;
    for (uint32_t i = 0; i < tree.nodes.size(); ++i)
      if (const Span at = tree.nodes[i].span; span.begin <= at.begin && at.end <= span.end)
        visit(Node(&tree, i));
  }

  /// The extents that the text of these values states, where they are tiles of this shape.
  void shapes(const std::vector<ir::ValueId> &values, TileSize first, TileSize second, int64_t rows, int64_t columns) {
    for (ir::ValueId id : values) {
      const ir::PlanValue &value = plan_.at(id);
      if (value.kind != ir::ValueKind::Op || value.type.isTuple || value.type.tensor.shape != std::vector<int64_t>{rows, columns} || value.span.empty())
        continue;
      within(value.span, [&](Node node) {
        const std::vector<Node> given = node.childrenIn(Role::Argument);
        if (node.is(Kind::Subscript) && node.form() == syntax::Form::TensorType && !given.empty())
          pair(given[0], first, second);
        else if (node.is(Kind::Subscript) && value.op == ir::Op::Slice && given.size() == 2) {
          window(given[0], first);
          window(given[1], second);
        } else if (node.is(Kind::Call) && value.op == ir::Op::Reshard && node.child(Role::Callee).text() == "reshard" && given.size() >= 2)
          pair(given[1], first, second);
        else if (node.is(Kind::Keyword) && node.text() == "buffers" && value.op == ir::Op::Empty)
          trace(node.firstChild(), view_.function.item, TileSize::Stages, Reach::Exact);
      });
    }
  }

  /// `(BM, BN)`
  void pair(Node tuple, TileSize first, TileSize second) {
    if (!tuple.is(Kind::Tuple) || tuple.childCount() != 2)
      return;
    const Node left = tuple.firstChild(), right = left.nextSibling();
    trace(left, view_.function.item, first, Reach::Exact);
    trace(right, view_.function.item, second, Reach::Exact);
  }

  /// `m:m + BM`, `:BM`
  void window(Node slice, TileSize size) {
    if (!slice.is(Kind::Slice))
      return;
    const Node start = slice.child(Role::Left), stop = slice.child(Role::Right);
    if (!stop)
      return;
    if (!start) {
      trace(stop, view_.function.item, size, Reach::Exact);
    } else if (stop.is(Kind::BinOp) && stop.text() == "+") {
      const Node left = stop.child(Role::Left), right = stop.child(Role::Right);
      if (left.source() == start.source())
        trace(right, view_.function.item, size, Reach::Exact);
      else if (right.source() == start.source())
        trace(left, view_.function.item, size, Reach::Exact);
    }
  }

  void trace(Node expression, size_t item, TileSize size, Reach reach, int depth = 0) {
    constexpr int kDeepest = 16;
    if (!expression || depth > kDeepest)
      return;
    if (!expression.is(Kind::Name)) {
      for (Node child : expression.children())
        trace(child, item, size, Reach::Derived, depth + 1);
      return;
    }
    const auto binding = resolve(file_, item, expression);
    if (!binding || !binding->statement.is(Kind::Assign))
      return;
    const Node value = boundTo(*binding);
    if (!value)
      return;
    TileConstant constant;
    constant.size = size;
    constant.item = binding->item;
    constant.nameSpan = binding->nameSpan();
    constant.name = std::string(expression.text());
    const auto integer = integerOf(value);
    constant.exact = reach == Reach::Exact && (integer ? *integer == valueOf(view_.site.config, size) : value.is(Kind::Name));
    if (integer)
      constant.literal = value.span().shifted(file_.items[binding->item].offset);
    if (reach == Reach::Exact && integer && !constant.exact)
      return; // of another tile
    constants_.push_back(constant);
    if (!integer)
      trace(value, binding->item, size, reach, depth + 1);
  }

  /// What a name is bound to: the value of `BM = 128`, the element of `BM, BN = 128, 256`.
  static Node boundTo(const Binding &binding) {
    const Node value = binding.statement.child(Role::Value), target = binding.name.parent();
    if (target == binding.statement)
      return value;
    if (!target.is(Kind::Tuple) || target.parent() != binding.statement || !value.is(Kind::Tuple) || value.childCount() != target.childCount())
      return {};
    Node element = value.firstChild();
    for (Node name : target.children()) {
      if (name == binding.name)
        return element;
      element = element.nextSibling();
    }
    return {};
  }

  static std::optional<int64_t> integerOf(Node node) {
    if (!node.is(Kind::Integer))
      return std::nullopt;
    const std::string_view text = node.text();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
  }

  const syntax::File &file_;
  const TileView &view_;
  const ir::FunctionPlan &plan_;
  std::vector<TileConstant> constants_;
};

} // namespace

std::string_view name(TileSize size) {
  switch (size) {
  case TileSize::BlockM: return "block_M";
  case TileSize::BlockN: return "block_N";
  case TileSize::BlockK: return "block_K";
  case TileSize::Stages: return "stages";
  }
  return "";
}

int64_t &sizeOf(schedule::TileConfig &config, TileSize size) {
  switch (size) {
  case TileSize::BlockM: return config.blockM;
  case TileSize::BlockN: return config.blockN;
  case TileSize::BlockK: return config.blockK;
  case TileSize::Stages: break;
  }
  return config.stages;
}

std::vector<TileView> tilesOf(const FunctionView &function) {
  std::vector<TileView> views;
  if (!function.plan)
    return views;
  for (schedule::TileSite &site : schedule::tileSites(*function.result->program, function.index)) {
    TileView view{function, std::move(site), *schedule::tileDevice(*function.target()), {}};
    view.verdict = schedule::evaluate(view.site.problem, view.site.config, view.device);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<TileView> tileViews(const session::Snapshot &snapshot) {
  std::vector<TileView> views;
  if (!snapshot.schedule || !snapshot.result)
    return views;
  for (const FunctionView &function : functionsOf(snapshot))
    for (TileView &view : tilesOf(function))
      views.push_back(std::move(view));
  return views;
}

std::vector<TileConstant> constantsOf(const session::Snapshot &snapshot, const TileView &view) { return Tracer(snapshot, view).run(); }

} // namespace tilewright::features
