// The program talus: reads the command line, runs one verb, turns failures into messages and exit
// codes.

#include "talus/core/error.hpp"

#include "app/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <unistd.h>

namespace {

/// Started by mpirun with more than one rank, every rank would solve the same problem and write the
/// same files.
void refuse_many_ranks() {
  const char* ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (ranks != nullptr && std::atoi(ranks) > 1)
    throw talus::InputError(fmt::format(
        "started on {} ranks: this version runs on one rank; start it without mpirun and use "
        "--threads N",
        ranks));
}

bool is_first_rank() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::atoi(rank) == 0;
}

/// Threads of libgomp spin for milliseconds at every barrier before they sleep. On a machine that
/// others use too, that makes two threads many times slower than one. The limit is read before main
/// begins, so the program starts itself once more with it; who sets either variable keeps his own
/// choice.
void limit_spinning(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  if (setenv("GOMP_SPINCOUNT", "2000", 0) != 0) return;
  execv("/proc/self/exe", argv);  // returns only where it fails: then all goes on as it was
}

int failed(const char* message, int code) {
  if (is_first_rank()) fmt::print(stderr, "talus: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  limit_spinning(argv);
  try {
    refuse_many_ranks();
    const int code = talus::app::run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return failed("the results could not be printed: stdout is full or closed",
                    talus::app::exit_failed);
    return code;
  } catch (const talus::InputError& error) {
    return failed(error.what(), talus::app::exit_bad_input);
  } catch (const std::bad_alloc&) {
    return failed("out of memory: the problem is too large for this machine",
                  talus::app::exit_failed);
  } catch (const std::exception& error) {
    return failed(error.what(), talus::app::exit_failed);
  }
}
