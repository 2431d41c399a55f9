#pragma once
// A pile with everything that output looks at, after some steps: what monitors and frames are
// compared on.

#include "talus/model/world.hpp"

#include "support/small_scene.hpp"

namespace talus::support {

inline constexpr double step_of_pile = 0.01;

/// Spheres (group "balls") and boxes ("boxes") that fall on a plane ("floor", id 0) and beside a
/// fixed box ("block", id 1), one ball on a rope ("rope") from the world.
SmallScene pile_scene();
/// After 12 steps: some rest, some slide, some fly.
World settled_pile();

}  // namespace talus::support
