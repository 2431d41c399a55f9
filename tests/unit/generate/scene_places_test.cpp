#include "generate/scene_parts.hpp"
#include "support/fault_of.hpp"
#include "unit/generate/scene_fixture.hpp"

#include <gmock/gmock.h>

namespace talus {
namespace {

using support::bodies_of;
using support::deepest;
using support::fault_of;
using support::small_world;
using support::spheres;
using Kind = Generator::Kind;

Region ball(double radius) {
  Region region;
  region.kind = Region::Kind::Sphere;
  region.centre = {1.0, 2.0, 3.0};
  region.radius = radius;
  return region;
}

/// Leaning over in x and z.
Region cylinder(double radius, double height) {
  Region region;
  region.kind = Region::Kind::Cylinder;
  region.centre = {1.0, 2.0, 3.0};
  region.axis = {0.6, 0.0, 0.8};
  region.radius = radius;
  region.height = height;
  return region;
}

/// By how much the sphere about a body reaches out of the region, m.
double out_of(const Region& region, const Vec3& p, double r) {
  const Vec3 d = p - region.centre;
  switch (region.kind) {
    case Region::Kind::Sphere:
      return length(d) + r - region.radius;
    case Region::Kind::Cylinder: {
      const double along = dot(d, region.axis);
      const double across = length(d - along * region.axis) + r - region.radius;
      return std::max({across, r - along, along + r - region.height});
    }
    case Region::Kind::Box:
      break;
  }
  const Vec3 a = region.low - p, b = p - region.high;
  return r + std::max({a.x, a.y, a.z, b.x, b.y, b.z});
}

double farthest_out(const Region& region, const std::vector<NewBody>& bodies, double reach = 0.5) {
  double farthest = -1.0;
  for (const NewBody& body : bodies)
    farthest = std::max(farthest, out_of(region, body.pose.position, reach * body.scale));
  return farthest;
}

TEST(Lattice, FillsABoxWithWholeCellsAboutItsMiddle) {
  Generator generator = spheres(Kind::Lattice);
  generator.region.high = {0.1, 0.045, 0.039};
  GeneratorReport report;

  const auto bodies = generate_bodies(generator, small_world(), 7, report);

  ASSERT_EQ(bodies.size(), 10U * 4U * 3U);  // although 0.1 / 0.01 may round below 10
  EXPECT_EQ(bodies[0].id, 7);
  EXPECT_EQ(bodies[119].id, 126);
  EXPECT_NEAR(bodies[0].pose.position.x, 0.005, 1e-15);
  EXPECT_NEAR(bodies[0].pose.position.y, 0.0075, 1e-15);
  EXPECT_NEAR(bodies[0].pose.position.z, 0.0095, 1e-15);
  EXPECT_NEAR(bodies[1].pose.position.x, 0.015, 1e-15);  // x is the fastest
  EXPECT_NEAR(bodies[10].pose.position.y, 0.0175, 1e-15);
  EXPECT_NEAR(bodies[40].pose.position.z, 0.0195, 1e-15);
  EXPECT_EQ(report.name, "fill");
  EXPECT_EQ(report.count, 120);
  const double one = support::glass * pi / 6.0 * 1e-6;
  EXPECT_NEAR(report.mass, 120.0 * one, 1e-12 * report.mass);
  EXPECT_EQ(report.wanted_mass, 0.0);
  EXPECT_NEAR(report.solid_fraction, 120.0 * pi / 6.0 * 1e-6 / (0.1 * 0.045 * 0.039), 1e-12);
  EXPECT_EQ(report.wanted_solid_fraction, 0.0);
  EXPECT_EQ(report.smallest, 0.01);
  EXPECT_NEAR(report.mean, 0.01, 1e-16);
  EXPECT_EQ(report.median_by_mass, 0.01);
  EXPECT_EQ(report.largest, 0.01);
  EXPECT_EQ(report.largest_deviation, 0.0);
}

TEST(Lattice, OfMoreBodiesThanMemoryIsPricedBeforeItIsMade) {
  Generator generator = spheres(Kind::Lattice);
  generator.region.high = {20.0, 20.0, 20.0};
  generator.spacing = {0.0001, 0.0001, 0.0001};
  EXPECT_THAT(support::fault_of([&] { bodies_of(generator); }),
              ::testing::AllOf(::testing::HasSubstr("pile.yaml:7:3: makes about 8e+15 bodies"),
                               ::testing::HasSubstr("GB are needed")));
  generator.count = 10;
  EXPECT_EQ(bodies_of(generator).size(), 10U);
}

TEST(Lattice, ALimitedCountFillsFromBelow) {
  Generator generator = spheres(Kind::Lattice);
  generator.count = 150;

  const auto bodies = bodies_of(generator);

  ASSERT_EQ(bodies.size(), 150U);
  EXPECT_NEAR(bodies[149].pose.position.z, 0.015, 1e-15);
  EXPECT_NEAR(bodies[149].pose.position.y, 0.045, 1e-15);
}

TEST(Lattice, InRoundRegionsOnlyWholeCellsStand) {
  for (const Region& region : {ball(0.05), cylinder(0.05, 0.03)}) {
    Generator generator = spheres(Kind::Lattice);
    generator.region = region;
    const auto bodies = bodies_of(generator);

    // what a region of half a cell less would hold at least, and its volume at most
    const double volume = volume_of(region) / 1e-6;
    EXPECT_GT(static_cast<double>(bodies.size()), 0.6 * volume);
    EXPECT_LT(static_cast<double>(bodies.size()), volume);
    EXPECT_LE(farthest_out(region, bodies), 1e-10);
    EXPECT_LE(deepest(bodies), 1e-10);
    Vec3 mean;
    for (const NewBody& body : bodies)
      mean = mean + (1.0 / static_cast<double>(bodies.size())) * body.pose.position;
    const Vec3 middle = region.kind == Region::Kind::Sphere
                            ? region.centre
                            : region.centre + 0.5 * region.height * region.axis;
    EXPECT_LT(length(mean - middle), 1e-12);
  }
}

TEST(Lattice, JitterMovesEachCoordinateByUpToSoMuch) {
  Generator straight = spheres(Kind::Lattice), shaken = straight;
  shaken.jitter = 0.002;

  const auto a = bodies_of(straight), b = bodies_of(shaken);

  double largest = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Vec3 d = b[i].pose.position - a[i].pose.position;
    for (const double x : {d.x, d.y, d.z}) {
      largest = std::max(largest, std::abs(x));
      sum += x;
    }
  }
  EXPECT_LE(largest, 0.002);
  EXPECT_GT(largest, 0.00199);
  // 3000 numbers of deviation 0.002 / sqrt(3): four deviations of their mean
  EXPECT_LT(std::abs(sum / 3000.0), 4.0 * 0.002 / 3.0 / std::sqrt(1000.0));
}

TEST(Lattice, OfAGivenBodyDoesNotDependOnHowManyThereAre) {
  Generator all = spheres(Kind::Lattice);
  all.jitter = 0.001;
  all.turned = true;
  all.sizes = {.kind = SizeDistribution::Kind::Uniform, .low = 0.005, .high = 0.008};
  Generator some = all;
  some.count = 37;

  auto first = bodies_of(all);
  first.resize(37);

  EXPECT_TRUE(support::same_bits(first, bodies_of(some)));
}

TEST(Lattice, BodiesAreAsTheGeneratorSays) {
  Generator generator = spheres(Kind::Lattice);
  generator.shape = 1;
  generator.group = 3;
  generator.velocity = {1.0, 2.0, 3.0};
  generator.angular_velocity = {4.0, 5.0, 6.0};
  generator.orientation = {0.6, 0.8, 0.0, 0.0};

  const NewBody body = bodies_of(generator).front();

  EXPECT_EQ(body.motion, Motion::Dynamic);
  EXPECT_EQ(body.shape, 1);
  EXPECT_EQ(body.group, 3);
  EXPECT_EQ(body.scale, 0.01);
  EXPECT_DOUBLE_EQ(body.mass, support::glass * 1e-6);
  EXPECT_DOUBLE_EQ(body.inertia.xx, body.mass * 1e-4 / 6.0);  // of a cube
  EXPECT_DOUBLE_EQ(body.inertia.zz, body.mass * 1e-4 / 6.0);
  EXPECT_EQ(body.inertia.xy, 0.0);
  EXPECT_EQ(body.pose.orientation.x, 0.8);
  EXPECT_EQ(body.velocity.z, 3.0);
  EXPECT_EQ(body.angular_velocity.x, 4.0);
}

TEST(Generators, TurnBodiesAllWays) {
  Generator generator = spheres(Kind::Lattice);
  generator.turned = true;

  Sym3 mean;  // of the outer products of the turned x axis: a third of the identity
  const auto bodies = bodies_of(generator);
  for (const NewBody& body : bodies) {
    const Quaternion& q = body.pose.orientation;
    EXPECT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1.0, 1e-15);
    const Vec3 x = rotate(q, {1.0, 0.0, 0.0});
    mean.xx += x.x * x.x / 1000.0;
    mean.yy += x.y * x.y / 1000.0;
    mean.xy += x.x * x.y / 1000.0;
  }
  EXPECT_NEAR(mean.xx, 1.0 / 3.0, 0.04);  // four deviations, of sqrt(4 / 45 / 1000)
  EXPECT_NEAR(mean.yy, 1.0 / 3.0, 0.04);
  EXPECT_NEAR(mean.xy, 0.0, 0.04);
}

