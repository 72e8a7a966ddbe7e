// A few threads that run tasks in the order in which they were posted. Threads start when there is work for them. A task that throws is
// reported and forgotten: the pool goes on.
// Thread rule: post() from any thread; stop() once, from the owner.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tilewright::session {

class Pool {
public:
  using Task = std::function<void()>;
  explicit Pool(std::function<void(const std::string &)> report, unsigned threads = 0);
  ~Pool() { stop(); }
  void post(Task task);
  /// Drops what has not started and waits for what has.
  void stop();

private:
  void run();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  std::vector<std::thread> threads_;
  std::function<void(const std::string &)> report_;
  unsigned limit_, idle_ = 0;
  bool stopping_ = false;
};

} // namespace tilewright::session
