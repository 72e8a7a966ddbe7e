// Layout values: how the elements of a tensor are arranged in storage and shared out over a mesh. Pure mathematics on
// plain values; the algebra's post-conditions stand beside each function.
//
// A layout maps a coordinate of nested *modes* to an offset: offset = sum of coordinate * stride over the flattened modes. A tensor's
// layout groups its modes by logical axis (mode i of the top level belongs to axis i only when the counts agree; split axes are
// factored, so `64 @ ty` over 4 positions is the two modes `4 @ ty, 16`). A swizzle permutes the offset; a mesh binds modes to
// positions: each mesh axis splits one mode (S), repeats the value (B), or holds a partial result (P).
// Thread rule: values.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

  bool distributed() const { return mesh != nullptr; }
  bool operator==(const TensorLayout &) const; // meshes by value
};

} // namespace tilewright::layout
