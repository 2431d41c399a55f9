#pragma once
// What defaults are chosen from.

#include "talus/model/scene.hpp"

namespace talus {

double gravity_of(const World& world);

/// Of what moves now and is owned here, comes in with streams or is added by events; infinite where
/// there is nothing.
double smallest_size(const World& world, const Scene& scene);

}  // namespace talus
