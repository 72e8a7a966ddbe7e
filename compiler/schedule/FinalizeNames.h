// Names of a finalized function. Two rules meet: what finalize makes is numbered as it is made (`value`, `value_1`), and what stands under
// one name in several places (a loop variable, a buffer declared again in another scope) is numbered as it prints (`n`, `n_2`).
// Thread rule: values.
#pragma once
#include "ir/Tir.h"

#include <set>
#include <string>

namespace tilewright::schedule {

class Names {
public:
  /// `stem`, else the first of `stem_1`, `stem_2`, ... that nothing has; it is taken from now on.
  std::string fresh(const std::string &stem);

private:
  std::set<std::string> taken_;
};

/// Makes the names of a function unique in the order in which they print: the second `n` becomes `n_2`.
void uniteNames(ir::tir::Function &function);

} // namespace tilewright::schedule
