#include "session/Documents.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace tilewright::session {

bool mentionsDsl(std::string_view text) {
  for (std::string_view word : {"tilefoundry", "tirx"})
    if (text.find(word) != std::string_view::npos)
      return true;
  return false;
}

namespace {
bool importsIn(syntax::Node statement) {
  using syntax::Kind;
  if (statement.is(Kind::ImportFrom) && mentionsDsl(statement.text()))
    return true;
  if (statement.is(Kind::Import) || statement.is(Kind::ImportFrom)) {
    for (syntax::Node alias : statement.children())
      if (mentionsDsl(alias.text()))
        return true;
    return false;
  }
  if (statement.is(Kind::FunctionDef) || statement.is(Kind::ClassDef))
    return false;
  for (syntax::Node child : statement.children())
    if (child.is(Kind::Block))
      for (syntax::Node inner : child.children())
        if (importsIn(inner))
          return true;
  return false;
}
} // namespace

bool importsDsl(const syntax::File &file) {
  return std::any_of(file.items.begin(), file.items.end(), [](const syntax::Item &item) { return importsIn(item.tree->root()); });
}

SnapshotRef snapshotOf(std::string uri, std::string path, std::string text, const CompileOptions &options) {
  Memo memo;
  syntax::File file = syntax::parse(std::move(path), std::move(text));
  auto result = std::make_shared<const CompileResult>(compileFile(file, options, memo));
  bool schedule = result->isSchedule;
  return std::make_shared<const Snapshot>(Snapshot{std::move(uri), 0, 0, std::move(file), schedule, std::move(result)});
}

struct Documents::Entry {
  struct Waiting {
    Stage stage;
    bool positional;
    uint64_t revision; // the text it was asked about
    Reader reader;
  };
  std::string uri, path;
  TextBuffer buffer;              // message thread
  std::vector<syntax::TextEdit> uncommitted;

  std::mutex mutex;               // of all below
  std::vector<syntax::TextEdit> edits;
  int64_t version = 0;
  uint64_t revision = 1;
  bool dirty = true, running = false, closed = false;
  bool lost = false;              // our copy of the text is gone; the next commit brings all of it
  CancelToken cancel;
  SnapshotRef syntax, analysis;
  std::vector<Waiting> waiting;

  // The thread that runs work(), one at a time. Until the text mentions the DSL nothing is parsed.
  std::string plain;
  std::optional<syntax::Document> document;
  std::optional<Memo> memo{std::in_place};
  uint64_t settings = 0;
};

Documents::Documents(Events events, unsigned threads)
    : events_(std::move(events)), pool_([this](const std::string &why) { events_.failed(why); }, threads) {
  options_.analysis.families = analysis::kAllFamilies;
}

Documents::~Documents() {
  {
    std::lock_guard lock(mutex_);
    for (auto &[uri, entry] : entries_) {
      std::lock_guard inner(entry->mutex);
      entry->closed = true;
      entry->cancel.raise();
    }
  }
  pool_.stop();
}

Documents::EntryRef Documents::find(const std::string &uri) const {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(uri);
  return it == entries_.end() ? nullptr : it->second;
}

void Documents::open(const std::string &uri, std::string shown, std::string path, int64_t version, std::string text) {
  if (find(uri))
    close(uri, {}); // a client that opens twice means the newer text
  auto entry = std::make_shared<Entry>();
  entry->uri = std::move(shown);
  entry->path = std::move(path);
  entry->plain = text;
  entry->buffer = TextBuffer(std::move(text));
  entry->version = version;
  {
    std::lock_guard lock(mutex_);
    entries_[uri] = entry;
  }
  schedule(entry);
}

const TextBuffer *Documents::buffer(const std::string &uri) const {
  EntryRef entry = find(uri);
  return entry ? &entry->buffer : nullptr;
}

void Documents::edit(const std::string &uri, Span span, std::string text) {
  EntryRef entry = find(uri);
  if (!entry)
    return;
  entry->buffer.replace(span, text);
  entry->uncommitted.push_back({span.begin, span.end, std::move(text)});
}

