// The program talus: reads the command line, runs one verb, turns failures into messages and exit
// codes.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/parallel/communicator.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/streams.hpp"
#include "core/arithmetic.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <malloc.h>
#include <new>
#include <string>
#include <unistd.h>

namespace {

/// Threads of libgomp spin for milliseconds at every barrier before they sleep. On a machine that
/// others use too, that makes two threads many times slower than one. The limit is read before main
/// begins, so the program starts itself once more with it; who sets either variable keeps his own
/// choice.
void limit_spinning(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (setenv("GOMP_SPINCOUNT", "2000", 0) != 0) return;
  execv("/proc/self/exe", argv);  // returns only where it fails: then all goes on as it was
}

/// A step gives back the same arrays that the next one asks for. Returned to the system each time
/// they would come back as pages to be cleared anew, which took a sixth of a step of 8000 spheres.
void keep_freed_memory() {
  constexpr int most_allowed = 1 << 25, much = 1 << 30;  // bytes
  mallopt(M_MMAP_THRESHOLD, most_allowed);
  mallopt(M_TRIM_THRESHOLD, much);
}

/// All ranks know: one speaks.
int failed(const char* message, int code) {
  if (talus::launched_rank() == 0) talus::app::say(stderr, "talus: {}\n", message);
  return code;
}

/// Of several ranks this one alone: it says where it was, and no other waits for it.
int failed_alone(const std::string& message, int code) {
  if (talus::launched_ranks() <= 1) return failed(message.c_str(), code);
  talus::app::say(stderr, "talus: rank {}{}: {}\n", talus::launched_rank(),
                  talus::Phase::place_of_failure(), message);
  std::fflush(nullptr);
  talus::MpiSession::abort(code);
}

/// Of one rank, too, it matters what asked for so much.
std::string text_of(const std::bad_alloc& failure) {
  const std::string phase = talus::Phase::of_failure();
  const bool is_said = phase.empty() || talus::launched_ranks() > 1;
  return (is_said ? "" : "while " + phase + ": ") + talus::failure_text(failure);
}

std::terminate_handler end_of_bugs = nullptr;
std::atomic<bool> memory_was_refused{false};

/// What operator new does without memory, and a note of it.
void refuse_memory() {
  memory_was_refused = true;
  throw std::bad_alloc();
}

bool is_out_of_memory() {
  const std::exception_ptr failure = std::current_exception();
  // libraries ask for memory where nothing may be thrown, and leave no exception behind
  if (!failure) return memory_was_refused;
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Memory may be refused where nothing can be thrown: values of JSON ask for some in their
/// destructors, iterators of directories in constructors. That is an end as any other without
/// memory, and no bug of ours.
[[noreturn]] void end_where_nobody_catches() {
  if (is_out_of_memory()) {
    const char* what = std::current_exception()
                           ? "talus: out of memory"
                           : "talus: ended where nothing can be told, after memory was refused";
    talus::Phase::write_place(STDERR_FILENO, what,
                              ": use more ranks on more machines, or a smaller problem\n");
    if (talus::launched_ranks() > 1) talus::MpiSession::abort(talus::app::exit_failed);
    std::_Exit(talus::app::exit_failed);
  }
  end_of_bugs();
  std::abort();
}

int run_on_this_rank(int argc, char** argv) {
  const talus::StandardArithmetic arithmetic;  // MPI may have loaded libraries, too
  try {
    const talus::Communicator world = talus::Communicator::world();
    talus::app::require_same_words(world, argc, argv);
    const int code = talus::app::run(argc, argv, world);
    if (const int reason = talus::app::flushed_stdout(); reason != 0) {
      if (reason == EPIPE)
        return talus::app::exit_failed;  // the reader wants no more, as head does
      return failed_alone("the results could not be printed: stdout is full or closed",
                          talus::app::exit_failed);
    }
    return code;
  } catch (const talus::AgreedInputError& error) {
    return failed(error.what(), talus::app::exit_bad_input);
  } catch (const talus::AgreedFailure& error) {
    return failed(error.what(), talus::app::exit_failed);
  } catch (const talus::InputError& error) {
    return failed_alone(error.what(), talus::app::exit_bad_input);
  } catch (const talus::AgreedFormulaError& error) {
    return failed(error.what(), talus::app::exit_failed);
  } catch (const std::bad_alloc& error) {
    return failed_alone(text_of(error), talus::app::exit_failed);
  } catch (const std::exception& error) {
    return failed_alone(error.what(), talus::app::exit_failed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const talus::StandardArithmetic arithmetic;
  limit_spinning(argv);
  end_of_bugs = std::set_terminate(end_where_nobody_catches);
  std::set_new_handler(refuse_memory);
  keep_freed_memory();
  talus::app::keep_standard_streams();
  // a limit on the size of files is a write that fails, with a message, as on a full disk
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const talus::MpiSession session(argc, argv);
    return run_on_this_rank(argc, argv);
  } catch (const std::exception& error) {  // MPI itself could not be started
    return failed(error.what(), talus::app::exit_failed);
  }
}
