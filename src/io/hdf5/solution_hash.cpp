#include "io/report_file.hpp"

#include <algorithm>
#include <array>

// The whole of xxHash is compiled into this file: the state of a hash under way is sent to the next
// rank, and only so is its layout ours to know.
#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the library's name
#include <xxhash.h>

namespace talus {
namespace {

/// XXH64 reads its input from front to back: rank after rank takes the state over, adds its share
/// and hands it on. Collective.
class HashOverRanks {
 public:
  explicit HashOverRanks(const Communicator& comm) : comm_(comm), state_(1) {
    XXH64_reset(state_.data(), 0);
  }

  void add(const std::vector<double>& share) {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (rank == comm_.rank()) add_here(share);
      Bytes travelling = to_bytes(state_);
      comm_.broadcast(travelling, rank);
      state_ = from_bytes<XXH64_state_t>(travelling);
    }
  }

  std::uint64_t digest() const { return XXH64_digest(state_.data()); }

 private:
  void add_here(const std::vector<double>& share) {
    std::array<double, 1024> some{};
    for (std::size_t i = 0; i < share.size(); i += some.size()) {
      const std::size_t count = std::min(some.size(), share.size() - i);
      for (std::size_t k = 0; k < count; ++k) some[k] = share[i + k] + 0.0;  // -0 and +0 are one
      XXH64_update(state_.data(), some.data(), count * sizeof(double));
    }
  }

  const Communicator& comm_;
  std::vector<XXH64_state_t> state_;  // one
};

}  // namespace

std::uint64_t solution_hash(const Solution& slice, const Communicator& comm) {
  std::array<double, 1> has_velocities{slice.v.empty() ? 0.0 : 1.0};
  comm.largest(has_velocities);
  HashOverRanks hash(comm);
  hash.add(has_velocities[0] > 0.0 ? slice.v : slice.u);
  hash.add(slice.r);
  hash.add(slice.l);
  return hash.digest();
}

std::uint64_t solution_hash(const Solution& solution) {
  return solution_hash(solution, Communicator::self());
}

}  // namespace talus
