// Text as it is while somebody types: every prefix of every example, and a scheduled program with each token left out in turn. The compiler
// says at most one thing about the syntax of a statement, every feature answers, and hovers on the rest of the file go on.
#include "features/Actions.h"
#include "features/CodeLens.h"
#include "features/Completion.h"
#include "features/Definition.h"
#include "features/Diagnostics.h"
#include "features/DocumentSymbols.h"
#include "features/FoldingRanges.h"
#include "features/Form.h"
#include "features/Hover.h"
#include "features/InlayHints.h"
#include "features/SignatureHelp.h"
#include "session/Files.h"
#include "support/Codes.h"
#include "syntax/Lines.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;
using namespace tilewright;

namespace {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_SAMPLED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(TW_SAMPLED)
constexpr bool kSampled = true; // far slower there: look at some of the texts
#else
constexpr bool kSampled = false;
#endif

std::string contentsOf(const fs::path &path) {
  session::FileError error;
  std::optional<std::string> text = session::readFile(path.string(), error);
  REQUIRE_MESSAGE(text, path.string() << ": " << error.message);
  return *text;
}

std::vector<fs::path> examples() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(fs::path(TW_SOURCE_DIR) / "examples"))
    if (entry.path().extension() == ".py")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// A file that is being edited, as the server holds it.
struct Editing {
  syntax::Document document{"m.py", ""};
  Memo memo;
  CompileOptions options;
  Editing() { options.analysis.families = analysis::kAllFamilies; }

  session::Snapshot snapshot() {
    session::Snapshot now;
    now.uri = "file:///m.py";
    now.file = document.file();
    now.schedule = session::importsDsl(now.file);
    now.result = std::make_shared<const CompileResult>(compileFile(now.file, options, memo));
    return now;
  }
};

/// Words, numbers and strings, operators too with `all`.
std::vector<Span> tokens(const std::string &text, bool all) {
  std::vector<Span> found;
  for (uint32_t at = syntax::skipBlanks(text, 0); at < text.size(); at = syntax::skipBlanks(text, at)) {
    uint32_t length = std::max<uint32_t>(1, syntax::tokenLength(text, at));
    if (text.compare(at, 3, "\"\"\"") == 0)
      length = static_cast<uint32_t>(text.find("\"\"\"", at + 3)) + 3 - at;
    auto first = static_cast<unsigned char>(text[at]);
    if (all || std::isalnum(first) || first == '_' || first == '"')
      found.push_back({at, at + length});
    at += length;
  }
  return found;
}

/// Where logical lines begin.
std::vector<uint32_t> lines(std::string_view text) {
  std::vector<uint32_t> begins;
  syntax::LineReader reader(text);
  for (syntax::Line line; reader.next(line);)
    begins.push_back(line.begin);
  return begins;
}
size_t lineOf(const std::vector<uint32_t> &begins, uint32_t at) { return static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), at) - begins.begin()); }

/// At most one syntax error for a statement, and each inside the text.
std::string syntaxTrouble(const session::Snapshot &now) {
  std::string_view text = now.file.source->text();
  std::vector<uint32_t> begins = lines(text);
  std::vector<size_t> broken;
  for (const Diagnostic &one : features::diagnostics(now)) {
    if (one.span.end > text.size() || one.span.begin > one.span.end)
      return "a diagnostic outside the text";
    if (one.code == Code::SyntaxError)
      broken.push_back(lineOf(begins, one.span.begin));
  }
  std::sort(broken.begin(), broken.end());
  if (auto twice = std::adjacent_find(broken.begin(), broken.end()); twice != broken.end())
    return "two syntax errors in the statement at byte " + std::to_string(*twice ? begins[*twice - 1] : 0);
  return {};
}

bool inside(Span span, std::string_view text) { return span.begin <= span.end && span.end <= text.size(); }

