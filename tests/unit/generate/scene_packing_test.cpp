#include "generate/random.hpp"
#include "generate/scene_parts.hpp"
#include "support/fault_of.hpp"
#include "unit/generate/scene_fixture.hpp"

#include <omp.h>

#include <fmt/format.h>

namespace talus {
namespace {

using support::bodies_of;
using support::deepest;
using support::fault_of;
using support::small_world;
using Kind = Generator::Kind;

Generator packing(double fraction) {
  Generator generator = support::spheres(Kind::Packing);
  generator.solid_fraction = fraction;
  return generator;
}

/// Largest distance by which the centre of a sphere is away from where it may be.
double farthest_out(const Region& region, const std::vector<NewBody>& bodies) {
  double farthest = 0.0;
  for (const NewBody& body : bodies)
    farthest = std::max(
        farthest,
        length(nearest_inside(region, 0.5 * body.scale, body.pose.position) - body.pose.position));
  return farthest;
}

TEST(Packing, ReachesTheFractionAndHardlyOverlaps) {
  for (const double fraction : {0.3, 0.55, 0.59}) {
    const Generator generator = packing(fraction);
    GeneratorReport report;

    const auto bodies = generate_bodies(generator, small_world(), 0, report);

    EXPECT_NEAR(report.solid_fraction, fraction, 0.5 * pi / 6.0 * 1e-3);  // half a sphere
    EXPECT_NEAR(support::solid_of(bodies) / 1e-3, report.solid_fraction, 1e-12);
    EXPECT_EQ(report.wanted_solid_fraction, fraction);
    EXPECT_LT(report.largest_overlap, 1e-3);
    EXPECT_NEAR(report.largest_overlap, deepest(bodies), 1e-12);
    EXPECT_EQ(farthest_out(generator.region, bodies), 0.0);  // walls hold exactly
  }
}

// Small spheres that began inside large ones were pushed through them for minutes.
TEST(Packing, OfSizesThirtyTimesAsLargeAsOthers) {
  for (const double fraction : {0.3, 0.5}) {
    Generator generator = packing(fraction);
    generator.sizes = {
        .kind = SizeDistribution::Kind::Uniform, .by_mass = false, .low = 0.001, .high = 0.030};
    GeneratorReport report;

    const auto bodies = generate_bodies(generator, small_world(), 0, report);

    EXPECT_GT(report.largest / report.smallest, 10.0);
    EXPECT_LT(deepest(bodies), 1e-3);
    EXPECT_LT(farthest_out(generator.region, bodies), 1e-15);
  }
}

TEST(Packing, OfUnequalSpheresInRoundRegions) {
  for (const auto kind : {Region::Kind::Sphere, Region::Kind::Cylinder}) {
    Generator generator = packing(0.55);
    generator.region.kind = kind;
    generator.region.centre = {1.0, 0.0, 0.0};
    generator.region.radius = 0.05;
    generator.region.height = 0.1;
    generator.region.axis = {0.0, 0.6, 0.8};
    generator.sizes = {
        .kind = SizeDistribution::Kind::Uniform, .by_mass = true, .low = 0.004, .high = 0.012};
    GeneratorReport report;

    const auto bodies = generate_bodies(generator, small_world(), 0, report);

    EXPECT_NEAR(report.solid_fraction, 0.55, 2e-3);  // half of the largest sphere
    EXPECT_LT(deepest(bodies), 1e-3);
    EXPECT_LT(farthest_out(generator.region, bodies), 1e-15);
    EXPECT_GT(report.largest / report.smallest, 2.5);
  }
}

TEST(Packing, OfOtherShapesKeepsTheirSpheresApart) {
  Generator generator = packing(0.15);
  generator.shape = 1;
  generator.turned = true;

  const auto bodies = bodies_of(generator);

  EXPECT_EQ(bodies.size(), 150U);
  EXPECT_LT(deepest(bodies, std::sqrt(0.75)), 1e-3);
}

TEST(Packing, IsTheSameForAnyThreads) {
  const Generator generator = packing(0.6);  // jams on the way: all stages run
  const int before = omp_get_max_threads();
  std::vector<std::vector<NewBody>> all;
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    Generator larger = generator;
    larger.region.high.z = 0.22;  // as many chunks as threads are worth
    all.push_back(bodies_of(larger));
  }
  omp_set_num_threads(before);

  EXPECT_TRUE(support::same_bits(all[0], all[1]));
  EXPECT_GT(all[0].size(), 2048U);
}

TEST(Packing, NeighboursInSpaceHaveNearNumbers) {
  const auto bodies = bodies_of(packing(0.5));

  double apart = 0.0;
  for (std::size_t i = 1; i < bodies.size(); ++i)
    apart += length(bodies[i].pose.position - bodies[i - 1].pose.position);

  // random points of a unit cube are 0.66 apart
  EXPECT_LT(apart / static_cast<double>(bodies.size()), 0.3 * 0.066);
}

TEST(Packing, TellsWhatCannotBeReached) {
  EXPECT_EQ(
      fault_of([] { bodies_of(packing(1.0)); }),
      "pile.yaml:7:3: solid_fraction = 1 must be below 0.95: nothing can be packed so densely "
      "at random; equal spheres reach 0.6 to 0.62");
  EXPECT_EQ(fault_of([] { bodies_of(packing(0.0)); }),
            "pile.yaml:7:3: solid_fraction = 0 must be positive: the share of the region that "
            "bodies fill");
  EXPECT_EQ(
      fault_of([] { bodies_of(packing(1e-4)); }),
      "pile.yaml:7:3: solid_fraction = 0.0001 must be that of one body at least: a box of 0.1 "
      "x 0.1 x 0.1 m holds less than half a body; make it larger");
  for (const double dense : {0.66, 0.9}) {
    const std::string told = fault_of([&] { bodies_of(packing(dense)); });
    const std::string begin = fmt::format(
        "pile.yaml:7:3: solid_fraction = {} must be one that a random packing in a box of 0.1 x "
        "0.1 "
        "x 0.1 m can reach: overlaps of ",
        dense);
    EXPECT_EQ(told.find(begin), 0U) << told;
    EXPECT_NE(told.find("of the size remain; make it smaller: "), std::string::npos) << told;
  }
}

TEST(SphereGrid, FindsWhatBruteForceFinds) {
  SphereGrid grid(0.1, 10);  // fewer expected than come: the table grows
  std::vector<Vec3> centre;
  std::vector<double> radius;
  for (std::uint64_t i = 0; i < 500; ++i) {
    KeyedRandom random(3, i, 1);
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
    centre.push_back({x, y, random.uniform(-0.2, 0.2)});
    radius.push_back(i % 7 == 0 ? 0.1 : 0.1 * std::ldexp(1.0, -static_cast<int>(i % 5)));
    grid.insert(centre.back(), radius.back());
  }
  ASSERT_EQ(grid.count(), 500U);
  for (std::uint64_t i = 0; i < 200; ++i) {
    KeyedRandom random(4, i, 1);
    const double x = random.uniform(-1.2, 1.2), y = random.uniform(-1.2, 1.2);
    const Vec3 p{x, y, random.uniform(-0.4, 0.4)};
    for (const double reach : {0.001, 0.05, 0.8}) {
      std::vector<Index> expected, found;
      for (std::size_t k = 0; k < centre.size(); ++k)
        if (length(p - centre[k]) < reach + radius[k]) expected.push_back(static_cast<Index>(k));
      grid.find(p, reach, found);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
      EXPECT_EQ(grid.free(p, reach), expected.empty());
    }
  }
}

}  // namespace
}  // namespace talus
