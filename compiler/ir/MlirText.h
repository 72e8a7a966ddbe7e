// The hir and tir dialects as MLIR text: read, verified, printed. What `tilewright opt` does.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::ir {

/// Reads the text and verifies it; runs the passes in order: `verify` (again), `print-dsl` (the result is the canonical DSL text of every
/// function instead of MLIR). Null with `error` set to `line:col: message` when something is wrong.
std::optional<std::string> runOnMlirText(std::string_view text, const std::vector<std::string> &passes, std::string &error);

} // namespace tilewright::ir
