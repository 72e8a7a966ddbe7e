// Layout values: how the elements of a tensor are arranged in storage and shared out over a mesh. Pure mathematics on
// plain values; the algebra's post-conditions stand beside each function.
//
// A layout maps a coordinate of nested *modes* to an offset: offset = sum of coordinate * stride over the flattened modes. A tensor's
// layout groups its modes by logical axis (mode i of the top level belongs to axis i only when the counts agree; split axes are
// factored, so `64 @ ty` over 4 positions is the two modes `4 @ ty, 16`). A swizzle permutes the offset; a mesh binds modes to
// positions: each mesh axis splits one mode (S), repeats the value (B), or holds a partial result (P).
//
// Invariants of a TensorLayout:
// - The product of the modes is the number of elements of the tensor, and no mode crosses a logical axis (axisOfModes).
// - A split mode has exactly the extent of its mesh axis: what remains of the axis are modes of their own. A mode is split by at most
//   one mesh axis. (The result of index_select is the exception: its split mode is the whole axis.)
// - `strides` is congruent with `shape`. Plain and repeated layouts state them, unless declared as a nested `Layout` without. A split or
//   partial layout without strides is one declared without (meaning compact): it prints without, where a stated one prints with strides
//   even if they are compact.
// - A split mode of stride 0 means that each position has storage of its own (registers of a thread, shared memory of a CTA); any other
//   stride counts elements of storage the positions share.
// - `mesh` holds the levels that a state speaks of: a level of the scope whose axes all repeat the value is left out, unless that would
//   leave none (then the innermost level stays). `states` has one entry per axis of `mesh`.
// Thread rule: values.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::layout {

/// An integer or a nested tuple of them.
struct IntTuple {
  int64_t value = 0;
  std::vector<IntTuple> elements;
  bool isTuple = false;

  IntTuple() = default;
  IntTuple(int64_t v) : value(v) {}
  static IntTuple tuple(std::vector<IntTuple> elements);
  static IntTuple of(const std::vector<int64_t> &flat);
  std::vector<int64_t> flat() const;
  int64_t product() const;
  /// The same nesting with other leaves, taken in order; `leaves` has as many as flat().
  IntTuple congruent(const std::vector<int64_t> &leaves) const;
  bool operator==(const IntTuple &) const;
};

struct Swizzle {
  int bits = 0, base = 0, shift = 0;
  bool operator==(const Swizzle &) const = default;
};

struct Topology {
  std::string name;  // `cta`, `thread`, `gpu`
  int64_t extent = 0;
  bool operator==(const Topology &) const = default;
};

/// A named arrangement of the units of one or more topology levels. Positions are numbered row-major (last axis fastest) unless
/// strides say otherwise; `offset` is the first unit of a selection (`threads[1:3, :]` of (3, 128) starts at 128).
struct Mesh {
  std::vector<Topology> topologies;
  std::vector<int64_t> shape;    // extent of each axis
  std::vector<int64_t> strides;  // unit step of each axis
  int64_t offset = 0;
  bool composed = false;         // the layout was a slice or stated with strides: prints in full
  std::vector<std::string> names;

  int64_t positions() const;
  int axis(const std::string &name) const; // -1 if there is none
  /// The topology that an axis belongs to. Levels take axes from the left until their extents multiply to the level's own; an axis of
  /// extent 1 joins the level being filled. A mesh of one level gives it every axis.
  int levelOf(int axis) const;
  bool operator==(const Mesh &) const = default;
};

enum class StateKind : uint8_t { Broadcast, Split, Partial, Dynamic };
/// What one mesh axis does to a value.
struct AxisState {
  StateKind kind = StateKind::Broadcast;
  int mode = -1;                 // Split: the flattened mode that this axis divides
  std::string reduction;         // Partial: "sum", "max", ...
  bool operator==(const AxisState &) const = default;
};

struct TensorLayout {
  IntTuple shape;                    // modes, nested as written
  std::optional<IntTuple> strides;   // absent: not stated (compact where a position is needed)
  int64_t offset = 0;
  std::optional<Swizzle> swizzle;
  std::shared_ptr<const Mesh> mesh;  // null: not distributed
  std::vector<AxisState> states;     // one per axis of `mesh`
  bool explicitState = false;        // written with `@ {B()}`: prints its states even if all are Broadcast
  bool window = false;               // of a window into a shared-out value: `offset` is where the window begins, and no value made from it has it

  bool distributed() const { return mesh != nullptr; }
  bool operator==(const TensorLayout &) const; // meshes by value
};

