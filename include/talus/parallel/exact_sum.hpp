#pragma once
// Sums with the same bits for any order of the terms: any ranks, threads, lanes. Every term is
// written in fixed point, at least 53 and commonly 71 bits below the largest term, and integers are
// added. docs/decisions/004.

#include "talus/core/types.hpp"
#include "talus/parallel/communicator.hpp"

#include <array>
#include <functional>
#include <span>

namespace talus {

inline constexpr int max_fused_sums = 8;

__extension__ typedef __int128 Int128;  // NOLINT(modernize-use-using): -Wpedantic wants the marker

/// One rank's share of a fused reduction.
class LocalSums {
 public:
  explicit LocalSums(int count) : count_(count) {}
  int count() const { return count_; }
  void clear();
  /// Adds integer units of sum k: `high` counts 1 / scale, `low` 2^-40 of that.
  void add(int k, std::int64_t high, std::int64_t low);
  void note_largest(int k, double magnitude);
  void note_not_finite() { finite_ = false; }
  /// Integer addition and maxima: associative and commutative, so the order of merging is free.
  void merge(const LocalSums& other);

  /// How the sums travel in one message; `flags` holds what any rank may say about all.
  using Totals = std::array<Int128, max_fused_sums>;
  using Largest = std::array<double, max_fused_sums>;
  void write(Totals& totals, Largest& largest, std::int64_t& flags) const;
  void read(const Totals& totals, const Largest& largest, std::int64_t flags);

  Int128 total(int k) const { return total_[k]; }
  double largest(int k) const { return largest_[k]; }
  bool finite() const { return finite_; }

 private:
  int count_;
  Totals total_{};
  Largest largest_{};
  bool finite_ = true;
};

/// The scales of one kind of reduction inside one solve. A new solve makes a new one: no memory of
/// earlier solves. The first reduction finds the scales (and is done twice); later ones carry them
/// along, and one whose terms outgrow (or fall far below) its scale is detected and redone.
class FusedSums {
 public:
  explicit FusedSums(int count);

  /// A power of two per sum: what a term is multiplied with before it is rounded to an integer.
  const double* scales() const { return scales_.data(); }
  int count() const { return count_; }

  /// `fill(scales, sums)` adds this rank's owned terms; it may be called again with better scales
  /// and must then add the same terms. Returns the totals. Collective; counts one reduction per
  /// call of `fill`.
  std::array<double, max_fused_sums> reduce(
      const Communicator& comm, const std::function<void(const double*, LocalSums&)>& fill);

  /// False when a term of the last reduction was infinite or NaN: its totals mean nothing.
  bool finite() const { return finite_; }
  /// Largest |term| of sum k in the last reduction.
  double largest(int k) const { return largest_[k]; }

 private:
  bool scales_fit(const LocalSums& sums) const;
  void choose_scales(const LocalSums& sums);

  int count_;
  std::array<int, max_fused_sums> exponent_{};
  std::array<double, max_fused_sums> scales_{};
  std::array<double, max_fused_sums> largest_{};
  bool finite_ = true;
};

/// Adds one term in units of the scale; the plain twin of the lane version in exact_lanes.hpp.
void add_exact_term(LocalSums& sums, int k, double term, double scale);

/// Sum of terms, each rank giving its own. Collective, two reductions (one finds the scale).
double exact_sum(const Communicator& comm, std::span<const double> terms);

// Exact sums that need no scale: each term is cut into limbs of 40 bits that stand at fixed places,
// multiples of 40 bits, and integers are added. The same bits for any order of the terms, any
// threads and ranks, and whatever was summed before. Dearer than FusedSums: three limbs for two.
// Binned sums [Ahrens20], with integers for bins; docs/decisions/013.

/// A sum keeps the limb of its largest term and the two below it: 79 to 119 bits. What a term has
/// there does not depend on the other terms, so the limbs can be dropped at any time without a
/// trace.
class LimbSum {
 public:
  /// Terms below 2^-1000 count as zero.
  void add(std::span<const double> terms);
  void merge(const LimbSum& other);
  /// Rounded once; NaN once a term was infinite or NaN.
  double value() const;

  /// Who keeps terms until they are some needs not keep more.
  static constexpr std::size_t most_terms = 4096;

 private:
  static constexpr int none = -1000;  ///< place of the first limb while there is no term

  void add_some(std::span<const double> terms);
  void raise(int place);

  std::array<Int128, 3> limb_{};  ///< units of 2^(40 * place_), then 2^40 and 2^80 less
  std::int32_t place_ = none;
  std::int32_t finite_ = 1;
};

/// Adds the sums of all ranks, one by one: one reduction, counted. Collective.
void reduce(const Communicator& comm, std::span<LimbSum> sums);

/// Numbers of several kinds that travel in one message.
struct MixedNumbers {
  std::span<std::int64_t> sums{};
  std::span<double> largest{};
  std::span<LimbSum> exact{};
};
/// Adds the sums, takes the largest, adds the exact sums, one by one: one reduction, counted. All
/// ranks give as many of each kind. Collective.
void reduce(const Communicator& comm, const MixedNumbers& numbers);

}  // namespace talus
