#include "analysis/Cover.h"

#include "analysis/Sets.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tilewright::analysis {

Precision combine(Precision a, Precision b) {
  if (a == Precision::Exact || a == b)
    return b;
  return b == Precision::Exact ? a : Precision::Unknown;
}

namespace {

constexpr size_t kMostBoxes = 20'000;
constexpr int64_t kMostStridedElements = 100'000;

/// Axes whose starts move together, and the distinct starts they take.
struct Group {
  std::vector<size_t> axes;
  std::vector<VariableId> variables;
  std::vector<std::vector<int64_t>> starts;
  bool reached = false;
};

struct Product {
  std::vector<WindowAxis> axes;
  std::vector<Group> groups;
  Precision precision = Precision::Exact;
  bool empty = false;
  int64_t bound = -1; // not listed: at most this many elements
};

int64_t boxElements(const std::vector<WindowAxis> &axes, const std::vector<size_t> &which) {
  int64_t elements = 1;
  for (size_t axis : which)
    elements *= axes[axis].extent;
  return elements;
}

int64_t intervals(std::vector<std::pair<int64_t, int64_t>> spans) {
  std::sort(spans.begin(), spans.end());
  int64_t covered = 0, end = INT64_MIN;
  for (auto [low, high] : spans) {
    low = std::max(low, end);
    if (high > low) {
      covered += high - low;
      end = high;
    }
  }
  return covered;
}

/// Equal boxes on a grid of their own size do not overlap unless they are the same.
bool onGrid(const std::vector<Box> &boxes) {
  const Box &first = boxes.front();
  for (const Box &box : boxes)
    for (size_t axis = 0; axis < first.low.size(); ++axis) {
      int64_t extent = first.high[axis] - first.low[axis];
      if (extent <= 0 || box.high[axis] - box.low[axis] != extent || (box.low[axis] - first.low[axis]) % extent != 0)
        return false;
    }
  return true;
}

int64_t slabs(const std::vector<const Box *> &boxes, size_t axis, size_t rank) {
  if (axis + 1 == rank) {
    std::vector<std::pair<int64_t, int64_t>> spans;
    for (const Box *box : boxes)
      spans.push_back({box->low[axis], box->high[axis]});
    return intervals(std::move(spans));
  }
  std::vector<int64_t> cuts;
  for (const Box *box : boxes) {
    cuts.push_back(box->low[axis]);
    cuts.push_back(box->high[axis]);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  int64_t covered = 0, lastCovered = 0;
  std::vector<const Box *> last;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    std::vector<const Box *> active;
    for (const Box *box : boxes)
      if (box->low[axis] <= cuts[i] && box->high[axis] >= cuts[i + 1])
        active.push_back(box);
    if (active.empty())
      continue;
    if (active != last) {
      lastCovered = slabs(active, axis + 1, rank);
      last = std::move(active);
    }
    covered += lastCovered * (cuts[i + 1] - cuts[i]);
  }
  return covered;
}

/// The windows of one reach as a product of groups. A window that does not lie in the root reaches nothing of it.
Product expand(Model &model, const std::vector<int64_t> &shape, const Reach &reach, const Sweep &how) {
  Product product;
  product.axes = reach.window.axes;
  if (reach.widened)
    product.precision = Precision::UpperBound;
  std::vector<Group> groups;
  auto join = [&](std::vector<VariableId> variables, int axis) {
    Group fresh;
    fresh.variables = together(model, variables, how);
    if (axis >= 0)
      fresh.axes.push_back(static_cast<size_t>(axis));
    for (size_t i = groups.size(); i-- > 0;) {
      std::vector<VariableId> shared;
      std::set_intersection(groups[i].variables.begin(), groups[i].variables.end(), fresh.variables.begin(), fresh.variables.end(), std::back_inserter(shared));
      if (shared.empty())
        continue;
      std::vector<VariableId> both;
      std::set_union(groups[i].variables.begin(), groups[i].variables.end(), fresh.variables.begin(), fresh.variables.end(), std::back_inserter(both));
      fresh.variables = std::move(both);
      fresh.axes.insert(fresh.axes.end(), groups[i].axes.begin(), groups[i].axes.end());
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::sort(fresh.axes.begin(), fresh.axes.end());
    groups.push_back(std::move(fresh));
  };
  for (size_t axis = 0; axis < product.axes.size(); ++axis) {
    if (!model.index.known(product.axes[axis].start)) {
      // A start nobody knows stands still: one window along this axis.
      product.axes[axis].start = model.index.constant(0);
      product.precision = combine(product.precision, Precision::UpperBound);
    }
    join(model.index.used(product.axes[axis].start), static_cast<int>(axis));
  }
  for (VariableId guard : reach.guards)
    join({guard}, -1);
  // A window that is larger than the root speaks of another arrangement of its elements.
  bool judged = reach.window.frame == 0 && product.axes.size() == shape.size();
  for (size_t axis = 0; judged && axis < shape.size(); ++axis)
    judged = (product.axes[axis].extent - 1) * product.axes[axis].step < shape[axis];
  for (Group &group : groups) {
    std::set<std::vector<int64_t>> distinct;
    std::vector<int64_t> start(group.axes.size());
    Swept swept = sweep(model, group.variables, how, [&](std::span<const int64_t> values) {
      group.reached = true;
      if (group.axes.empty())
        return;
      for (size_t i = 0; i < group.axes.size(); ++i) {
        const WindowAxis &axis = product.axes[group.axes[i]];
        start[i] = model.index.evaluate(axis.start, values);
        if (judged && (start[i] < 0 || start[i] + (axis.extent - 1) * axis.step >= shape[group.axes[i]]))
          return;
      }
      distinct.insert(start);
    });
    if (swept != Swept::Done) {
      std::vector<WindowAxis> moving;
      for (size_t axis : group.axes)
        moving.push_back(product.axes[axis]);
      std::optional<int64_t> counted = group.axes.size() == 1 && swept == Swept::TooMany ? countWithSets(model, moving[0], group.variables, how) : std::nullopt;
      group.reached = true;
      if (counted) {
        product.bound = (product.bound < 0 ? 1 : product.bound) * *counted;
      } else {
        product.precision = combine(product.precision, Precision::UpperBound);
        product.bound = (product.bound < 0 ? 1 : product.bound) * std::max<int64_t>(static_cast<int64_t>(distinct.size()), 1) * boxElements(product.axes, group.axes);
      }
      group.axes.clear();
      continue;
    }
    product.empty = product.empty || !group.reached || (!group.axes.empty() && distinct.empty());
    group.starts.assign(distinct.begin(), distinct.end());
  }
  product.groups = std::move(groups);
  return product;
}

/// The boxes of one group; strided windows fall apart into their elements.
std::optional<std::vector<Box>> boxesOf(const std::vector<WindowAxis> &axes, const std::vector<size_t> &which, const std::vector<std::vector<int64_t>> &starts) {
  int64_t pieces = 1;
  for (size_t axis : which)
    if (axes[axis].step != 1)
      pieces *= axes[axis].extent;
  if (pieces * static_cast<int64_t>(starts.size()) > kMostStridedElements)
    return std::nullopt;
  std::vector<Box> boxes;
  for (const std::vector<int64_t> &start : starts)
    for (int64_t piece = 0; piece < pieces; ++piece) {
      Box box;
      int64_t rest = piece;
      for (size_t i = 0; i < which.size(); ++i) {
        const WindowAxis &axis = axes[which[i]];
        int64_t low = start[i], extent = axis.extent;
        if (axis.step != 1) {
          low += rest % axis.extent * axis.step;
          rest /= axis.extent;
          extent = 1;
        }
        box.low.push_back(low);
        box.high.push_back(low + extent);
      }
      boxes.push_back(std::move(box));
    }
  return boxes;
}

int64_t count(Product &product) {
  if (product.empty)
    return 0;
  int64_t elements = product.bound < 0 ? 1 : product.bound;
  for (const Group &group : product.groups) {
    if (group.axes.empty())
      continue;
    int64_t own = boxElements(product.axes, group.axes);
    if (group.starts.size() > 1) {
      if (std::optional<std::vector<Box>> boxes = boxesOf(product.axes, group.axes, group.starts)) {
        own = volume(std::move(*boxes));
      } else {
        own *= static_cast<int64_t>(group.starts.size());
        product.precision = combine(product.precision, Precision::UpperBound);
      }
    }
    elements *= own;
  }
  return elements;
}

/// All windows of several products as boxes over the axes on which they differ; nothing if there would be too many.
std::optional<std::vector<Box>> boxesOf(const std::vector<Product> &products, const std::vector<size_t> &differing) {
  std::vector<Box> all;
  for (const Product &product : products) {
    if (product.bound >= 0)
      return std::nullopt;
    std::vector<std::vector<int64_t>> starts{std::vector<int64_t>(product.axes.size(), 0)};
    for (const Group &group : product.groups) {
      bool matters = false;
      for (size_t axis : group.axes)
        matters = matters || std::find(differing.begin(), differing.end(), axis) != differing.end();
      if (!matters)
        continue;
      if (starts.size() * group.starts.size() > kMostBoxes)
        return std::nullopt;
      std::vector<std::vector<int64_t>> next;
      for (const std::vector<int64_t> &base : starts)
        for (const std::vector<int64_t> &start : group.starts) {
          next.push_back(base);
          for (size_t i = 0; i < group.axes.size(); ++i)
            next.back()[group.axes[i]] = start[i];
        }
      starts = std::move(next);
    }
    for (std::vector<int64_t> &start : starts) {
      std::vector<int64_t> kept;
      for (size_t axis : differing)
        kept.push_back(start[axis]);
      start = std::move(kept);
    }
    std::optional<std::vector<Box>> boxes = boxesOf(product.axes, differing, starts);
    if (!boxes || all.size() + boxes->size() > kMostBoxes)
      return std::nullopt;
    all.insert(all.end(), boxes->begin(), boxes->end());
  }
  return all;
}

/// The windows with one group listed in full on an axis: equal groups of two products need no listing.
bool sameOn(const Product &a, const Product &b, size_t axis) {
  if (a.axes[axis].extent != b.axes[axis].extent || a.axes[axis].step != b.axes[axis].step)
    return false;
  const Group *left = nullptr, *right = nullptr;
  for (const Group &group : a.groups)
    if (std::find(group.axes.begin(), group.axes.end(), axis) != group.axes.end())
      left = &group;
  for (const Group &group : b.groups)
    if (std::find(group.axes.begin(), group.axes.end(), axis) != group.axes.end())
      right = &group;
  return left && right && left->axes == right->axes && left->starts == right->starts;
}
} // namespace

int64_t volume(std::vector<Box> boxes) {
  if (boxes.empty())
    return 0;
  auto before = [](const Box &a, const Box &b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); };
  auto same = [](const Box &a, const Box &b) { return a.low == b.low && a.high == b.high; };
  std::sort(boxes.begin(), boxes.end(), before);
  boxes.erase(std::unique(boxes.begin(), boxes.end(), same), boxes.end());
  size_t rank = boxes.front().low.size();
  if (rank == 0)
    return 1;
  if (onGrid(boxes)) {
    int64_t one = 1;
    for (size_t axis = 0; axis < rank; ++axis)
      one *= boxes.front().high[axis] - boxes.front().low[axis];
    return one * static_cast<int64_t>(boxes.size());
  }
  std::vector<const Box *> all;
  for (const Box &box : boxes)
    all.push_back(&box);
  return slabs(all, 0, rank);
}

