#pragma once
// Work that one rank does for all.

#include "talus/parallel/agreement.hpp"

#include <array>

namespace talus::app {

/// The exit code of `work`, run by the first rank only; the others wait. What it throws, all throw.
/// Collective.
template <class Work>
int on_first_rank(const Communicator& comm, const Work& work) {
  std::array<std::int64_t, 1> code{0};
  agree(comm, [&] {
    if (comm.rank() == 0) code[0] = work();
  });
  comm.sum(code);
  return static_cast<int>(code[0]);
}

}  // namespace talus::app