TEST(Lattice, TellsWhatDoesNotFit) {
  Generator generator = spheres(Kind::Lattice);
  generator.count = 1001;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: count = 1001 must be at most 1000, the places of a lattice of 0.01 m "
            "in a box of 0.1 x 0.1 x 0.1 m: make the spacing smaller or the region larger");
  generator.spacing = {0.2, 0.2, 0.2};
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: spacing = 0.2 must fit into the region, a box of 0.1 x 0.1 x 0.1 m: "
            "make it smaller or the region larger");
  generator.spacing = {0.0, 0.0, 0.0};
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: spacing = 0 must be positive: a length in m");
  generator.spacing = {1e-12, 1e-12, 1e-12};
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: spacing = 1e-12 must be a length in m that fits less than 1000000000 "
            "times along the region, a box of 0.1 x 0.1 x 0.1 m");
  generator.spacing = {0.01, 0.01, -1.0};
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: spacing = [0.01, 0.01, -1] must be positive: a length in m");
}

TEST(Generators, TellWhatHasNoMass) {
  Generator generator = spheres(Kind::Lattice);
  generator.material = 1;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: material = ghost must have a density: generated bodies take their mass "
            "from it");
  generator.material = 0;
  generator.shape = 2;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: shape = plane must have a volume: planes and open meshes cannot be "
            "generated");
  generator.sizes.low = -1.0;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: size = -1 must be a positive length in m");
}

