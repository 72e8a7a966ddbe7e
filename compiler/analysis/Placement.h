// Where the buffers of global and shared memory lie, and how much each storage holds at its fullest.
//
// Parameters lie first in global memory, in order. Then, among values that are alive together: two that meet only pairwise, the one that
// begins later lies low; three or more that all meet, first fit in order of their beginning, larger first, then in order of the plan.
// Ends count as alive. Registers are not placed: what counts is what is alive at once, per mesh that owns it.
// Thread rule: pure functions.
#pragma once
#include "analysis/Aliases.h"
#include "analysis/Report.h"
#include "target/Target.h"

namespace tilewright::analysis {

/// One buffer to place: when it is alive and how large it is.
struct Tenant {
  std::vector<std::pair<int, int>> alive; // inclusive
  int64_t bytes = 0, align = 16;
  int order = 0;
  int64_t offset = -1;                    // fixed if not negative
};
/// Gives every tenant an offset; returns the peak. `smallest`: of several orders take the one with the lowest peak.
int64_t placeTenants(std::vector<Tenant> &tenants, bool smallest);

struct Placed {
  std::vector<Peak> peaks;
  std::vector<MeshRecord> meshes;
  std::vector<Lifetime> lifetimes;
  std::map<ir::ValueId, std::vector<int64_t>> offsets;
  std::map<ir::ValueId, int64_t> bufferBytes;
  std::vector<int64_t> addresses;         // by live value: where the bytes it stands for lie; -1: nowhere
};

/// `moved`: storages that have traffic, which the peaks list too.
Placed placementOf(const Model &model, int instance, const Aliases &aliases, const std::vector<std::string> &moved, const target::Target &target);

} // namespace tilewright::analysis
