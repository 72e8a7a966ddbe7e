// The language server without its pipe: bodies of messages in, bodies out. It lives through every failure of a single request, and
// answers each exactly once.
//
// Life of a request: receive() on the message thread reads the JSON and finds the row of Methods.def; requests about a document are read
// by Documents at the stage that the row names, on a pool thread, and answered from there.
// Thread rule: receive, malformed, idle and exitCode belong to the message thread; Host::send is called from any thread.
#pragma once
#include "lsp/Dispatcher.h"
#include "lsp/Protocol.h"
#include "session/Documents.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright::lsp {

class LspServer {
public:
  struct Host {
    std::function<void(std::string body)> send;
    std::function<void(int code)> exit; // the client said `exit`
  };
  explicit LspServer(Host host, unsigned threads = 0);
  ~LspServer();

  void receive(std::string body);
  /// The stream held something that is no message.
  void malformed(const std::string &why);
  /// Nothing is being worked on and every request is answered.
  bool idle() const;
  /// What to leave with when the stream ends without `exit`.
  int exitCode() const { return phase_ == Phase::ShutDown ? 0 : 1; }
  /// The process to outlive no longer than.
  std::optional<int64_t> parent() const { return parent_; }

private:
  enum class Phase : uint8_t { New, Running, ShutDown };
  struct Client {
    Encoding encoding = Encoding::Utf16;
    bool pullsDiagnostics = false, refreshesHints = false, refreshesDiagnostics = false, answersConfiguration = false;
    bool definitionLinks = false, resolvesActions = false;
  };
  struct Settings {
    features::HintOptions hints;
    std::string topology;
    bool operator==(const Settings &) const = default;
  };

  void request(const std::string &method, Reply reply, const Json &params);
  void notification(const std::string &method, const Json &params);
  void log(const std::string &what);
  void configure(const Json &section);
  Settings settings() const;
  std::function<void()> publish(const session::SnapshotRef &snapshot);
  using DocumentHandler = Json (LspServer::*)(const session::Snapshot &, const Json &);
  void readDocument(DocumentHandler handler, session::Stage stage, bool positional, Reply reply, const Json &params);
  View view(const session::Snapshot &snapshot) const { return {snapshot.uri, *snapshot.file.source, client_.encoding, docs_}; }

#define TW_REQUEST(Method, Handler, Capability) void Handler(const Reply &reply, const Json &params);
#define TW_NOTIFICATION(Method, Handler) void Handler(const Json &params);
#define TW_DOCUMENT(Method, Handler, Needs, Positional, Capability) Json Handler(const session::Snapshot &snapshot, const Json &params);
#include "lsp/Methods.def"

  Host host_;
  Dispatcher dispatcher_;
  Phase phase_ = Phase::New;
  Client client_; // fixed by `initialize`, before any pool thread runs
  std::optional<int64_t> parent_;
  std::string docs_; // URI of the page about diagnostics, "" if there is none
  std::atomic<bool> tracing_{false};
  mutable std::mutex mutex_; // of what pool threads share
  Settings settings_;
  std::unique_ptr<session::Documents> documents_; // last: its threads end before anything they use
};

} // namespace tilewright::lsp
