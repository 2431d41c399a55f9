#pragma once
// Memory that a const object works in. What is const is safe to share between threads, so each
// thread that works with the object has its own.

#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace talus {

template <class T>
class ThreadWorkspace {
 public:
  ThreadWorkspace() = default;
  /// A copy of the object works in memory of its own.
  ThreadWorkspace(const ThreadWorkspace& /*other*/) noexcept {}
  ThreadWorkspace& operator=(const ThreadWorkspace& /*other*/) noexcept { return *this; }
  ~ThreadWorkspace() = default;

  /// That of the calling thread, made by `make()` the first time. Threads of a parallel region get
  /// a reference from the one that began it. A thread that ended leaves its own to the next that
  /// has its id.
  template <class Make>
  T& mine(const Make& make) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::thread::id me = std::this_thread::get_id();
    for (const auto& [thread, workspace] : workspaces_)
      if (thread == me) return *workspace;
    workspaces_.emplace_back(me, std::make_unique<T>(make()));
    return *workspaces_.back().second;
  }
  T& mine() const {
    return mine([] { return T{}; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<std::thread::id, std::unique_ptr<T>>> workspaces_;
};

}  // namespace talus
