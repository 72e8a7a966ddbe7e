// What is wrong with the user's program. A phase that finds something wrong adds a Diagnostic to the sink it
// was given and returns the best value it has; nothing is thrown. Every code is a row of Diagnostics.def.
// Thread rule: a sink belongs to one analysis.
#pragma once
#include "support/Source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class Severity : uint8_t { Error, Warning, Information, Hint };

/// The rows of Diagnostics.def. Who names one includes Codes.h; everyone else is not rebuilt when a row is added.
enum class Code : uint16_t;

struct CodeInfo {
  std::string_view spelling;    // `smem-over-capacity`
  Severity severity;            // as the editor shows it
  std::string_view explanation; // one paragraph, for `tilewright explain`
};
const CodeInfo &info(Code code);
/// The code with this spelling, if there is one.
std::optional<Code> codeNamed(std::string_view spelling);
size_t codeCount();

struct Edit {
  Span span;
  std::string text;
};
struct Fix {
  std::string title;
  std::vector<Edit> edits;
};
/// A second place that explains the first: the declaration, the limit.
struct Related {
  Span span;
  std::string message;
};

struct Diagnostic {
  Code code;
  Severity severity;
  Span span;
  std::string message; // lower case, no full stop: what was seen, then the limit and whose it is
  std::vector<Related> related;
  std::vector<Fix> fixes;
};

class DiagnosticSink {
public:
  Diagnostic &add(Code code, Span span, std::string message);
  bool hasErrors() const { return errors_ > 0; }
  const std::vector<Diagnostic> &all() const { return all_; }
  std::vector<Diagnostic> take();
  /// Adds what another phase found, its spans moved by `shift`.
  void append(const std::vector<Diagnostic> &more, uint32_t shift = 0);

private:
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
};

/// Spans of a diagnostic and all its parts moved by `shift` bytes.
Diagnostic shifted(Diagnostic diagnostic, uint32_t shift);

/// `path:line:col: error[code]: message` with the source line and a caret line, as printed to a terminal.
std::string render(const Diagnostic &diagnostic, const SourceText &source);

} // namespace tilewright
