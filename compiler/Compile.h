// The facade: text and options in, every form and all diagnostics out. The command line and the server call nothing below it but
// plain data. Results of functions are memoised in a Memo by content, so that an edit re-analyses one function.
// Thread rule: compile() may run on any thread; one Memo serves one document at a time.
#pragma once
#include "analysis/Report.h"
#include "ir/Import.h"
#include "schedule/Candidates.h"
#include "support/Cancel.h"
#include "syntax/Constants.h"
#include "syntax/Parser.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

struct CompileOptions {
  analysis::Options analysis;                        // families, operands, topology
  std::string selector;                              // "", "Module" or "Module.function"
  std::map<std::string, int64_t> dims;               // --dim NAME=EXTENT
  bool inPlace = false;                              // of the TIR form: leave out copies that are proven to be none
};

/// One analyzed root function.
struct FunctionResult {
  size_t item = 0;                                   // top-level item of its definition
  std::string module, name;
  bool entry = false;
  Span nameSpan, definition;                         // relative to the item
  std::shared_ptr<const ir::Program> program;        // null: refused before a plan existed
  const target::Target *target = nullptr;            // of its module; null: none is stated
  std::vector<ir::ImportNotes::Name> typed;          // of a refused function: what could be typed all the same
  std::shared_ptr<const analysis::Report> report;    // null: refused, or the module states no target
  std::vector<Diagnostic> diagnostics;               // spans relative to the item
};

/// Everything known about one version of a file.
struct CompileResult {
  syntax::File file;
  std::shared_ptr<const syntax::Evaluation> evaluation;
  bool isSchedule = false;                           // imports the DSL; other files get no diagnostics
  std::vector<std::shared_ptr<const FunctionResult>> functions;
  std::vector<Diagnostic> diagnostics;               // all of them, spans in the file, in order of place
};

class Memo {
public:
  Memo();
  ~Memo();
  Memo(Memo &&) noexcept;
  struct State;
  State &state() { return *state_; }

private:
  std::unique_ptr<State> state_;
};

/// Analyzes every function of every module of the file (the editor's view).
CompileResult compileFile(const syntax::File &file, const CompileOptions &options, Memo &memo, const CancelToken &cancel = {});

/// What the statements of the function around `offset` are typed as, and where it is: of a text that is being typed, without memo and reports.
struct TypeNotes {
  const target::Target *target = nullptr;
  size_t item = 0;
  ir::ImportNotes notes;
};
std::optional<TypeNotes> typeNotes(const syntax::File &file, uint32_t offset, const CompileOptions &options);

/// Analyzes the one root that a command names: the module (the only one, or the selector's) and its entry or the named function.
/// Failures of selection go to the sink with an empty span.
std::shared_ptr<const FunctionResult> compileRoot(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink);

/// What could implement each unscheduled statement of a program.
struct SiteReport {
  std::shared_ptr<const ir::Program> program;
  std::vector<schedule::Site> sites;
  schedule::LineOf lineOf;                           // lines of the file
};
/// The sites of the one root that a command names. Null when it is refused; a program without any is, too.
std::optional<SiteReport> compileSites(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink);

/// Forms a program can be printed in.
enum class EmitForm : uint8_t { Ast, Hir, Tir, MlirHir, MlirTir };
std::optional<EmitForm> formNamed(std::string_view name); // "ast", "hir", "tir", "mlir-hir", "mlir-tir"

/// The file (Ast) or the root that a command names (the others) as text; nullopt when it was refused. A file of TIR is its own Tir form.
std::optional<std::string> emitForm(const syntax::File &file, EmitForm form, const CompileOptions &options, DiagnosticSink &sink);

/// What came from where: bytes of the file, and the lines of the form that they became, `[firstLine, endLine)` counted from 0.
struct FormMapping {
  Span source;
  uint32_t firstLine = 0, endLine = 0;
};
struct FormText {
  std::string text;
  std::vector<FormMapping> map; // in order of lines; the ranges do not overlap
};
/// The root that a command names in this form (Hir or Tir), with where each line comes from. Nullopt when it was refused. The Tir form of a file of
/// TIR is the file itself, printed canonically.
std::optional<FormText> formText(const syntax::File &file, EmitForm form, const CompileOptions &options, DiagnosticSink &sink);
/// The finalized program of the schedule that a command names; a file of TIR has none.
std::optional<FormText> finalizedText(const syntax::File &file, const CompileOptions &options, DiagnosticSink &sink);

/// Reads MLIR text of the hir or tir dialect, verifies it and prints it again, or as DSL text with pass "print-dsl". On failure `error` says
/// what is wrong, with line and column.
std::optional<std::string> optimize(std::string_view mlir, const std::vector<std::string> &passes, std::string &error);

} // namespace tilewright
