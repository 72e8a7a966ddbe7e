// Cooperative cancellation: long computations poll a token; the session raises it when newer text arrives.
// Thread rule: a token may be raised from any thread.
#pragma once
#include <atomic>
#include <memory>

namespace tilewright {

class CancelToken {
public:
  CancelToken() : raised_(std::make_shared<std::atomic<bool>>(false)) {}
  void raise() const { raised_->store(true, std::memory_order_relaxed); }
  bool raised() const { return raised_->load(std::memory_order_relaxed); }
  const std::atomic<bool> &flag() const { return *raised_; }

private:
  std::shared_ptr<std::atomic<bool>> raised_;
};

} // namespace tilewright
