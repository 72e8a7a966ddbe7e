// When each value needs its bytes: positions on one timeline of the function. Every value is one event, in the order of the plan;
// entering a mesh is two (its arguments are read, then its parameters exist), a loop two more at its end (the back edge reads what is
// yielded, then it leaves), and the result of a region one. A call reads its arguments, runs the events of its callee, then defines its
// result. What a region reads from outside is a value of its own that names the same bytes.
// Thread rule: pure functions over one model.
#pragma once
#include "analysis/Scopes.h"

#include <map>

namespace tilewright::analysis {

struct LiveValue {
  enum class Kind : uint8_t { Parameter, Result, Carry, Capture, Forward, Foreign } kind = Kind::Result;
  ir::ValueId value = ir::kNone;
  int leaf = 0;
  ir::RegionId region = 0;        // the body that holds it
  const ir::TensorType *type = nullptr;
  int64_t bytes = 0;              // all copies
  int64_t copies = 1;
  int64_t slot = 0;               // from one copy to the next: each copy is aligned on its own
  int start = 0, end = 0;
  bool persistent = false;
  int names = -1;                 // the live value whose bytes it names, whatever is decided later
  bool sameCoordinates = true;    // and whether element i of it is element i of that
  std::vector<int> uses;
  bool listed = false;            // a row of the report
  const ir::FunctionPlan *owner = nullptr; // Foreign: the callee whose value it is, and which
  ir::ValueId ownerValue = ir::kNone;
};

struct RegionEvents {
  int enter = -1, begin = -1, back = -1, exit = -1, defined = -1;
};

struct CallEvents {
  ir::ValueId call = ir::kNone;
  int origin = 0;                 // event at which the callee's first event stands
  int defined = 0;
};

struct Liveness {
  std::vector<LiveValue> values;
  std::vector<RegionEvents> regions;
  std::vector<CallEvents> calls;
  int events = 0;
  std::map<std::pair<ir::ValueId, int>, int> defining;                // value, leaf -> its own live value
  std::map<std::tuple<ir::ValueId, int, ir::RegionId>, int> visible;  // as seen from a region
  /// Values that a mesh or a loop hands out, when more than one: rows of the report without a printed line, before the item that first
  /// needs them (or at the end of the body that does).
  struct Projection {
    ir::RegionId from = ir::kNone;
    ir::ValueId value = ir::kNone;
    int index = 0;
  };
  std::map<std::pair<ir::ValueId, ir::RegionId>, std::vector<Projection>> projections; // keyed by the item, or endOf(body)
  static std::pair<ir::ValueId, ir::RegionId> endOf(ir::RegionId body) { return {ir::kNone, -2 - body}; }
  std::map<ir::RegionId, std::vector<ir::ValueId>> exports;           // of each mesh, in order of use

  int seenFrom(ir::ValueId value, int leaf, ir::RegionId region) const;
};

Liveness livenessOf(const Model &model, size_t function, const std::vector<Liveness> &callees);

} // namespace tilewright::analysis
