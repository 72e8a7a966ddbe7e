// TIR text to Program: the files that finalize writes, and what people make of them. Every name stands for a parameter, a buffer, a view,
// a ring, a loop variable or a mesh scope; anything else is a constant that the evaluator knows.
#pragma once
#include "ir/Tir.h"
#include "support/Diagnostic.h"
#include "syntax/Constants.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::ir::tir {

/// One kernel of a file in TIR form: functions under @prim_func, the root with those it calls. A module class is one kernel; of functions at the
/// top level each that no other calls is one.
struct Kernel {
  std::string module;                                // "" outside a class
  std::string root;
  std::vector<const syntax::FunctionValue *> functions; // in order of the file; the root among them
  const syntax::ModuleValue *value = nullptr;
};
/// The kernels of a file in order; empty if it is none in TIR form. Pointers live as long as the evaluation.
std::vector<Kernel> kernels(const syntax::Evaluation &evaluation);

/// Whether a module's functions are under @prim_func, so that it is no HIR module.
bool holdsTir(const syntax::ModuleValue &module);

struct Imported {
  Program program;
  std::vector<std::string> header; // the comment lines above the root function, or above the imports
};
/// Reads one kernel. Spans of what goes to the sink are in the file; null when it is refused.
std::optional<Imported> importKernel(const syntax::File &file, const Kernel &kernel, DiagnosticSink &sink);

} // namespace tilewright::ir::tir
