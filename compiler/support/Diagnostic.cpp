#include "support/Diagnostic.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright {
namespace {
constexpr std::array kCodes = {
#define TW_DIAGNOSTIC(Name, Spelling, Level, Explanation) CodeInfo{Spelling, Severity::Level, Explanation},
#include "support/Diagnostics.def"
};

std::string_view severityName(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Information: return "information";
  case Severity::Hint: return "hint";
  }
  return "error";
}

void appendPlace(std::string &out, const SourceText &source, Span span, std::string_view label, const std::string &message) {
  LineColumn at = source.at(span.begin);
  out += source.path() + ":" + std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1) + ": ";
  out += label;
  out += ": " + message + "\n";
  std::string_view line = source.line(at.line);
  constexpr size_t kWidest = 400; // a longer line would bury its caret
  if (line.size() > kWidest)
    return;
  out += "  ";
  out += line;
  out += "\n  ";
  for (uint32_t i = 0; i < at.column && i < line.size(); ++i)
    if ((line[i] & 0xC0) != 0x80)
      out += line[i] == '\t' ? '\t' : ' ';
  uint32_t stop = std::min<uint32_t>(static_cast<uint32_t>(line.size()), at.column + std::max<uint32_t>(span.size(), 1));
  out += '^';
  for (uint32_t i = at.column + 1; i < stop; ++i)
    if ((line[i] & 0xC0) != 0x80)
      out += '~';
  out += '\n';
}
} // namespace

const CodeInfo &info(Code code) { return kCodes[static_cast<size_t>(code)]; }

std::optional<Code> codeNamed(std::string_view spelling) {
  for (size_t i = 0; i < kCodes.size(); ++i)
    if (kCodes[i].spelling == spelling)
      return static_cast<Code>(i);
  return std::nullopt;
}

size_t codeCount() { return kCodes.size(); }

Diagnostic &DiagnosticSink::add(Code code, Span span, std::string message) {
  all_.push_back({code, info(code).severity, span, std::move(message), {}, {}});
  errors_ += all_.back().severity == Severity::Error;
  return all_.back();
}

std::vector<Diagnostic> DiagnosticSink::take() {
  errors_ = 0;
  return std::exchange(all_, {});
}

void DiagnosticSink::append(const std::vector<Diagnostic> &more, uint32_t shift) {
  for (const Diagnostic &one : more) {
    all_.push_back(shifted(one, shift));
    errors_ += one.severity == Severity::Error;
  }
}

Diagnostic shifted(Diagnostic diagnostic, uint32_t shift) {
  diagnostic.span = diagnostic.span.shifted(shift);
  for (Related &place : diagnostic.related)
    place.span = place.span.shifted(shift);
  for (Fix &fix : diagnostic.fixes)
    for (Edit &edit : fix.edits)
      edit.span = edit.span.shifted(shift);
  return diagnostic;
}

std::string render(const Diagnostic &diagnostic, const SourceText &source) {
  std::string out, label(severityName(diagnostic.severity));
  label += "[" + std::string(info(diagnostic.code).spelling) + "]";
  appendPlace(out, source, diagnostic.span, label, diagnostic.message);
  for (const Related &place : diagnostic.related)
    appendPlace(out, source, place.span, "note", place.message);
  for (const Fix &fix : diagnostic.fixes)
    out += "  fix: " + fix.title + "\n";
  return out;
}

} // namespace tilewright
