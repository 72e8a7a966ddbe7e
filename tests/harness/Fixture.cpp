#include "harness/Fixture.h"

#include "features/Actions.h"
#include "features/CodeLens.h"
#include "features/Completion.h"
#include "features/Diagnostics.h"
#include "features/Hover.h"
#include "features/InlayHints.h"
#include "features/SignatureHelp.h"
#include "session/Files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

namespace tilewright::test {
namespace {
struct Shown {
  int line, column, width;
  std::string kind, code, text;
  bool matched = false;
};

std::string_view kindOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Information: return "information";
  case Severity::Hint: return "note";
  }
  return "error";
}

std::string draw(const SourceText &source, int line, int column, int width, const std::string &what) {
  std::string out = source.path() + ":" + std::to_string(line + 1) + "\n  " + std::string(source.line(static_cast<uint32_t>(line))) + "\n  ";
  out += std::string(static_cast<size_t>(std::max(column, 0)), ' ') + std::string(static_cast<size_t>(std::max(width, 1)), '^') + " " + what + "\n";
  return out;
}

std::string spelled(const std::string &kind, const std::string &code, const std::string &text) { return kind + (code.empty() ? "" : "[" + code + "]") + ": " + text; }
} // namespace

std::vector<Mark> marksOf(const std::string &text) {
  static const std::regex form(R"(^\s*#\s*(<-|\^+)\s+(error|warning|information|note|hint|hover|signature|completion|action|lens)(?:\[([A-Za-z0-9.-]+)\])?:\s*(.*?)\s*$)");
  std::vector<Mark> marks;
  SourceText source("fixture", text);
  int above = 0;
  for (uint32_t line = 0; line < source.lineCount(); ++line) {
    std::string content(source.line(line));
    std::smatch match;
    if (!std::regex_match(content, match, form)) {
      above = static_cast<int>(line);
      continue;
    }
    Mark mark{above, 0, 0, match[2], match[3], match[4], static_cast<int>(line)};
    if (match[1] != "<-") {
      mark.column = static_cast<int>(match.position(1));
      mark.width = static_cast<int>(match.length(1));
    } else {
      size_t first = source.line(static_cast<uint32_t>(above)).find_first_not_of(" \t");
      mark.column = first == std::string_view::npos ? 0 : static_cast<int>(first);
    }
    marks.push_back(std::move(mark));
  }
  return marks;
}

namespace {
bool holds(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// What is shown where a mark asks for something; empty if it is what the mark says.
std::string differs(const session::Snapshot &snapshot, const Mark &mark) {
  const SourceText &source = *snapshot.file.source;
  auto at = [&](int column) { return source.offset({static_cast<uint32_t>(mark.line), static_cast<uint32_t>(column)}); };
  std::string got;
  if (mark.kind == "hover") {
    std::optional<features::Hover> found = features::hover(snapshot, at(mark.column));
    got = found ? found->markdown : "nothing";
    return holds(got, mark.text) ? "" : got;
  }
  if (mark.kind == "signature") {
    std::optional<features::SignatureHelp> found = features::signatureHelp(snapshot, at(mark.column));
    got = found ? found->signature.label() : "nothing";
    if (found && found->active >= 0)
      got += " @ " + found->signature.parameters[static_cast<size_t>(found->active)].name;
    return holds(got, mark.text) ? "" : got;
  }
  if (mark.kind == "completion") {
    std::vector<features::CompletionItem> items = features::completion(snapshot, at(mark.column + mark.width));
    size_t found = items.size();
    for (size_t i = 0; i < items.size(); ++i) {
      std::string text = items[i].label + " " + items[i].detail;
      got += text + "\n";
      if (found == items.size() && holds(text, mark.text))
        found = i;
      if (mark.code == "last" && holds(text, mark.text))
        found = i;
    }
    bool right = mark.code == "none" ? found == items.size() : mark.code == "first" ? found == 0 && !items.empty() : mark.code == "last" ? found + 1 == items.size() : found < items.size();
    return right ? "" : got.empty() ? "nothing" : got;
  }
  for (const features::Action &action : features::actions({snapshot, {at(mark.column), at(mark.column + mark.width)}, true})) {
    if (holds(action.title, mark.text) && (mark.code.empty() || action.kind == mark.code))
      return "";
    got += std::string(action.kind) + ": " + action.title + "\n";
  }
  return got.empty() ? "nothing" : got;
}
} // namespace

std::vector<std::string> compareFixture(const std::string &path, const std::vector<std::string> &owned) {
  session::FileError error;
  std::optional<std::string> text = session::readFile(path, error);
  REQUIRE_MESSAGE(text, path << ": " << error.message);
  CompileOptions options;
  options.analysis.families = analysis::kAllFamilies;
  session::SnapshotRef snapshot = session::snapshotOf("file://" + path, path, *text, options);
  const SourceText &source = *snapshot->file.source;
  auto place = [&](Span span) {
    LineColumn begin = source.at(span.begin), end = source.at(span.end);
    auto width = end.line == begin.line ? end.column - begin.column : static_cast<uint32_t>(source.line(begin.line).size()) - begin.column;
    return Shown{static_cast<int>(begin.line), static_cast<int>(begin.column), static_cast<int>(width), {}, {}, {}};
  };
  std::vector<Shown> shown;
  for (const Diagnostic &one : features::diagnostics(*snapshot)) {
    Shown each = place(one.span);
    each.kind = kindOf(one.severity);
    each.code = info(one.code).spelling;
    each.text = one.message;
    shown.push_back(std::move(each));
  }
  for (const features::InlayHint &one : features::inlayHints(*snapshot, {0, static_cast<uint32_t>(text->size())})) {
    Shown each = place({one.offset, one.offset});
    each.kind = "hint";
    each.text = one.label;
    shown.push_back(std::move(each));
  }
  for (const features::CodeLens &one : features::codeLenses(*snapshot)) {
    Shown each = place({one.span.begin, one.span.begin});
    each.kind = "lens";
    each.text = one.title;
    shown.push_back(std::move(each));
  }
  std::vector<std::string> wrong;
  for (const Mark &mark : marksOf(*text)) {
    if (mark.kind == "hover" || mark.kind == "signature" || mark.kind == "completion" || mark.kind == "action") {
      if (std::string got = differs(*snapshot, mark); !got.empty())
        wrong.push_back(draw(source, mark.line, mark.column, mark.width, "expected " + spelled(mark.kind, mark.code, mark.text) + "\n  shown is:\n" + got));
      continue;
    }
    auto fits = [&](const Shown &one) {
      bool here = one.line == mark.line && (mark.width == 0 || (one.column == mark.column && (one.kind == "hint" || one.width == mark.width)));
      return !one.matched && here && one.kind == mark.kind && (mark.code.empty() || one.code == mark.code) && one.text.find(mark.text) != std::string::npos;
    };
    auto it = std::find_if(shown.begin(), shown.end(), fits);
    if (it != shown.end())
      it->matched = true;
    else
      wrong.push_back(draw(source, mark.line, mark.column, mark.width, "expected and not shown: " + spelled(mark.kind, mark.code, mark.text)));
  }
  for (const Shown &one : shown)
    if (!one.matched && std::find(owned.begin(), owned.end(), one.kind) != owned.end())
      wrong.push_back(draw(source, one.line, one.column, one.width, "shown without a mark: " + spelled(one.kind, one.code, one.text)));
  return wrong;
}

} // namespace tilewright::test
