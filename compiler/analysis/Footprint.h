// The addresses of global memory that one wave touches: per call, and for a whole function with its callees. Loops stand at their first
// iteration unless a window asks for them to run.
// Thread rule: pure functions over one model.
#pragma once
#include "analysis/Access.h"
#include "analysis/Cover.h"

namespace tilewright::analysis {

/// One access of global memory by one call, windows resolved to the root buffer.
struct GlobalAccess {
  int instance = -1;
  ir::ValueId call = ir::kNone;
  int scope = -1;
  bool read = false;
  bool made = false;                    // written as a result: counted apart from what operands reach
  int root = -1;
  Reach reach;
  std::vector<int> loops;               // scopes of loops in which what is reached changes
  std::vector<VariableId> moves;        // coordinates on which it depends, splits included
};

/// Accesses of one call of a primitive op, operands in order, then results.
std::vector<GlobalAccess> accessesOf(Model &model, int instance, ir::ValueId call, int scope, const Movement &movement);
/// Accesses of a function in the order of the report: body by body, in the order in which the first call of each is met; a callee's body
/// is met where it is called.
std::vector<GlobalAccess> accessesOf(Model &model, int instance);

/// How roots are named: parameters and values by name, with the callee and the printed line where the name alone is ambiguous.
class Labels {
public:
  explicit Labels(const Model &model, int home);
  std::string of(int root) const;
  /// A row of a footprint for a root, without figures.
  Footprint::Buffer row(int root) const;

private:
  const Model &model_;
  int home_;
};
/// The label of a value inside its own function: `acc`, `acc:12`, `split[1]`.
std::string labelOf(const ir::FunctionPlan &plan, ir::ValueId value, int leaf);

Footprint footprintOf(Model &model, const std::vector<GlobalAccess> &call, const Labels &labels);
/// The function's footprint: reads and writes of a buffer are counted apart, as one wave touches them at its first iteration.
Footprint functionFootprint(Model &model, const std::vector<GlobalAccess> &all, const Labels &labels);

/// Bytes of one root that `accesses` reach, reads and writes counted apart.
struct RootBytes {
  int root = -1;
  int64_t bytes = 0;
};
std::vector<RootBytes> rootBytes(Model &model, const std::vector<GlobalAccess> &accesses, const Sweep &how, Precision &precision);

} // namespace tilewright::analysis
