#include "syntax/Parser.h"

#include "support/Codes.h"
#include "syntax/ItemParser.h"
#include "syntax/Lines.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace tilewright::syntax {

namespace {

// Items at least this large keep their tree-sitter tree, so that an edit inside one is parsed incrementally.
constexpr size_t kLargeItem = 8192;

struct TreeDeleter {
  void operator()(TSTree *tree) const { ts_tree_delete(tree); }
};
using SharedTree = std::shared_ptr<TSTree>;

size_t commonPrefix(std::string_view a, std::string_view b) {
  size_t size = std::min(a.size(), b.size()), at = 0;
  while (at + 64 <= size && std::memcmp(a.data() + at, b.data() + at, 64) == 0)
    at += 64;
  while (at < size && a[at] == b[at])
    ++at;
  return at;
}

size_t commonSuffix(std::string_view a, std::string_view b, size_t prefix) {
  size_t size = std::min(a.size(), b.size()) - prefix, at = 0;
  while (at + 64 <= size && std::memcmp(a.data() + a.size() - at - 64, b.data() + b.size() - at - 64, 64) == 0)
    at += 64;
  while (at < size && a[a.size() - at - 1] == b[b.size() - at - 1])
    ++at;
  return at;
}

TSPoint pointAt(std::string_view text, size_t offset) {
  TSPoint point{0, 0};
  size_t line = 0;
  for (size_t at = text.find('\n'); at < offset; at = text.find('\n', at + 1)) {
    ++point.row;
    line = at + 1;
  }
  point.column = static_cast<uint32_t>(offset - line);
  return point;
}

} // namespace

struct Document::State {
  std::string path;
  std::string text;
  std::shared_ptr<const SourceText> source; // of text; null: not made yet
  bool current = false;                     // whether file_ is that of text
  ItemParser parser;

  File file_;
  std::vector<ItemSpan> spans; // of file_'s items
  std::unordered_map<const Tree *, SharedTree> large;

  const SourceText &sourceText() {
    if (!source)
      source = std::make_shared<SourceText>(path, text);
    return *source;
  }
  void changed() { source = nullptr, current = false; }
  void compute();
  bool refused();
};

// The limits that concern the file as a whole: then it has that one diagnostic and no items.
bool Document::State::refused() {
  Code code;
  Span where{0, 0};
  std::string message;
  if (text.size() > kLargestFile) {
    code = Code::FileTooLarge;
    message = "the file has " + std::to_string(text.size()) + " bytes; tilewright reads at most " + std::to_string(kLargestFile);
  } else if (const void *nul = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size())) {
    code = Code::NulByte;
    uint32_t at = static_cast<uint32_t>(static_cast<const char *>(nul) - text.data());
    where = {at, at + 1};
    message = "the file contains a NUL byte";
  } else {
    return false;
  }
  file_.items.clear();
  spans.clear();
  large.clear();
  file_.diagnostics.assign(1, {code, info(code).severity, where, std::move(message), {}, {}});
  return true;
}

