#include "app/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace talus::app {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "or a handler may not touch it");

/// A signal that is ignored, as SIGINT is in the background of some shells, stays ignored.
void set_handler(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

/// The second one, of either kind, ends the program: also where both come before the first is seen.
extern "C" void note_interrupt(int signal) {
  set_handler(SIG_DFL);
  if (interrupted.exchange(true)) std::raise(signal);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted.store(false);
  set_handler(note_interrupt);
}

InterruptWatch::~InterruptWatch() {
  set_handler(SIG_DFL);
}

bool InterruptWatch::asked() const {
  return interrupted.load(std::memory_order_relaxed);
}

}  // namespace talus::app