void Documents::replaceAll(const std::string &uri, std::string_view text) {
  EntryRef entry = find(uri);
  if (!entry)
    return;
  // Only what differs is an edit, so that a client without incremental sync is served as fast.
  const std::string &old = entry->buffer.text();
  size_t most = std::min(old.size(), text.size());
  size_t head = static_cast<size_t>(std::mismatch(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(most), text.begin()).first - old.begin());
  auto inside = [](std::string_view s, size_t at) { return at < s.size() && (s[at] & 0xC0) == 0x80; };
  while (head > 0 && (inside(old, head) || inside(text, head)))
    --head;
  size_t tail = 0;
  while (tail < most - head && old[old.size() - 1 - tail] == text[text.size() - 1 - tail])
    ++tail;
  while (tail > 0 && (inside(old, old.size() - tail) || inside(text, text.size() - tail)))
    --tail;
  Span span{static_cast<uint32_t>(head), static_cast<uint32_t>(old.size() - tail)};
  edit(uri, span, std::string(text.substr(head, text.size() - tail - head)));
}

void Documents::commit(const std::string &uri, int64_t version) {
  EntryRef entry = find(uri);
  if (!entry)
    return;
  std::vector<Entry::Waiting> stale;
  {
    std::lock_guard lock(entry->mutex);
    if (entry->lost)
      entry->edits = {{0, 0, entry->buffer.text()}};
    else
      std::move(entry->uncommitted.begin(), entry->uncommitted.end(), std::back_inserter(entry->edits));
    entry->lost = false;
    entry->version = version;
    ++entry->revision;
    entry->dirty = true;
    entry->cancel.raise();
    auto moved = std::stable_partition(entry->waiting.begin(), entry->waiting.end(), [](const Entry::Waiting &w) { return !w.positional; });
    std::move(moved, entry->waiting.end(), std::back_inserter(stale));
    entry->waiting.erase(moved, entry->waiting.end());
  }
  entry->uncommitted.clear();
  for (Entry::Waiting &one : stale)
    one.reader(Outcome::Modified, nullptr);
  schedule(entry);
}

void Documents::close(const std::string &uri, const std::function<void()> &cleared) {
  EntryRef entry;
  {
    std::lock_guard lock(mutex_);
    auto it = entries_.find(uri);
    if (it == entries_.end())
      return;
    entry = std::move(it->second);
    entries_.erase(it);
  }
  std::vector<Entry::Waiting> waiting;
  {
    std::lock_guard lock(entry->mutex);
    entry->closed = true;
    entry->cancel.raise();
    waiting.swap(entry->waiting);
    if (cleared)
      cleared();
  }
  for (Entry::Waiting &one : waiting)
    one.reader(Outcome::Closed, nullptr);
}

void Documents::read(const std::string &uri, Stage stage, bool positional, Reader reader) {
  EntryRef entry = find(uri);
  if (!entry)
    return reader(Outcome::Closed, nullptr);
  SnapshotRef ready;
  {
    std::lock_guard lock(entry->mutex);
    const SnapshotRef &have = stage == Stage::Syntax ? entry->syntax : entry->analysis;
    if (have && have->revision == entry->revision)
      ready = have;
    else
      entry->waiting.push_back({stage, positional, entry->revision, std::move(reader)});
  }
  if (ready)
    pool_.post([reader = std::move(reader), ready] { reader(Outcome::Ready, ready); });
}

void Documents::configure(const CompileOptions &options) {
  std::vector<EntryRef> all;
  {
    std::lock_guard lock(mutex_);
    options_ = options;
    ++settings_;
    for (auto &[uri, entry] : entries_)
      all.push_back(entry);
  }
  for (const EntryRef &entry : all) {
    {
      std::lock_guard lock(entry->mutex);
      ++entry->revision;
      entry->dirty = true;
      entry->cancel.raise();
    }
    schedule(entry);
  }
}

bool Documents::busy() const {
  std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [](const auto &pair) {
    std::lock_guard inner(pair.second->mutex);
    return pair.second->running || pair.second->dirty;
  });
}

std::vector<std::string> Documents::uris() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> all;
  for (const auto &[uri, entry] : entries_)
    all.push_back(uri);
  return all;
}

void Documents::schedule(const EntryRef &entry) {
  {
    std::lock_guard lock(entry->mutex);
    if (entry->running || entry->closed)
      return;
    entry->running = true;
  }
  pool_.post([this, entry] {
    try {
      work(entry);
    } catch (const std::exception &e) {
      // The syntax is in an unknown state: forget it, refuse who waits, and start afresh with the next edit.
      std::vector<Entry::Waiting> waiting;
      {
        std::lock_guard lock(entry->mutex);
        entry->document.reset();
        entry->plain.clear();
        entry->memo.emplace();
        entry->syntax = entry->analysis = nullptr;
        entry->edits.clear();
        entry->dirty = entry->running = false;
        entry->lost = true;
        waiting.swap(entry->waiting);
      }
      events_.failed("reading " + entry->path + " failed: " + e.what());
      for (Entry::Waiting &one : waiting)
        one.reader(Outcome::Modified, nullptr);
    }
  });
}

