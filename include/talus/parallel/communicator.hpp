#pragma once
// The ranks of a run. This version runs on one rank; every collective already goes through here and
// is counted, so that solvers state and keep their price in messages.

#include <cstdint>

namespace talus {

class LocalSums;

class Communicator {
 public:
  /// A communicator of one rank: never calls MPI.
  static Communicator self() { return {}; }

  int rank() const { return 0; }
  int size() const { return 1; }

  /// Sums the integer limbs, takes the maxima: one fused reduction. Collective.
  void reduce(LocalSums& sums) const;

  /// True when every rank says so. Collective.
  bool all_agree(bool mine) const;

  std::int64_t reductions() const { return reductions_; }

 private:
  Communicator() = default;
  mutable std::int64_t reductions_ = 0;
};

}  // namespace talus
