#include "lsp/Dispatcher.h"

#include <atomic>

namespace tilewright::lsp {

struct Reply::State {
  Dispatcher *owner;
  Json id;
  std::atomic<bool> answered{false};
  CancelToken cancelled;

  State(Dispatcher *owner, Json id) : owner(owner), id(std::move(id)) {}
  ~State() { answer("error", {{"code", static_cast<int>(ErrorCode::InternalError)}, {"message", "the request was abandoned"}}); }
  void answer(const char *key, Json value) {
    if (!answered.exchange(true))
      owner->settle(*this, key, std::move(value));
  }
};

void Reply::result(const Json &value) const { state_->answer("result", value); }
void Reply::error(ErrorCode code, const std::string &message) const {
  state_->answer("error", {{"code", static_cast<int>(code)}, {"message", message}});
}
const CancelToken &Reply::cancelled() const { return state_->cancelled; }

Reply Dispatcher::admit(Json id) {
  std::string key = serialize(id);
  auto state = std::make_shared<Reply::State>(this, std::move(id));
  std::lock_guard lock(mutex_);
  pending_.emplace(std::move(key), state);
  return Reply(std::move(state));
}

void Dispatcher::settle(const Reply::State &state, const char *key, Json value) {
  {
    std::lock_guard lock(mutex_);
    auto [first, last] = pending_.equal_range(serialize(state.id));
    for (auto it = first; it != last; ++it) {
      auto held = it->second.lock();
      if (!held || held.get() == &state) {
        pending_.erase(it);
        break;
      }
    }
  }
  Json message = {{"jsonrpc", "2.0"}, {"id", state.id}};
  message[key] = std::move(value);
  send_(serialize(message));
}

void Dispatcher::cancel(const Json &id) {
  std::shared_ptr<Reply::State> state;
  {
    std::lock_guard lock(mutex_);
    auto it = pending_.find(serialize(id));
    if (it != pending_.end())
      state = it->second.lock();
  }
  if (!state)
    return; // answered already, or never asked
  state->cancelled.raise();
  Reply(std::move(state)).error(ErrorCode::RequestCancelled, "cancelled by the client");
}

void Dispatcher::refuse(ErrorCode code, const std::string &message) {
  send_(serialize({{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}}));
}

std::string Dispatcher::notification(std::string_view method, Json params) {
  return serialize({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

void Dispatcher::request(std::string_view method, Json params, Answer answer) {
  int64_t id;
  {
    std::lock_guard lock(mutex_);
    id = next_++;
    asked_[id] = std::move(answer);
  }
  Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null())
    message["params"] = std::move(params);
  send_(serialize(message));
}

void Dispatcher::respond(const Json &message) {
  auto id = message.find("id");
  if (id == message.end() || !id->is_number_integer())
    return;
  Answer answer;
  {
    std::lock_guard lock(mutex_);
    auto it = asked_.find(id->get<int64_t>());
    if (it == asked_.end())
      return;
    answer = std::move(it->second);
    asked_.erase(it);
  }
  auto result = message.find("result");
  if (answer && result != message.end())
    answer(*result);
}

size_t Dispatcher::pending() const {
  std::lock_guard lock(mutex_);
  return pending_.size();
}

} // namespace tilewright::lsp
