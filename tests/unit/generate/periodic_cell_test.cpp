#include "generate/periodic_cell.hpp"

#include "generate/shapes.hpp"
#include "unit/generate/generate_checks.hpp"

#include <algorithm>

namespace talus {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// What neighbours_of finds by way of boxes, by looking at all 27 images of every sphere.
std::vector<Neighbour> all_images_near(const PeriodicCell& cell, Index of, double reach) {
  std::vector<Neighbour> found;
  for (Index other = 0; other < cell.count(); ++other)
    for (int k = 0; k < 27; ++k) {
      const std::array<int, 3> image = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      if (other == of && k == 13) continue;
      const Vec3 moved{cell.side * image[0], cell.side * image[1], cell.side * image[2]};
      const Vec3 d = cell.centre[at(of)] - (cell.centre[at(other)] + moved);
      const double gap = length(d) - cell.radius[at(of)] - cell.radius[at(other)];
      if (gap <= reach) found.push_back({other, image, 1.0 / length(d) * d, gap});
    }
  return found;
}

class PeriodicCells : public testing::TestWithParam<double> {};

TEST_P(PeriodicCells, HaveSettledDensityAndContactsAndHardlyOverlap) {
  for (const std::uint64_t seed : {1, 2}) {
    const PeriodicCell cell = relaxed_cell(seed, GetParam());
    const auto neighbours = neighbours_of(cell, 0.004);

    double volume = 0.0, coordination = 0.0, largest_overlap = 0.0;
    for (Index i = 0; i < cell.count(); ++i) {
      const double r = cell.radius[at(i)];
      volume += 4.0 / 3.0 * pi * r * r * r;
      coordination += static_cast<double>(neighbours[at(i)].size()) / cell.count();
      for (const Neighbour& near : neighbours[at(i)])
        largest_overlap = std::max(largest_overlap, -near.gap);
    }
    const double fraction = volume / (cell.side * cell.side * cell.side);
    EXPECT_GE(fraction, 0.6);
    EXPECT_LE(fraction, 0.64);  // random close packing of equal spheres
    EXPECT_GE(coordination, 5.0);
    EXPECT_LE(coordination, 6.0);
    EXPECT_LE(largest_overlap, 1e-3 + 1e-12);  // where relaxation ends, and rounding of the side
  }
}

TEST_P(PeriodicCells, NeighboursAreThoseOfAllImages) {
  const PeriodicCell cell = relaxed_cell(3, GetParam());
  const double reach = 0.05;
  const auto neighbours = neighbours_of(cell, reach);

  for (Index i = 0; i < cell.count(); i += 7) {
    const auto expected = all_images_near(cell, i, reach);
    ASSERT_EQ(neighbours[at(i)].size(), expected.size()) << i;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const Neighbour &found = neighbours[at(i)][k], &wanted = expected[k];
      EXPECT_EQ(found.sphere, wanted.sphere);
      EXPECT_EQ(found.image, wanted.image);
      EXPECT_NEAR(found.gap, wanted.gap, 1e-13);  // coordinates of about 20 round at 4e-15
      EXPECT_LT(length(found.normal - wanted.normal), 1e-13);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEverySpread, PeriodicCells, testing::Values(0.0, 0.15, 0.5));

TEST(PeriodicCell, APairLooksTheSameFromBothSides) {
  const PeriodicCell cell = relaxed_cell(1, 0.15);
  const auto neighbours = neighbours_of(cell, 0.01);

  for (Index a = 0; a < cell.count(); ++a)
    for (const Neighbour& seen : neighbours[at(a)]) {
      const auto& of_b = neighbours[at(seen.sphere)];
      const auto back = std::find_if(of_b.begin(), of_b.end(), [&](const Neighbour& n) {
        return n.sphere == a && n.image[0] == -seen.image[0] && n.image[1] == -seen.image[1] &&
               n.image[2] == -seen.image[2];
      });
      ASSERT_NE(back, of_b.end());
      EXPECT_EQ(back->gap, seen.gap);
      EXPECT_EQ(length(back->normal + seen.normal), 0.0);
    }
}

TEST(PeriodicCell, SpheresLieInsideFromTheLowestToTheHighestWithRadiiThatFillTheSpread) {
  const PeriodicCell cell = relaxed_cell(5, 0.2);

  for (const Vec3& p : cell.centre) {
    EXPECT_GE(std::min({p.x, p.y, p.z}), 0.0);
    EXPECT_LT(std::max({p.x, p.y, p.z}), cell.side);
  }
  EXPECT_TRUE(std::is_sorted(cell.centre.begin(), cell.centre.end(),
                             [](const Vec3& a, const Vec3& b) { return a.z < b.z; }));
  const auto [least, greatest] = std::minmax_element(cell.radius.begin(), cell.radius.end());
  EXPECT_GE(*least, 0.8);
  EXPECT_LE(*greatest, 1.2);
  EXPECT_GT(*greatest - *least, 0.95 * 0.4);  // of 1000 numbers
}

TEST(PeriodicCell, SameSeedSameBitsAnotherSeedAnotherCell) {
  const auto heights = [](std::uint64_t seed) {
    std::vector<double> z;
    for (const Vec3& p : relaxed_cell(seed, 0.15).centre) z.push_back(p.z);
    return z;
  };

  EXPECT_EQ(heights(4), heights(4));
  EXPECT_NE(heights(4), heights(5));
}

}  // namespace
}  // namespace talus
