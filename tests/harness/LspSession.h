// A client for tests. LspSession drives a server in this process, message by message; converse() runs the built binary on a whole stream.
// Nothing here sleeps: every wait ends with what it waits for, or fails the test after a generous limit.
#pragma once
#include "lsp/LspServer.h"

#include <nlohmann/json.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::test {
using lsp::Json;

class LspSession {
public:
  /// Starts a server; with capabilities also sends `initialize` and `initialized`.
  LspSession();
  explicit LspSession(Json capabilities);

  /// Sends a request and waits for its answer: the whole message.
  Json request(const std::string &method, Json params);
  int64_t send(const std::string &method, Json params);
  Json await(int64_t id);
  void notify(const std::string &method, Json params);
  void raw(std::string body) { server_.receive(std::move(body)); }
  void malformed(const std::string &why) { server_.malformed(why); }

  void open(const std::string &uri, const std::string &text, int version = 1);
  void change(const std::string &uri, int version, Json changes);
  /// Waits for diagnostics of at least this version of a document.
  Json diagnostics(const std::string &uri, int version = 1);
  /// Waits until nothing is being worked on.
  void settle();

  /// Everything received so far.
  std::vector<Json> messages();
  size_t count(const std::string &method);
  size_t answers(const Json &id);
  int exitCode() const { return exit_; }
  lsp::LspServer &server() { return server_; }

private:
  template <class Condition> bool wait(Condition condition);
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Json> messages_;
  int64_t next_ = 1;
  int exit_ = -1;
  lsp::LspServer server_; // last: it may still send while it ends
};

Json position(int line, int character);
Json range(int line, int from, int to);
/// `{"textDocument": {"uri": ...}}` with more members.
Json at(const std::string &uri, Json more = Json::object());

struct Conversation {
  int code = -1; // exit status, -1: killed after the limit
  std::vector<Json> messages;
  double seconds = 0;
  const Json *answer(int64_t id) const;
};
enum class Input { Pipe, PipeLeftOpen, File, Slow };
/// Runs `tilewright lsp` on a stream. PipeLeftOpen does not close standard input; Slow writes a byte at a time.
Conversation converse(const std::string &stream, Input input = Input::Pipe);

/// Framed messages.
std::string framed(const Json &message);
std::string requestText(int64_t id, const std::string &method, Json params = Json::object());
std::string notificationText(const std::string &method, Json params = Json::object());

} // namespace tilewright::test
