// What the dialect `tir` does for a program in plain data: its text as MLIR, and the verdict of its verifiers.
// Thread rule: each call has an MLIR context of its own.
#pragma once
#include "ir/Tir.h"
#include "support/Diagnostic.h"

#include <string>
#include <vector>

namespace tilewright::ir::tir {

/// The program in the dialect; `header` goes along as an attribute of the module.
std::string printMlir(const Program &program, const std::vector<std::string> &header);

/// Whether the program keeps the rules of the form. What is wrong goes to the sink as verifier-error, at the span of its statement.
bool verify(const Program &program, DiagnosticSink &sink);

} // namespace tilewright::ir::tir
