// Syntax to HIR: the functions of a schedule module as MLIR, and their plan. Together with the files ImportX.cpp this is the only place
// that knows both the syntax and the IR.
//
// What a function body may say is Python's grammar cut down to values, loops over range and tf.tile, mesh scopes and one return. A
// statement is a value computed once; constants around it come from the evaluator (syntax/Constants.h). Regions (loops, mesh scopes) are
// closed: what they read from outside is captured by name, in alphabetical order, so a captured value exists before its region even if
// only a dead statement reads it.
#pragma once
#include "ir/Plan.h"
#include "layout/Print.h"
#include "support/Diagnostic.h"
#include "syntax/Constants.h"

#include <functional>
#include <map>
#include <string>

namespace tilewright::ir {

/// What an import types on its way, in a program that is refused in the end, too: what an editor can tell of a function that is being
/// written. Of the root function alone; spans are relative to its item.
struct ImportNotes {
  struct Name {
    Span span;                                   // where it is bound
    Type type;
    std::vector<layout::NamedMesh> scopes;       // open there, for its axes to have names
  };
  struct Schedule {
    Span call;                                   // the tf.schedule
    std::vector<Type> operands;
    std::vector<std::shared_ptr<const layout::Mesh>> scopes; // outermost first
  };
  std::vector<Name> names;
  std::vector<Schedule> schedules;
};
/// As printType of Plan.h prints it.
std::string printType(const ImportNotes::Name &name);

struct ImportOptions {
  std::map<std::string, int64_t> dims;           // values of DimVars
  std::vector<std::string> *statedDims = nullptr; // receives the name of every DimVar met
  /// The top-level item that a tree is of, for FunctionPlan::item; empty: all are the root's.
  std::function<size_t(const std::shared_ptr<const syntax::Tree> &tree)> itemOf = {};
  ImportNotes *notes = nullptr;
};

/// A module as its decorator and class body state it.
struct ModuleInfo {
  std::string name;
  const syntax::ModuleValue *value = nullptr;
  const target::Target *target = nullptr;   // null: none declared
  std::string targetName;                   // as written
  std::vector<layout::Topology> topologies; // coarsest first
  std::string entry;                        // name of the entry function
  std::vector<std::string> functions;       // @func members in order
  std::vector<std::string> openDims;        // DimVars its topologies need that are not bound
};
/// Reads the decorator. Problems go to the sink with spans relative to the item that defines the class.
ModuleInfo readModule(const syntax::ModuleValue &module, const ImportOptions &options, DiagnosticSink &sink);

/// The function a name in a module stands for, null if it is not one.
const syntax::FunctionValue *functionNamed(const syntax::ModuleValue &module, std::string_view name);

/// Imports a root function and everything it calls, verifies the MLIR and plans each function. Null when the program is refused; the
/// diagnostics' spans are relative to the item of the root function. `mlirText`, if given, receives the module as MLIR.
std::shared_ptr<const Program> importProgram(const ModuleInfo &module, std::string_view function, const ImportOptions &options, DiagnosticSink &sink,
                                             std::string *mlirText = nullptr);

} // namespace tilewright::ir
