#include "app/same_words.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace talus::app {

void require_same_words(const Communicator& comm, int argc, char** argv) {
  if (comm.size() == 1) return;
  const std::vector<std::string> words(argv + 1, argv + argc);  // the program's own path may differ
  std::string mine;
  for (const std::string& word : words) mine += word + '\0';
  const Bytes here = to_bytes(std::span<const char>(mine));
  Bytes first = here;
  comm.broadcast(first, 0);
  agree(comm, [&] {
    if (first != here)
      throw InputError(
          fmt::format("rank {} was started as 'talus {}', which is not how rank 0 was started: all "
                      "ranks take one command line, as in mpirun -n {} talus {}",
                      comm.rank(), fmt::join(words, " "), comm.size(), fmt::join(words, " ")));
  });
}

}  // namespace talus::app
