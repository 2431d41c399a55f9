#pragma once
// Ctrl-C during a solve: the first one asks it to end with the best answer so far, a second one
// ends the program at once.

#include <string>

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

/// Said by the first two ranks beside where they are, when they are told to end by SIGTERM: a rank
/// that has died cannot say it.
void tell_where_killed(const std::string& text);

/// Listens to SIGUSR1, by which batch systems and users ask for a checkpoint and an early end. From
/// the start of a run: the signal may come before the first step. One at a time.
class CheckpointSignal {
 public:
  CheckpointSignal();
  ~CheckpointSignal();
  CheckpointSignal(const CheckpointSignal&) = delete;
  CheckpointSignal& operator=(const CheckpointSignal&) = delete;

  bool asked() const;
};

}  // namespace talus::app
