#pragma once
// What defaults are chosen from.

#include "talus/model/scene.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

/// The largest finite value of a function of time from 0 to time.end, of 1000 looks where it
/// varies; at least 0.
template <class Function>
double largest_value(const Scene& scene, bool varies, const Function& value_at) {
  constexpr int looks = 1000;
  // Steps of the golden section: no period of a formula hides between them.
  constexpr double golden = 0.6180339887498949;
  double largest = 0.0;
  for (int i = 0; i < (varies ? looks : 1); ++i) {
    const double value = value_at(scene.time.end * (i * golden - std::floor(i * golden)));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return largest;
}

double gravity_of(const World& world);

/// Of what moves now and is owned here, comes in with streams or is added by events; infinite where
/// there is nothing.
double smallest_size(const World& world, const Scene& scene);

}  // namespace talus
