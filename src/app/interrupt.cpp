#include "app/interrupt.hpp"

#include "talus/parallel/communicator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <unistd.h>

namespace talus::app {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "or a handler may not touch it");

/// Of several ranks the first two say where they were: mpirun ends all by SIGTERM when one has
/// died, of which it knows the rank, but neither step nor phase.
std::atomic<const char*> name_of_speaker{nullptr};

const char* speaker() {
  if (launched_ranks() <= 1) return nullptr;
  switch (launched_rank()) {
    case 0:
      return "talus: rank 0";
    case 1:
      return "talus: rank 1";
    default:
      return nullptr;
  }
}

/// Two of them, so that one is whole while the other is written.
std::array<std::array<char, 640>, 2> last_words{};
std::atomic<std::size_t> last_words_now{0};

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
  const char* name = name_of_speaker;
  if (signal == SIGTERM && name != nullptr)
    Phase::write_place(STDERR_FILENO, name, last_words[last_words_now].data());
  if (interrupted.exchange(true)) std::raise(signal);
}

std::atomic<bool> checkpoint_wanted{false};

extern "C" void note_checkpoint_wanted(int /*signal*/) {
  checkpoint_wanted.store(true);
}

void set_user_signal(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace

void tell_where_killed(const std::string& text) {
  const std::string words =
      ": told to end (SIGTERM), by hand or because a rank has ended" + text + "\n";
  const std::size_t other = 1 - last_words_now;
  auto& line = last_words.at(other);
  line.fill('\0');
  std::copy_n(words.data(), std::min(words.size(), line.size() - 1), line.data());
  last_words_now = other;
}

CheckpointSignal::CheckpointSignal() {
  checkpoint_wanted.store(false);
  set_user_signal(note_checkpoint_wanted);
}

CheckpointSignal::~CheckpointSignal() {
  // one that comes late, while the run ends, must not undo it
  set_user_signal(SIG_IGN);
}

bool CheckpointSignal::asked() const {
  return checkpoint_wanted.load(std::memory_order_relaxed);
}

InterruptWatch::InterruptWatch() {
  interrupted.store(false);
  tell_where_killed("");
  name_of_speaker = speaker();
  set_handler(note_interrupt);
}

InterruptWatch::~InterruptWatch() {
  set_handler(SIG_DFL);
}

bool InterruptWatch::asked() const {
  return interrupted.load(std::memory_order_relaxed);
}

}  // namespace talus::app
