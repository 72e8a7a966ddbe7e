// How the command line reads sources and says what is wrong with them.
#pragma once
#include "Compile.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::cli {

constexpr int kFine = 0, kRefused = 1, kUsage = 2;

struct Source {
  std::string path, selector; // FILE[:Module[.function]]
};
Source sourceNamed(const std::string &argument);

/// `tilewright: error: TEXT` on standard error.
int fail(int code, const std::string &text);

/// NAME=EXTENT arguments; says what is wrong with them and gives nothing if one is.
std::optional<std::map<std::string, int64_t>> dimensions(const std::vector<std::string> &arguments);

/// Reads the file that `FILE[:Module[.function]]` names, with the selector and the dimensions put into the options; says what is wrong with any of them.
std::optional<syntax::File> opened(const std::string &source, const std::vector<std::string> &dims, CompileOptions &options);

/// Reads the file; says why it cannot.
std::optional<syntax::File> read(const Source &source);

/// Prints diagnostics to standard error, as text with carets or as one JSON object. Each once, in order of place.
void print(std::vector<Diagnostic> diagnostics, const SourceText &source, bool json);

/// The target with this id; says which there are if there is none.
const target::Target *targetNamed(const std::string &id);

/// Writes an answer; says why it cannot. Returns the exit code.
int write(const std::string &out, std::string_view text);

/// Everything that was said about one root: spans in the file.
std::vector<Diagnostic> said(const syntax::File &file, const FunctionResult *result, const DiagnosticSink &sink);
bool hasErrors(const std::vector<Diagnostic> &diagnostics);

} // namespace tilewright::cli