/// Everything an editor may ask for at a place.
void askAll(const session::Snapshot &now, uint32_t at) {
  std::string_view text = now.file.source->text();
  for (const features::CompletionItem &item : features::completion(now, at))
    CHECK((inside(item.replaces, text) && item.replaces.begin <= at && at <= item.replaces.end));
  if (auto help = features::signatureHelp(now, at))
    CHECK(help->active < static_cast<int>(help->signature.parameters.size()));
  if (auto hover = features::hover(now, at))
    CHECK(inside(hover->span, text));
  features::definition(now, at);
}
void askWhole(const session::Snapshot &now) {
  auto end = static_cast<uint32_t>(now.file.source->text().size());
  features::inlayHints(now, {0, end});
  features::codeLenses(now);
  features::documentSymbols(now);
  features::foldingRanges(now);
  features::actions({now, {0, end}, false});
  features::formText(now, "hir", end);
}
} // namespace

TEST_CASE("every prefix of every example") {
  for (const fs::path &path : examples()) {
    CAPTURE(path.string());
    std::string text = contentsOf(path);
    // What can be hovered in the whole file and does not depend on what comes later.
    std::vector<Span> words = tokens(text, false);
    Editing editing;
    uint32_t shown = 0;
    size_t next = 0; // word
    for (uint32_t end = 0; end <= text.size(); ++end) {
      bool boundary = next < words.size() && end == words[next].end;
      if (boundary)
        ++next;
      if (kSampled && !(boundary && next % 32 == 0) && end != text.size())
        continue;
      editing.document.edit({{shown, shown, text.substr(shown, end - shown)}});
      shown = end;
      session::Snapshot now = editing.snapshot();
      std::string trouble = syntaxTrouble(now);
      CHECK_MESSAGE(trouble.empty(), trouble << " in the text up to byte " << end << ": ..." << text.substr(end > 60 ? end - 60 : 0, std::min(end, 60u)));
      if (!now.schedule)
        continue;
      askAll(now, end);
      if (boundary && next % 8 == 0)
        askWhole(now);
    }
  }
}

TEST_CASE("a scheduled program without any one of its tokens") {
  const std::string text = contentsOf(fs::path(TW_SOURCE_DIR) / "examples/gemm/scheduled.py");
  Editing editing;
  editing.document.replace(text);
  session::Snapshot whole = editing.snapshot();
  std::vector<uint32_t> begins = lines(text);
  std::vector<Span> all = tokens(text, true), words = tokens(text, false), hovered;
  for (Span word : words)
    if (features::hover(whole, word.begin))
      hovered.push_back(word);
  CHECK(hovered.size() > 150);
  size_t asked = 0, silent = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (kSampled && i % 40 != 0)
      continue;
    Span gone = all[i];
    editing.document.edit({{gone.begin, gone.end, ""}});
    session::Snapshot now = editing.snapshot();
    std::string trouble = syntaxTrouble(now);
    CHECK_MESSAGE(trouble.empty(), trouble << " without `" << text.substr(gone.begin, gone.size()) << "` at byte " << gone.begin);
    askAll(now, gone.begin);
    if (i % 16 == 0)
      askWhole(now);
    size_t line = lineOf(begins, gone.begin);
    for (size_t k = i % 7; k < hovered.size(); k += 7) {
      Span word = hovered[k];
      if (lineOf(begins, word.begin) == line)
        continue;
      uint32_t at = word.begin < gone.begin ? word.begin : word.begin - gone.size();
      ++asked;
      if (!features::hover(now, at) && text.substr(word.begin, word.size()) != text.substr(gone.begin, gone.size())) {
        ++silent;
        MESSAGE("without `" << text.substr(gone.begin, gone.size()) << "` at byte " << gone.begin << ", `" << text.substr(word.begin, word.size()) << "` at byte " << word.begin << " tells nothing");
      }
    }
    editing.document.edit({{gone.begin, gone.begin, text.substr(gone.begin, gone.size())}});
  }
  // `m (...)` without its `=` is Python that binds nothing: what a token made a name of may fall silent with it, and nothing else.
  CHECK(asked > 0);
  CHECK(silent <= asked / 1000 + 1);
}