TEST(RandomPlaces, AreInsideAndApart) {
  for (const Region& region : {spheres(Kind::Random).region, ball(0.05), cylinder(0.04, 0.1)}) {
    Generator generator = spheres(Kind::Random);
    generator.region = region;
    generator.sizes = {.kind = SizeDistribution::Kind::Uniform, .low = 0.004, .high = 0.012};
    generator.solid_fraction = 0.3;
    GeneratorReport report;

    const auto bodies = generate_bodies(generator, small_world(), 0, report);

    EXPECT_LE(farthest_out(region, bodies), 1e-12);
    EXPECT_LE(deepest(bodies), 1e-12);
    // the last body is in where that is nearer: within half a body
    const double half = 0.5 * pi / 6.0 * 1.728e-6 / volume_of(region);
    EXPECT_NEAR(report.solid_fraction, 0.3, half);
    EXPECT_NEAR(report.solid_fraction, support::solid_of(bodies) / volume_of(region), 1e-12);
    EXPECT_EQ(report.wanted_solid_fraction, 0.3);
    EXPECT_NEAR(report.wanted_mass, 0.3 * volume_of(region) * support::glass, 1e-12);
    EXPECT_LT(report.largest_deviation, 1.95 / std::sqrt(static_cast<double>(bodies.size())));
  }
}

