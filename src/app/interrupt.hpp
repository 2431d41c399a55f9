#pragma once
// Ctrl-C during a solve: the first one asks it to end with the best answer so far, a second one
// ends the program at once.

namespace talus::app {

/// Listens to SIGINT and SIGTERM while it lives. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  bool asked() const;
};

}  // namespace talus::app
