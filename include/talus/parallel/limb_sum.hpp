#pragma once
// Exact sums that need no scale: each term is cut into limbs of 40 bits that stand at fixed places,
// multiples of 40 bits, and integers are added. The same bits for any order of the terms, any
// threads and ranks, and whatever was summed before. Dearer than FusedSums: three limbs for two.
// Binned sums [Ahrens20], with integers for bins; docs/decisions/013.

#include "talus/core/types.hpp"
#include "talus/parallel/exact_sum.hpp"

#include <array>
#include <span>

namespace talus {

/// A sum keeps the limb of its largest term and the two below it: 79 to 119 bits. What a term has
/// there does not depend on the other terms, so the limbs can be dropped at any time without a
/// trace.
class LimbSum {
 public:
  /// At most most_terms at once. Terms below 2^-1000 count as zero.
  void add(std::span<const double> terms);
  void merge(const LimbSum& other);
  /// Rounded once; NaN once a term was infinite or NaN.
  double value() const;

  static constexpr std::size_t most_terms = 4096;

 private:
  static constexpr int none = -1000;  ///< place of the first limb while there is no term

  void raise(int place);

  std::array<Int128, 3> limb_{};  ///< units of 2^(40 * place_), then 2^40 and 2^80 less
  std::int32_t place_ = none;
  std::int32_t finite_ = 1;
};

/// Adds the sums of all ranks, one by one: one reduction, counted. Collective.
void reduce(const Communicator& comm, std::span<LimbSum> sums);

}  // namespace talus
