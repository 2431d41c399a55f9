// What detection tells other ranks of the bodies that are owned here.

#include "model/detection.hpp"
#include "unit/model/placed_bodies.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

// Other ranks have been told within which bounds the body stays. A search for the sake of a ghost,
// which other ranks know nothing of, must not let it go farther than that.
TEST(DetectionOnRanks, KeepsWhatItHasPromisedWhenGhostsMakeItSearch) {
  World world;
  world.shapes = {Sphere{1.0}};
  append(world, resting(1, 0, {}));
  append(world, resting(2, 0, {10.0, 0.0, 0.0}));
  BodySet& bodies = world.bodies;
  bodies.owned = 1;  // the other is a ghost
  bodies.owner[1] = 1;
  const std::vector<double> margin(2, 0.0);
  Detection detection;
  const Bounds promised = detection.search_bounds(world, margin).at(0);
  const double slack = promised.high.x - 1.0;
  ASSERT_GT(slack, 0.0);
  ContactSet contacts;
  detection.find(world, margin, contacts);

  bodies.position[0].x = 0.7 * slack;
  EXPECT_FALSE(detection.must_search(world, margin));
  bodies.position[1].x -= 3.0 * slack;
  EXPECT_TRUE(detection.find(world, margin, contacts).searched);
  EXPECT_FALSE(detection.must_search(world, margin));
  // as far again: others may have missed it
  bodies.position[0].x = 1.4 * slack;
  EXPECT_TRUE(detection.must_search(world, margin));
}

}  // namespace
}  // namespace talus
