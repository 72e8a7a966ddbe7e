// How many elements of a buffer a set of windows covers together. A window is a box of fixed extents whose start is an index expression;
// its axes fall into groups that share variables, each group's distinct starts are found by running through its own variables only, and
// the groups multiply. Windows that may overlap are united as intervals (one axis) or boxes (more). Where running through the variables
// would take too long, isl counts instead, under an operations quota; where that does not settle either, the count is an upper bound.
// Thread rule: pure; one isl context per call.
#pragma once
#include "analysis/Enumerate.h"
#include "analysis/Report.h"

#include <cstdint>

namespace tilewright::analysis {

/// One window, where it is reached: the loops around it must run for it to be reached at all.
struct Reach {
  Window window;
  std::vector<VariableId> guards;
  bool widened = false;
  int64_t most = INT64_MAX; // elements, where data chooses among those of the window
};

struct Covered {
  int64_t elements = 0;
  Precision precision = Precision::Exact;
};

/// Elements of a buffer of `shape` that the windows cover.
Covered cover(Model &model, const std::vector<int64_t> &shape, std::vector<Reach> reaches, const Sweep &how);

/// Combined direction of two counts: exact is the identity, opposite bounds make an unknown.
Precision combine(Precision a, Precision b);

/// Volume of a union of boxes of equal rank; `boxes` holds a low and a high corner each.
struct Box {
  std::vector<int64_t> low, high;
};
int64_t volume(std::vector<Box> boxes);

} // namespace tilewright::analysis
