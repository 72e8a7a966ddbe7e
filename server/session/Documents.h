// The open documents and the work they cause. Edits arrive on the message thread and are queued; one pool thread at a time serves a
// document: it takes every queued edit at once, parses, analyzes, and hands out a Snapshot. A newer edit raises the cancel token of the
// analysis that is running. No delay stands before any of this: coalescing comes from the queue alone.
//
// Readers state how much of the document they need. One that needs a position is told so when the text has changed under it; any
// other is served the newest snapshot.
// Thread rule: open, edit, commit, close, buffer and configure belong to the message thread; read() and busy() may be called anywhere. Readers and
// events run on pool threads.
#pragma once
#include "session/Pool.h"
#include "session/Snapshot.h"
#include "session/TextBuffer.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::session {

enum class Stage : uint8_t { Syntax, Analysis };
enum class Outcome : uint8_t { Ready, Closed, Modified };

class Documents {
public:
  struct Events {
    /// A version was analyzed. What it returns runs while the document is known to be open, so nothing it sends can follow the close.
    std::function<std::function<void()>(const SnapshotRef &)> analyzed;
    /// Our own failure, in words for a log.
    std::function<void(const std::string &)> failed;
  };
  using Reader = std::function<void(Outcome, const SnapshotRef &)>;

  explicit Documents(Events events, unsigned threads = 0);
  ~Documents();

  /// `uri` as everywhere here is one spelling for all that name the file; `shown` is how the client writes it.
  void open(const std::string &uri, std::string shown, std::string path, int64_t version, std::string text);
  /// The text as the client has it, with every edit so far; null if the document is not open.
  const TextBuffer *buffer(const std::string &uri) const;
  /// Edits become visible to the analysis with commit().
  void edit(const std::string &uri, Span span, std::string text);
  void replaceAll(const std::string &uri, std::string_view text);
  void commit(const std::string &uri, int64_t version);
  /// Runs `cleared` once nothing more can be published for the document.
  void close(const std::string &uri, const std::function<void()> &cleared);

  /// Calls `reader` once: at the stage asked for, or with the reason why not. `positional`: refuse rather than serve a newer text.
  void read(const std::string &uri, Stage stage, bool positional, Reader reader);
  void configure(const CompileOptions &options);
  /// Whether any document still has work to do.
  bool busy() const;
  std::vector<std::string> uris() const;

private:
  struct Entry;
  using EntryRef = std::shared_ptr<Entry>;
  EntryRef find(const std::string &uri) const;
  void schedule(const EntryRef &entry);
  void work(const EntryRef &entry);
  std::shared_ptr<const CompileResult> analyze(Entry &entry, const syntax::File &file, const CancelToken &cancel);

  Events events_;
  mutable std::mutex mutex_; // of the map and the options
  std::map<std::string, EntryRef> entries_;
  CompileOptions options_;
  uint64_t settings_ = 0; // generation of options_
  Pool pool_;             // last: its threads end first
};

} // namespace tilewright::session
