// One version of one open document, as every feature sees it: immutable, shared, complete in itself. A feature is a function of a
// Snapshot and a place. Thread rule: immutable once built.
#pragma once
#include "Compile.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tilewright::session {

struct Snapshot {
  std::string uri;
  int64_t version = 0;                          // the client's number
  uint64_t revision = 0;                        // ours: grows with every change and every new setting
  syntax::File file;
  bool schedule = false;                        // imports the DSL; any other file gets no features
  std::shared_ptr<const CompileResult> result;  // null while only the syntax is known
};
using SnapshotRef = std::shared_ptr<const Snapshot>;

/// Whether the text could import the DSL at all; cheap, never wrongly false.
bool mentionsDsl(std::string_view text);
/// Whether a statement outside functions and classes imports it.
bool importsDsl(const syntax::File &file);

/// The snapshot of a text that is read once: `doctor`, tests.
SnapshotRef snapshotOf(std::string uri, std::string path, std::string text, const CompileOptions &options);

} // namespace tilewright::session
