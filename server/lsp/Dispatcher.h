// Requests in flight. Every request is answered exactly once: by its handler, by a cancellation, or, when every handle to it is gone, by
// an internal error. Also the other direction: notifications to the client and requests whose answer we await.
// Thread rule: admit, cancel, respond belong to the message thread; a Reply may be used on any thread. The Dispatcher outlives its Replies.
#pragma once
#include "lsp/Message.h"
#include "support/Cancel.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tilewright::lsp {

enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestCancelled = -32800,
  ContentModified = -32801,
  RequestFailed = -32803,
};

class Dispatcher;

/// The right to answer one request; copies share it.
class Reply {
public:
  void result(const Json &value) const;
  void error(ErrorCode code, const std::string &message) const;
  /// Raised when the client no longer wants the answer.
  const CancelToken &cancelled() const;

private:
  friend class Dispatcher;
  struct State;
  explicit Reply(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

class Dispatcher {
public:
  /// `send` takes the body of a message and may be called on any thread.
  explicit Dispatcher(std::function<void(std::string)> send) : send_(std::move(send)) {}

  Reply admit(Json id);
  void cancel(const Json &id);
  /// An error that answers no request we could read.
  void refuse(ErrorCode code, const std::string &message);
  void notify(std::string_view method, Json params) { send(notification(method, std::move(params))); }
  /// The two halves of notify(), for those who must not be kept waiting by the first.
  static std::string notification(std::string_view method, Json params);
  void send(std::string body) { send_(std::move(body)); }
  using Answer = std::function<void(const Json &result)>;
  /// Asks the client; `answer` is dropped if the client reports an error.
  void request(std::string_view method, Json params, Answer answer);
  /// Takes a message without a method.
  void respond(const Json &message);
  size_t pending() const;

private:
  friend struct Reply::State;
  void settle(const Reply::State &state, const char *key, Json value);
  std::function<void(std::string)> send_;
  mutable std::mutex mutex_;
  std::multimap<std::string, std::weak_ptr<Reply::State>> pending_;
  std::map<int64_t, Answer> asked_;
  int64_t next_ = 1;
};

} // namespace tilewright::lsp
