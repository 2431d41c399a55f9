// Lattices whose bodies touch the low corners of their cells, and whose cells are no cubes.

#include "unit/generate/scene_fixture.hpp"

namespace talus {
namespace {

using support::bodies_of;
using support::spheres;
using Kind = Generator::Kind;

// A wall: bricks touch one another and the low corner, and 30 courses are not 29 where 30 heights
// are rounded down.
TEST(Lattice, OfBricksIsFlushWithTheLowCorner) {
  const Vec3 brick{0.25, 0.12, 0.065};
  World world = support::small_world();
  world.shapes.emplace_back(Box{0.5 * brick});
  Generator generator = spheres(Kind::Lattice);
  generator.shape = 3;
  generator.sizes.low = 1.0;
  generator.low = true;
  for (const int rows : {1, 3, 7, 30, 49, 98}) {
    generator.spacing = {brick.x, brick.y, 2.0 * brick.z};
    generator.region.low = {-0.3, 0.1, 0.7};
    generator.region.high = {0.45, 0.3, 0.7 + rows * 2.0 * brick.z};
    GeneratorReport ignored;
    const std::vector<NewBody> bodies = generate_bodies(generator, world, 0, ignored);
    ASSERT_EQ(bodies.size(), 3u * static_cast<std::size_t>(rows));
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const Vec3& x = bodies[k].pose.position;
      EXPECT_NEAR(x.x, -0.3 + (static_cast<double>(k % 3) + 0.5) * brick.x, 1e-12);
      EXPECT_NEAR(x.y, 0.1 + 0.5 * brick.y, 1e-12);
      EXPECT_NEAR(x.z, 0.7 + (2.0 * static_cast<double>(k / 3) + 0.5) * brick.z, 1e-12);
    }
  }
}

TEST(Lattice, AtTheLowCornerKnowsHowBodiesLie) {
  World world = support::small_world();
  world.shapes.emplace_back(Box{{0.02, 0.01, 0.005}});
  Generator generator = spheres(Kind::Lattice);
  generator.shape = 3;
  generator.sizes.low = 1.0;
  generator.low = true;
  generator.spacing = {0.05, 0.05, 0.1};
  const double half = std::sqrt(0.5);
  generator.orientation = {half, half, 0.0, 0.0};  // its z is along -y
  GeneratorReport ignored;
  const Vec3 lying = generate_bodies(generator, world, 0, ignored).front().pose.position;
  EXPECT_NEAR(lying.x, 0.02, 1e-12);
  EXPECT_NEAR(lying.y, 0.005, 1e-12);
  EXPECT_NEAR(lying.z, 0.01, 1e-12);

  generator.turned = true;  // a sphere that holds it
  const double reach = std::sqrt(0.02 * 0.02 + 0.01 * 0.01 + 0.005 * 0.005);
  const Vec3 turned = generate_bodies(generator, world, 0, ignored).front().pose.position;
  EXPECT_NEAR(turned.x, reach, 1e-12);
  EXPECT_NEAR(turned.z, reach, 1e-12);

  // a cylinder along x: the lattice stands along its axis, from its base
  generator.turned = false;
  generator.orientation = {};
  generator.region.kind = Region::Kind::Cylinder;
  generator.region.centre = {0.3, 0.0, 0.0};
  generator.region.axis = {1.0, 0.0, 0.0};
  generator.region.radius = 0.08;
  generator.region.height = 0.2;
  generator.spacing = {0.05, 0.05, 0.1};
  const std::vector<NewBody> along = generate_bodies(generator, world, 0, ignored);
  ASSERT_FALSE(along.empty());
  EXPECT_NEAR(along.front().pose.position.x, 0.32, 1e-12);
}

TEST(Lattice, MayBeDenserAlongOneAxis) {
  Generator generator = spheres(Kind::Lattice);
  generator.spacing = {0.01, 0.02, 0.05};
  const std::vector<NewBody> bodies = bodies_of(generator);
  ASSERT_EQ(bodies.size(), 10u * 5u * 2u);
  EXPECT_NEAR(bodies[1].pose.position.x - bodies[0].pose.position.x, 0.01, 1e-15);
  EXPECT_NEAR(bodies[10].pose.position.y - bodies[0].pose.position.y, 0.02, 1e-15);
  EXPECT_NEAR(bodies[50].pose.position.z - bodies[0].pose.position.z, 0.05, 1e-15);
}

}  // namespace
}  // namespace talus