Covered cover(Model &model, const std::vector<int64_t> &shape, std::vector<Reach> reaches, const Sweep &how) {
  Covered covered;
  int64_t whole = elementsOf(shape);
  int64_t chosen = 0; // by data: counted apart, since nobody knows where they lie
  for (size_t i = 0; i < reaches.size();) {
    if (reaches[i].most == INT64_MAX) {
      ++i;
      continue;
    }
    Reach one = reaches[i];
    one.most = INT64_MAX;
    Covered window = cover(model, shape, {one}, how);
    covered.precision = combine(covered.precision, window.precision);
    chosen = std::max(chosen, std::min(window.elements, reaches[i].most));
    reaches.erase(reaches.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (chosen > 0) {
    Covered rest = cover(model, shape, std::move(reaches), how);
    rest.elements = std::min(whole, rest.elements + chosen);
    rest.precision = combine(rest.precision, covered.precision);
    return rest;
  }
  std::vector<Reach> distinct;
  for (Reach &reach : reaches) {
    bool seen = false;
    for (const Reach &other : distinct)
      seen = seen || (other.window == reach.window && other.guards == reach.guards && other.widened == reach.widened);
    if (!seen)
      distinct.push_back(std::move(reach));
  }
  std::vector<Product> products;
  bool oneFrame = true;
  for (const Reach &reach : distinct) {
    oneFrame = oneFrame && reach.window.frame == distinct.front().window.frame && reach.window.axes.size() == distinct.front().window.axes.size();
    products.push_back(expand(model, shape, reach, how));
    covered.precision = combine(covered.precision, products.back().precision);
  }
  std::erase_if(products, [](const Product &product) { return product.empty; });
  if (products.empty())
    return covered;
  if (products.size() == 1) {
    covered.elements = count(products.front());
    covered.precision = combine(covered.precision, products.front().precision);
    return covered;
  }
  std::vector<int64_t> each;
  for (Product &product : products) {
    each.push_back(count(product));
    if (each.back() >= whole && product.precision == Precision::Exact) {
      covered.elements = each.back();
      return covered;
    }
  }
  if (oneFrame) {
    std::vector<size_t> differing;
    for (size_t axis = 0; axis < products.front().axes.size(); ++axis) {
      bool same = true;
      for (size_t i = 1; i < products.size(); ++i)
        same = same && sameOn(products.front(), products[i], axis);
      if (!same)
        differing.push_back(axis);
    }
    // Axes in one group with a differing axis are listed with it.
    for (size_t i = 0; i < differing.size(); ++i)
      for (const Product &product : products)
        for (const Group &group : product.groups)
          if (std::find(group.axes.begin(), group.axes.end(), differing[i]) != group.axes.end())
            for (size_t axis : group.axes)
              if (std::find(differing.begin(), differing.end(), axis) == differing.end())
                differing.push_back(axis);
    std::sort(differing.begin(), differing.end());
    if (differing.empty()) {
      covered.elements = each.front();
      return covered;
    }
    if (std::optional<std::vector<Box>> boxes = boxesOf(products, differing)) {
      int64_t elements = volume(std::move(*boxes));
      Product rest = products.front();
      std::erase_if(rest.groups, [&](const Group &group) { return !group.axes.empty() && std::find(differing.begin(), differing.end(), group.axes.front()) != differing.end(); });
      covered.elements = elements * count(rest);
      return covered;
    }
  }
  covered.elements = std::min(whole, std::accumulate(each.begin(), each.end(), int64_t{0}));
  covered.precision = combine(covered.precision, Precision::UpperBound);
  return covered;
}

} // namespace tilewright::analysis
