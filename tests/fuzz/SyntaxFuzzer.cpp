// Any bytes through the whole reading side: parse, edit and parse again, evaluate the constants, import and analyze. What must hold besides
// staying alive: spans lie in the text, and the syntax after an edit is the syntax of the new text read afresh.
#include "Compile.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace tilewright;

namespace {

constexpr size_t kLargestInput = 64u << 10;

[[noreturn]] void fail(const char *what, const std::string &text, const std::string &more = {}) {
  std::fprintf(stderr, "%s\n--- text\n%s\n--- %s\n", what, text.c_str(), more.c_str());
  std::abort();
}

/// An edit that depends on nothing but the text: it replaces up to 40 bytes by a piece from elsewhere in the same text.
syntax::TextEdit chosenEdit(const std::string &text) {
  uint64_t hash = 1469598103934665603u;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 1099511628211u;
  auto below = [&](size_t limit) {
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 32;
    return static_cast<uint32_t>(hash % (limit + 1));
  };
  uint32_t begin = below(text.size());
  uint32_t oldEnd = begin + below(std::min<size_t>(40, text.size() - begin));
  uint32_t from = below(text.size());
  return {begin, oldEnd, text.substr(from, below(std::min<size_t>(40, text.size() - from)))};
}

std::string dumped(const syntax::File &file) {
  std::string all;
  for (const syntax::Item &item : file.items)
    all += std::to_string(item.offset) + "\n" + syntax::dump(*item.tree);
  return all;
}

bool hasError(const syntax::File &file) {
  if (!file.diagnostics.empty())
    return true;
  for (const syntax::Item &item : file.items)
    if (!item.tree->diagnostics.empty() || (item.tree->root() && item.tree->root().has(syntax::kHasError)))
      return true;
  return false;
}

void checkSpans(const syntax::File &file) {
  const std::string text(file.source->text());
  for (const syntax::Item &item : file.items) {
    if (item.span().end > text.size())
      fail("an item reaches past the text", text);
    for (const syntax::Tree::Entry &node : item.tree->nodes)
      if (node.span.begin > node.span.end || node.span.end > item.tree->text.size())
        fail("a node reaches past its item", text, syntax::dump(*item.tree));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > kLargestInput)
    return 0;
  std::string text(reinterpret_cast<const char *>(data), size);
  syntax::Document document("fuzz.py", text);
  checkSpans(document.file());

  syntax::TextEdit edit = chosenEdit(text);
  document.edit({edit});
  std::string expected = text.substr(0, edit.begin) + edit.text + text.substr(edit.oldEnd);
  const syntax::File &edited = document.file();
  if (edited.source->text() != expected)
    fail("the edited text is another one", expected, std::string(edited.source->text()));
  checkSpans(edited);
  syntax::File fresh = syntax::parse("fuzz.py", expected);
  if (!hasError(fresh) && dumped(edited) != dumped(fresh))
    fail("the syntax after an edit differs from the syntax of the same text read afresh", expected, dumped(edited));

  CompileOptions options;
  options.analysis.families = analysis::kAllFamilies;
  Memo memo;
  for (const syntax::File *file : {static_cast<const syntax::File *>(&fresh), &edited}) {
    CompileResult result = compileFile(*file, options, memo);
    for (const Diagnostic &diagnostic : result.diagnostics)
      if (diagnostic.span.begin > diagnostic.span.end || diagnostic.span.end > expected.size())
        fail("a diagnostic reaches past the text", expected, diagnostic.message);
  }
  return 0;
}
