#include "session/Pool.h"

#include <algorithm>
#include <exception>

namespace tilewright::session {

Pool::Pool(std::function<void(const std::string &)> report, unsigned threads)
    : report_(std::move(report)), limit_(threads ? threads : std::clamp(std::thread::hardware_concurrency(), 3u, 6u)) {}

void Pool::post(Task task) {
  std::lock_guard lock(mutex_);
  if (stopping_)
    return;
  tasks_.push_back(std::move(task));
  if (idle_ < tasks_.size() && threads_.size() < limit_)
    threads_.emplace_back([this] { run(); });
  wake_.notify_one();
}

void Pool::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (stopping_)
      return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    try {
      task();
    } catch (const std::exception &e) {
      report_(e.what());
    } catch (...) {
      report_("unknown failure");
    }
    task = nullptr; // its captures go before the lock is taken again
    lock.lock();
  }
}

void Pool::stop() {
  std::deque<Task> dropped;
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(tasks_);
  }
  wake_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
  threads_.clear();
}

} // namespace tilewright::session
