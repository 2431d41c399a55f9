#pragma once
// The largest of a number of steps.

#include <cmath>
#include <cstdint>

namespace talus::app {

/// The largest of a number of steps, and the step that had it.
struct Worst {
  double value = 0.0;
  std::int64_t step = 0;  ///< 0: none was above 0

  void see(double seen, std::int64_t at) {
    if (seen <= value || std::isnan(value)) return;  // what is no number is the worst, and stays it
    value = seen;
    step = at;
  }
};

}  // namespace talus::app
