#pragma once
// How a kernel hands its exact sums back: plain integers, one per lane, so that kernel files need
// no classes.

namespace talus {

struct LaneTotals {
  static constexpr int most_sums = 8;
  long high[8 * most_sums], low[8 * most_sums];
  double largest[most_sums];
  bool finite;
};

}  // namespace talus