TEST(RandomPlaces, ACountIsMet) {
  Generator generator = spheres(Kind::Random);
  generator.count = 200;
  GeneratorReport report;
  EXPECT_EQ(generate_bodies(generator, small_world(), 0, report).size(), 200U);
  EXPECT_EQ(report.wanted_solid_fraction, 0.0);

  generator.solid_fraction = 0.01;  // whichever is first
  EXPECT_EQ(bodies_of(generator).size(), 19U);
}

TEST(RandomPlaces, AsManyAsFitIsWhatRandomPlacingReaches) {
  Generator generator = spheres(Kind::Random);

  const auto bodies = bodies_of(generator);

  // random sequential adsorption ends at 0.384 without walls, which are 10 diameters apart here
  const double fraction = support::solid_of(bodies) / 1e-3;
  EXPECT_GT(fraction, 0.28);
  EXPECT_LT(fraction, 0.384);
  EXPECT_LE(deepest(bodies), 1e-12);
}

TEST(RandomPlaces, TellWhatDoesNotFit) {
  Generator generator = spheres(Kind::Random);
  generator.region.high = {0.05, 0.05, 0.05};
  generator.solid_fraction = 0.45;
  const std::string full = fault_of([&] { bodies_of(generator); });
  EXPECT_EQ(full.find("pile.yaml:7:3: 107 bodies must find random places in a box of 0.05 x 0.05 x "
                      "0.05 m: "),
            0U)
      << full;
  EXPECT_NE(full.find("; ask for fewer, or use type: packing"), std::string::npos) << full;

  generator.sizes.low = 0.06;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: size = 0.06 must fit into the region, a box of 0.05 x 0.05 x 0.05 m: "
            "make the region larger or cut the sizes off");
  generator.solid_fraction = 0.0;
  EXPECT_EQ(fault_of([&] { bodies_of(generator); }),
            "pile.yaml:7:3: size = 0.06 must fit into the region, a box of 0.05 x 0.05 x 0.05 m: "
            "make the region larger");
  generator.region = ball(0.01);
  generator.count = 1;
  EXPECT_EQ(
      fault_of([&] { bodies_of(generator); }),
      "pile.yaml:7:3: size = 0.06 must fit into the region, a sphere of diameter 0.02 m: make "
      "the region larger or cut the sizes off");
}

TEST(Import, KeepsWhatWasRead) {
  Generator generator = spheres(Kind::Import);
  generator.shape = 1;
  generator.group = 2;
  generator.velocity = {0.0, 0.0, 1.0};
  generator.imported.resize(2);
  generator.imported[0].id = 40;
  generator.imported[1].scale = 0.02;
  generator.imported[1].mass = 5.0;
  generator.imported[1].velocity = {1.0, 0.0, 1.0};
  GeneratorReport report;

  const auto bodies = generate_bodies(generator, small_world(), 100, report);

  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0].id, 100);
  EXPECT_EQ(bodies[1].id, 101);
  EXPECT_EQ(bodies[1].scale, 0.02);
  EXPECT_EQ(bodies[1].mass, 5.0);
  EXPECT_EQ(bodies[1].shape, 1);
  EXPECT_EQ(bodies[1].group, 2);
  EXPECT_EQ(bodies[1].velocity.x, 1.0);
  EXPECT_EQ(bodies[1].velocity.z, 2.0);
  EXPECT_EQ(report.count, 2);
  EXPECT_EQ(report.mass, 5.0);
  EXPECT_EQ(report.largest, 1.0);
  EXPECT_EQ(report.median_by_mass, 0.02);
}

}  // namespace
}  // namespace talus
