#pragma once
// Sizes of bodies, drawn by (seed, number of the body), and how well they follow what was asked.

#include "talus/model/scene.hpp"

#include <vector>

namespace talus {

/// What is wrong with the numbers of a distribution, in words; each begins with the key.
std::vector<std::string> faults_of(const SizeDistribution& sizes);

class Sizes {
 public:
  /// Without faults. A distribution by mass of bodies of one density has, by number, the density of
  /// its mass over size^3: a lognormal one stays lognormal with its median times exp(-3 s^2).
  explicit Sizes(const SizeDistribution& wanted);

  /// Of body number `number`.
  double draw(std::uint64_t seed, std::uint64_t number) const;
  double smallest() const { return low_; }
  double largest() const { return high_; }

  /// Share of bodies (of their mass, where that is how it was asked) of at most this size.
  double share_up_to(double size) const { return share(size, true); }
  /// The same of sizes below.
  double share_below(double size) const { return share(size, false); }

 private:
  double share(double size, bool with_equal) const;

  SizeDistribution wanted_;
  double low_ = 0.0, high_ = 0.0;
  double centre_ = 0.0;           ///< lognormal: logarithm of the median by number
  double from_ = 0.0, to_ = 0.0;  ///< lognormal: cuts, in deviations from the centre
  std::vector<double> up_to_;     ///< table: number of bodies up to each line, sums to 1
  std::vector<std::array<double, 2>> lines_;  ///< table: by size, shares as asked, sum to 1
};

/// Kolmogorov's distance: the largest difference between the cumulative distribution of `sizes` and
/// the wanted one. 0 of no sizes.
double largest_deviation(const Sizes& wanted, bool by_mass, std::vector<double> sizes);

/// Probability that a standard normal number lies between two, of which either may be infinite.
/// Relative accuracy 1e-12, also far out.
double normal_between(double from, double to);

}  // namespace talus
