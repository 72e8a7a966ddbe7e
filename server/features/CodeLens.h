// What stands above a function: its predicted time and waves, and what other rows of Lenses.def say of it.
#pragma once
#include "features/Values.h"

#include <string>
#include <vector>

namespace tilewright::features {

struct CodeLens {
  Span span;         // in the file: the name of the function
  std::string title;
};
/// In order of place; of one function in the order of Lenses.def.
std::vector<CodeLens> codeLenses(const session::Snapshot &snapshot);

namespace lenses {
/// Each says what it knows of one function, as titles.
#define TW_LENS(Name) std::vector<std::string> Name(const session::Snapshot &snapshot, const FunctionView &function);
#include "features/Lenses.def"
} // namespace lenses

} // namespace tilewright::features
