// The program talus: reads the command line, runs one verb, turns failures into messages and exit
// codes.

#include "talus/core/error.hpp"

#include "app/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <new>

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

int failed(const char* message, int code) {
  if (is_first_rank()) fmt::print(stderr, "talus: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
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
