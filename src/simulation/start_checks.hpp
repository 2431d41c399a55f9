#pragma once
// What can only be seen once all bodies are there, and what is watched during a run.

#include "talus/model/scene.hpp"
#include "talus/stepping/step_settings.hpp"

#include <string>
#include <vector>

namespace talus {

/// InputError where bodies overlap by more than scene.max_overlap of the smaller one's size: how
/// many, and the worst by name and place.
void refuse_overlaps(const Scene& scene, const World& world);

/// A speed and step that carry bodies through walls or through each other.
std::vector<std::string> step_warnings(const Scene& scene, const World& world, double h);

/// "body 17 (dam), position (..) m, velocity (..) m/s, last contacts with ..."
std::string describe(const World& world, std::size_t body);

/// Of all overlaps of the world's contacts: the deepest, and the largest share of the smaller body.
struct Overlaps {
  double deepest = 0.0, share = 0.0;
};
Overlaps overlaps_of(const World& world);

}  // namespace talus
