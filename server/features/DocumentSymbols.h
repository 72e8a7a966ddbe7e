// The outline of a schedule: modules, functions, their mesh scopes, loops and values, and the constants around them.
#pragma once
#include "session/Snapshot.h"

#include <string>
#include <vector>

namespace tilewright::features {

enum class SymbolKind : uint8_t { Module, Function, Kernel, Class, Mesh, Loop, Value, Parameter, Constant };
struct Symbol {
  std::string name, detail;
  SymbolKind kind = SymbolKind::Value;
  Span span, selection;  // in the file; the selection lies inside the span
  std::vector<Symbol> children;
};
std::vector<Symbol> documentSymbols(const session::Snapshot &snapshot);

} // namespace tilewright::features
