// Counting with isl where running through the variables takes too long. isl objects live inside one call; a quota on operations ends
// those that do not settle.
#pragma once
#include "analysis/Enumerate.h"

#include <optional>

namespace tilewright::analysis {

/// Elements that a window moving along one axis covers, over all values of `variables`; nothing if isl does not settle it.
std::optional<int64_t> countWithSets(const Model &model, const WindowAxis &axis, const std::vector<VariableId> &variables, const Sweep &how);

} // namespace tilewright::analysis
