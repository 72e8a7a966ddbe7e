// What one occurrence of an op computes: floating-point operations by dtype and the other kinds (integer, predicate, select, special), as
// written and as one unit of each level does them. Movement is Access.h.
// Thread rule: pure functions.
#pragma once
#include "analysis/Report.h"
#include "analysis/Scopes.h"

namespace tilewright::analysis {

/// Work of one call of a primitive op; `total` is the selected unit's share on `positions` units.
ComputeCost workOf(const ir::FunctionPlan &plan, ir::ValueId value, const Levels &levels, int64_t positions);

} // namespace tilewright::analysis