/// Row-major strides: the last extent steps by 1.
std::vector<int64_t> compactStrides(const std::vector<int64_t> &extents);
/// The flat strides of a layout, compact where it states none.
std::vector<int64_t> flatStrides(const TensorLayout &layout);
/// A plain row-major layout with stated strides.
TensorLayout compact(const std::vector<int64_t> &shape);
/// Whether the strides are the row-major ones, those of modes of extent 1 included: `x[0:1, 0:4]` of 16 columns is not.
bool isCompact(const TensorLayout &layout);
/// Whether some state is a Split or a Partial.
bool isSharded(const TensorLayout &layout);

/// For each flattened mode the logical axis it belongs to; null if some mode crosses axes or the counts differ.
std::optional<std::vector<int>> axisOfModes(const std::vector<int64_t> &shape, const IntTuple &modes);

// ---- meshes
/// The part of a mesh at one of its levels, as a mesh of its own.
Mesh levelMesh(const Mesh &mesh, int level);
/// The scope of `inner` opened inside `outer`: levels that `inner` names replace those of `outer`, others stay in front. The result
/// numbers units as the device does: an outer axis steps over all units of the levels below.
Mesh compose(const Mesh &outer, const Mesh &inner);
/// The units of one level that a mesh takes, `first` and the `count` behind it; null if they are not consecutive.
struct UnitRange {
  int64_t first = 0, count = 0;
};
std::optional<UnitRange> unitsAt(const Mesh &mesh, int level);
/// Why the scope of `inner` cannot be opened inside `outer`: at a level that both name, each takes consecutive units and `inner` none that
/// `outer` does not have. Empty: it can.
std::string replacementProblem(const Mesh &outer, const Mesh &inner);
/// Whether two meshes are the same units in the same order; names of axes do not count.
bool sameUnits(const Mesh &a, const Mesh &b);
/// A box of positions: `threads[1:3, :]`. An axis taken by a plain index stays with extent 1. Null when a bound is outside its axis.
struct AxisRange {
  int64_t start = 0, stop = 0;
};
std::optional<Mesh> select(const Mesh &mesh, const std::vector<AxisRange> &ranges);
/// The box that selects `selected` from `mesh`, one range per axis of `mesh`.
std::vector<AxisRange> selectedRanges(const Mesh &mesh, const Mesh &selected);
/// The box of `mesh` whose positions `rearranged` arranges anew, first positions first.
std::vector<AxisRange> coveredRanges(const Mesh &mesh, const Mesh &rearranged);

// ---- shared-out values
/// An authored mode: `64 @ th.t` or `8`; `axes` holds the names after the `@`s, outermost first, as indexes into the mesh.
struct PlacedMode {
  int64_t extent = 0;
  std::vector<int> axes;
};
struct PlacedState { // `th.l @ P("sum")`
  int axis = -1;
  std::string reduction;
};
struct Placement {
  std::vector<PlacedMode> modes;
  std::optional<std::vector<int64_t>> strides; // one per mode once split axes are factored: `((4 @ th.w, 4, 16), (64, 16, 1))`
  std::vector<PlacedState> states;
  bool explicitState = false;                  // `@ {...}` was written, `{B()}` included
  int64_t offset = 0;
  std::optional<Swizzle> swizzle;
};
struct Sharded {
  TensorLayout layout;
  std::string error; // lower case; empty: fine
};
/// An authored placement as a layout of a tensor of this shape: split axes factored, unused levels dropped. `mesh` is the composed mesh
/// of the open scopes.
Sharded canonicalShard(const Placement &placement, const std::vector<int64_t> &shape, const Mesh &mesh);

/// What a mesh axis does to a logical axis, before modes are chosen.
struct LogicalState {
  StateKind kind = StateKind::Broadcast;
  int axis = -1;         // Split: the logical axis
  std::string reduction; // Partial
  bool operator==(const LogicalState &) const = default;
};
/// The states of a layout by logical axis.
std::vector<LogicalState> logicalStates(const TensorLayout &layout, const std::vector<int64_t> &shape);
/// The layout that factors each split axis into its mesh axes, in mesh order, and what remains, with compact strides over all of them.
/// Null if an extent does not divide.
std::optional<TensorLayout> factored(const std::vector<int64_t> &shape, const Mesh &mesh, const std::vector<LogicalState> &states);
/// Drops the levels that only repeat the value; see the invariants above.
TensorLayout withoutIdleLevels(TensorLayout layout);

/// The part of `shape` one unit of the last of `levels` holds: an axis split over a mesh axis of one of these levels (the unit's own and
/// the coarser ones) is divided by that axis's extent.
std::vector<int64_t> localShape(const TensorLayout &layout, const std::vector<int64_t> &shape,
                                const std::vector<std::string> &levels);

} // namespace tilewright::layout
