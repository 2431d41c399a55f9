#include "simulation/weighted_mean.hpp"

#include "talus/parallel/limb_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace talus {

double self_weighted_mean(const std::vector<double>& values, const Communicator& comm) {
  std::array<LimbSum, 2> sums;
  std::vector<double> squares, fourths;
  const auto flush = [&] {
    sums[0].add(squares);
    sums[1].add(fourths);
    squares.clear();
    fourths.clear();
  };
  for (const double x : values) {
    squares.push_back(x * x);
    fourths.push_back(x * x * (x * x));
    if (squares.size() == LimbSum::most_terms) flush();
  }
  flush();
  reduce(comm, sums);
  const double square = sums[0].value();
  return square > 0.0 ? std::sqrt(sums[1].value() / square) : 0.0;
}

}  // namespace talus