std::shared_ptr<const CompileResult> Documents::analyze(Entry &entry, const syntax::File &file, const CancelToken &cancel) {
  CompileOptions options;
  uint64_t settings;
  {
    std::lock_guard lock(mutex_);
    options = options_;
    settings = settings_;
  }
  if (settings != entry.settings) {
    entry.memo.emplace();
    entry.settings = settings;
  }
  try {
    return std::make_shared<const CompileResult>(compileFile(file, options, *entry.memo, cancel));
  } catch (const std::exception &e) {
    // What the text alone shows is still true; the rest of the answer is left out, and the log says why.
    events_.failed("analysis of " + entry.path + " was abandoned: " + e.what());
    entry.memo.emplace();
    CompileResult bare;
    bare.file = file;
    bare.isSchedule = mentionsDsl(file.source->text());
    bare.diagnostics = file.diagnostics;
    for (const syntax::Item &item : file.items)
      for (const Diagnostic &one : item.tree->diagnostics)
        bare.diagnostics.push_back(shifted(one, item.offset));
    return std::make_shared<const CompileResult>(std::move(bare));
  }
}

void Documents::work(const EntryRef &entry) {
  auto serve = [&](Stage stage, const SnapshotRef &snapshot) {
    std::vector<Entry::Waiting> ready;
    {
      std::lock_guard lock(entry->mutex);
      auto moved = std::stable_partition(entry->waiting.begin(), entry->waiting.end(), [&](const Entry::Waiting &w) {
        return w.stage != stage || w.revision > snapshot->revision;
      });
      std::move(moved, entry->waiting.end(), std::back_inserter(ready));
      entry->waiting.erase(moved, entry->waiting.end());
    }
    for (Entry::Waiting &one : ready)
      pool_.post([reader = std::move(one.reader), snapshot] { reader(Outcome::Ready, snapshot); });
  };
  for (;;) {
    std::vector<syntax::TextEdit> edits;
    auto next = std::make_shared<Snapshot>();
    CancelToken cancel;
    {
      std::lock_guard lock(entry->mutex);
      if (entry->closed || !entry->dirty) {
        entry->running = false;
        return;
      }
      edits.swap(entry->edits);
      next->version = entry->version;
      next->revision = entry->revision;
      entry->dirty = false;
      entry->cancel = cancel;
    }
    next->uri = entry->uri;
    if (entry->document) {
      entry->document->edit(edits);
    } else {
      for (const syntax::TextEdit &edit : edits)
        entry->plain.replace(edit.begin, edit.oldEnd - edit.begin, edit.text);
      // A file over the limit is told so whatever it is: nobody looks inside.
      if (mentionsDsl(entry->plain) || entry->plain.size() > syntax::kLargestFile)
        entry->document.emplace(entry->path, std::exchange(entry->plain, {}));
    }
    if (entry->document) {
      next->file = entry->document->file();
      next->schedule = importsDsl(next->file);
    } else {
      static const auto empty = std::make_shared<const SourceText>();
      next->file.source = empty;
    }
    {
      std::lock_guard lock(entry->mutex);
      entry->syntax = next;
      if (entry->dirty)
        continue; // more was typed meanwhile
    }
    serve(Stage::Syntax, next);

    auto done = std::make_shared<Snapshot>(*next);
    if (entry->document) {
      done->result = analyze(*entry, next->file, cancel);
      done->schedule = done->result->isSchedule;
      if (cancel.raised())
        continue;
    } else {
      done->result = std::make_shared<const CompileResult>();
    }
    std::function<void()> publish;
    SnapshotRef old; // goes only when everybody has been told
    try {
      publish = events_.analyzed(done);
    } catch (const std::exception &e) {
      events_.failed(std::string("publishing failed: ") + e.what());
    }
    {
      std::lock_guard lock(entry->mutex);
      if (entry->closed) {
        entry->running = false;
        return;
      }
      old = std::exchange(entry->analysis, done);
      if (publish)
        publish();
    }
    serve(Stage::Analysis, done);
  }
}

} // namespace tilewright::session
