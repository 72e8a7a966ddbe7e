// Which values share bytes. Views and forwards always name the bytes of another value. Beyond that a value may take the place of another
// that is not needed any more: a carried value that of its initial value, what a loop yields that of the carried value, an insert_slice
// that of its destination, its update the window it will be written to, and an elementwise result that of an operand.
//
// A tie joins A to B when B is over before A begins, B belongs to no caller, both lie in one storage and A fits. At equal events the op that
// makes A must read what it reads of B at the very element it writes.
// Thread rule: pure functions.
#pragma once
#include "analysis/Liveness.h"

namespace tilewright::analysis {

struct Aliases {
  Liveness live;                    // with the values of callees, at their places on this timeline
  std::vector<int> root;            // by live value: the live value that stands for the shared bytes
  std::vector<int> stated;          // the same, results that take the place of an operand apart: in registers that is a compiler's choice
  std::vector<bool> joined;         // by live value: an insert_slice or call result that lies in another value's place
  std::vector<int64_t> bytes;       // by root: the largest member
  std::vector<bool> boundary;       // by root: belongs to the caller (a formal parameter or a returned value)
};

/// `callees` by function index; those of the functions that `function` calls are complete.
Aliases aliasesOf(const Model &model, int instance, const std::vector<Aliases> &callees, bool entry);

} // namespace tilewright::analysis