void Document::State::compute() {
  std::shared_ptr<const SourceText> old = file_.source;
  sourceText();
  file_.source = source;
  file_.diagnostics.clear();
  current = true;
  if (refused())
    return;

  // Items before the change: those that were read without a look at what changed, less one, whose end depends on what follows it.
  std::vector<Item> oldItems = std::move(file_.items);
  std::vector<ItemSpan> oldSpans = std::move(spans);
  file_.items.clear();
  spans.clear();
  std::string_view before = old ? old->text() : std::string_view();
  size_t prefix = commonPrefix(before, text);
  size_t suffix = commonSuffix(before, text, prefix);
  int64_t shift = static_cast<int64_t>(text.size()) - static_cast<int64_t>(before.size());
  size_t kept = 0;
  while (kept < oldSpans.size() && oldSpans[kept].lookedTo < prefix)
    ++kept;
  kept = kept > 1 ? kept - 1 : 0;
  // Statements of one line are read together.
  while (kept > 0 && before.substr(oldSpans[kept - 1].span.end, oldSpans[kept].span.begin - oldSpans[kept - 1].span.end).find_first_of("\r\n") == std::string_view::npos)
    --kept;
  file_.items.assign(oldItems.begin(), oldItems.begin() + static_cast<ptrdiff_t>(kept));
  spans.assign(oldSpans.begin(), oldSpans.begin() + static_cast<ptrdiff_t>(kept));

  // Read on until an item behind the change begins where one began before: the rest is as it was.
  std::vector<ItemSpan> read;
  size_t rest = oldSpans.size(); // first of the old items that are kept behind
  uint32_t from = kept > 0 ? oldSpans[kept].span.begin : 0;
  if (kept > 0) // to the line's start: an indented item begins there
    while (from > 0 && text[from - 1] != '\n' && text[from - 1] != '\r')
      --from;
  ItemReader reader(text, from);
  size_t match = kept;
  for (ItemSpan item; reader.next(item);) {
    if (item.span.begin >= text.size() - suffix && item.span.begin > from) {
      int64_t was = static_cast<int64_t>(item.span.begin) - shift;
      while (match < oldSpans.size() && oldSpans[match].span.begin < was)
        ++match;
      if (match < oldSpans.size() && oldSpans[match].span.begin == was && !reader.insideLine()) {
        rest = match;
        break;
      }
    }
    read.push_back(item);
  }

  // Trees of the items between, by content, each used once.
  std::unordered_multimap<std::string_view, size_t> byText;
  std::vector<bool> used(oldItems.size(), false);
  for (size_t i = kept; i < rest; ++i)
    byText.emplace(oldItems[i].tree->text, i);
  auto reuse = [&](std::string_view content) -> std::shared_ptr<const Tree> {
    auto [first, last] = byText.equal_range(content);
    if (first == last)
      return nullptr;
    auto best = first; // the first in the file
    for (auto it = first; it != last; ++it)
      if (it->second < best->second)
        best = it;
    size_t index = best->second;
    byText.erase(best);
    used[index] = true;
    return oldItems[index].tree;
  };
  std::vector<size_t> built;
  for (const ItemSpan &item : read) {
    std::string_view content = std::string_view(text).substr(item.span.begin, item.span.size());
    std::shared_ptr<const Tree> tree = reuse(content);
    if (!tree)
      built.push_back(file_.items.size());
    file_.items.push_back({std::move(tree), item.span.begin});
    spans.push_back(item);
  }
  std::unordered_map<std::string_view, const Tree *> made; // an item that repeats another is a copy of its tree
  for (size_t index : built) {
    Item &item = file_.items[index];
    std::string content(std::string_view(text).substr(spans[index].span.begin, spans[index].span.size()));
    if (content.size() < kLargeItem) {
      auto same = made.find(content);
      if (same != made.end()) {
        item.tree = std::make_shared<Tree>(*same->second);
        continue;
      }
      item.tree = parser.parse(std::move(content));
      made.emplace(item.tree->text, item.tree.get());
      continue;
    }
    // One large item that replaces one large item: parsed from what it was.
    TSTree *edited = nullptr;
    if (built.size() == 1) {
      for (size_t i = kept; i < rest && !edited; ++i) {
        auto found = used[i] ? large.end() : large.find(oldItems[i].tree.get());
        if (found == large.end())
          continue;
        std::string_view was = oldItems[i].tree->text;
        size_t same = commonPrefix(was, content), tail = commonSuffix(was, content, same);
        edited = ts_tree_copy(found->second.get());
        TSInputEdit edit{};
        edit.start_byte = static_cast<uint32_t>(same);
        edit.old_end_byte = static_cast<uint32_t>(was.size() - tail);
        edit.new_end_byte = static_cast<uint32_t>(content.size() - tail);
        edit.start_point = pointAt(was, edit.start_byte);
        edit.old_end_point = pointAt(was, edit.old_end_byte);
        edit.new_end_point = pointAt(content, edit.new_end_byte);
        ts_tree_edit(edited, &edit);
      }
    }
    TSTree *parsed = nullptr;
    item.tree = parser.parse(std::move(content), edited, &parsed);
    if (edited)
      ts_tree_delete(edited);
    if (parsed)
      large[item.tree.get()] = SharedTree(parsed, TreeDeleter());
  }
  for (size_t i = rest; i < oldItems.size(); ++i) {
    Item item = oldItems[i];
    ItemSpan span = oldSpans[i];
    item.offset = static_cast<uint32_t>(item.offset + shift);
    span.span = {static_cast<uint32_t>(span.span.begin + shift), static_cast<uint32_t>(span.span.end + shift)};
    span.lookedTo = static_cast<uint32_t>(span.lookedTo + shift);
    file_.items.push_back(std::move(item));
    spans.push_back(span);
  }
  if (!large.empty()) {
    std::unordered_map<const Tree *, SharedTree> alive;
    for (const Item &item : file_.items)
      if (auto found = large.find(item.tree.get()); found != large.end())
        alive.insert(*found);
    large = std::move(alive);
  }
}

Document::Document(std::string path, std::string text) : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
  state_->text = std::move(text);
}
Document::~Document() = default;
Document::Document(Document &&) noexcept = default;
Document &Document::operator=(Document &&) noexcept = default;

void Document::edit(const std::vector<TextEdit> &edits) {
  for (const TextEdit &edit : edits) {
    size_t begin = std::min<size_t>(edit.begin, state_->text.size());
    size_t end = std::clamp<size_t>(edit.oldEnd, begin, state_->text.size());
    state_->text.replace(begin, end - begin, edit.text);
  }
  state_->changed();
}

void Document::replace(std::string text) {
  state_->text = std::move(text);
  state_->changed();
}

const SourceText &Document::source() const { return state_->sourceText(); }

const File &Document::file() {
  if (!state_->current)
    state_->compute();
  return state_->file_;
}

File parse(std::string path, std::string text) { return Document(std::move(path), std::move(text)).file(); }

} // namespace tilewright::syntax
