#include "talus/cones/cone_set.hpp"

#include "generate/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace talus {
namespace {

struct Counts {
  Index scalar, planar, spatial;
  ConeCounts mirrors = {};
};

class Layouts : public testing::TestWithParam<Counts> {
 protected:
  ConeSet cones_ =
      make_cone_set(GetParam().scalar, GetParam().planar, GetParam().spatial, GetParam().mirrors);
};

/// Walks through the picture of cone_set.hpp: group by group, owned part and mirrors, tile by tile,
/// row by row, lane by lane.
TEST_P(Layouts, RowsLieAsInThePicture) {
  const auto [scalar, planar, spatial, mirrors] = GetParam();
  Index place = 0;
  const auto walk = [&](Index owned, Index mirrored, Index rows, auto row_of) {
    Index first = 0;  // cone of the first lane of a tile
    for (const Index count : {owned, mirrored}) {
      for (Index tile = 0; tile < (count + 7) / 8; ++tile)
        for (Index k = 0; k < rows; ++k)
          for (Index lane = 0; lane < 8; ++lane, ++place)
            if (8 * tile + lane < count) {
              EXPECT_EQ(row_of(first + 8 * tile + lane, k), place);
            }
      first += (count + 7) / 8 * 8;
    }
  };

  walk(scalar, mirrors.scalar, 1, [&](Index i, Index) { return cones_.scalar_row(i); });
  EXPECT_EQ(place, cones_.planar_first_row());
  walk(planar, mirrors.planar, 2, [&](Index c, Index k) { return cones_.planar_row(c, k); });
  EXPECT_EQ(place, cones_.spatial_first_row());
  walk(spatial, mirrors.spatial, 3, [&](Index c, Index k) { return cones_.spatial_row(c, k); });

  EXPECT_EQ(place, cones_.stored_rows());
}

TEST_P(Layouts, SlotsFollowTheGroupsOneNumberPerCone) {
  const auto [scalar, planar, spatial, mirrors] = GetParam();
  std::set<Index> used;
  Index owned_cones = 0;
  const auto use = [&](Index slot, bool owned) {
    EXPECT_TRUE(used.insert(slot).second);
    if (owned) ++owned_cones;
  };
  each_stored(scalar, mirrors.scalar, [&](Index i, bool owned) { use(i, owned); });
  each_stored(planar, mirrors.planar,
              [&](Index c, bool owned) { use(cones_.planar_slot(c), owned); });
  each_stored(spatial, mirrors.spatial,
              [&](Index c, bool owned) { use(cones_.spatial_slot(c), owned); });

  EXPECT_EQ(static_cast<Index>(used.size()),
            cones_.cone_count() + mirrors.scalar + mirrors.planar + mirrors.spatial);
  if (!used.empty()) {
    EXPECT_LT(*used.rbegin(), cones_.slots());
  }
  EXPECT_EQ(cones_.slots(), 8 * (cones_.owned_tiles() + cones_.mirrored_tiles()));
  // counts are of what this rank owns
  EXPECT_EQ(cones_.cone_count(), owned_cones);
  EXPECT_EQ(cones_.cone_count(), scalar + planar + spatial);
  EXPECT_EQ(cones_.row_count(), scalar + 2 * planar + 3 * spatial);
}

TEST_P(Layouts, ArraysAreSizedAndFillingHoldsOnlyZero) {
  ASSERT_EQ(static_cast<Index>(cones_.lower.size()), cones_.scalar_slots());
  ASSERT_EQ(static_cast<Index>(cones_.upper.size()), cones_.scalar_slots());
  ASSERT_EQ(static_cast<Index>(cones_.friction.size()), cones_.slots());
  ASSERT_EQ(static_cast<Index>(cones_.axis.size()), 3 * cones_.spatial_slots());
  ASSERT_EQ(static_cast<Index>(cones_.tangent.size()), cones_.spatial_slots());
  std::vector<bool> is_filling(cones_.lower.size(), true);
  each_stored(cones_.scalar_count, cones_.mirrors.scalar, [&](Index i, bool /*owned*/) {
    EXPECT_TRUE(cones_.is_free(i));
    is_filling[static_cast<std::size_t>(i)] = false;
  });
  for (std::size_t i = 0; i < is_filling.size(); ++i)
    if (is_filling[i]) {
      EXPECT_EQ(cones_.lower[i], 0.0);
      EXPECT_EQ(cones_.upper[i], 0.0);
    }
  for (std::size_t slot = 0; slot < cones_.friction.size(); ++slot) {
    EXPECT_EQ(cones_.friction[slot], 0.0);
    EXPECT_EQ(cones_.cosine[slot], 1.0);
    EXPECT_EQ(cones_.sine[slot], 0.0);
  }
  for (Index c = 0; c < cones_.spatial_slots(); ++c) {
    const Vec3 axis = cones_.axis_of(c);
    EXPECT_EQ(axis.x, 1.0);
    EXPECT_EQ(axis.y, 0.0);
    EXPECT_EQ(axis.z, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(SizesAroundATile, Layouts,
                         testing::Values(Counts{0, 0, 0}, Counts{1, 1, 1}, Counts{7, 0, 8},
                                         Counts{8, 9, 0}, Counts{0, 16, 17}, Counts{25, 3, 10},
                                         Counts{3, 9, 8, {1, 8, 9}}, Counts{0, 0, 5, {0, 0, 17}},
                                         Counts{9, 0, 0, {0, 3, 1}}));

class Friction : public testing::TestWithParam<double> {};

TEST_P(Friction, IsStoredAsAnAngleThatStaysFinite) {
  const double mu = GetParam();
  ConeSet cones = make_cone_set(0, 1, 1);

  set_planar_friction(cones, 0, mu);
  set_spatial_friction(cones, 0, mu, {0.0, 0.0, 1.0}, {});

  for (const Index slot : {cones.planar_slot(0), cones.spatial_slot(0)}) {
    const auto i = static_cast<std::size_t>(slot);
    const double cosine = cones.cosine[i], sine = cones.sine[i];
    EXPECT_EQ(cones.friction[i], mu);
    // a square root, a division and a product: 3 roundings of 1.1e-16
    EXPECT_NEAR(cosine * cosine + sine * sine, 1.0, 7e-16);
    if (mu == infinity) {
      EXPECT_EQ(cosine, 0.0);
    } else {
      EXPECT_NEAR(sine, mu * cosine, 4e-16);
      EXPECT_GT(cosine, 0.0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(FromNoneToInfinite, Friction,
                         testing::Values(0.0, 5e-324, 1e-300, 1e-8, 0.3, 1.0, 1.0000001, 4.0, 1e8,
                                         1e300, infinity));

TEST(ConeSet, CoefficientsThatAreNoFrictionAreABug) {
  ConeSet cones = make_cone_set(0, 1, 1);

  EXPECT_THROW(set_planar_friction(cones, 0, -0.1), std::logic_error);
  EXPECT_THROW(set_planar_friction(cones, 0, std::nan("")), std::logic_error);
  EXPECT_THROW(set_spatial_friction(cones, 0, -1.0, {1.0, 0.0, 0.0}, {}), std::logic_error);
}

TEST(ConeSet, ConesOutsideOfTheSetAreABug) {
  ConeSet cones = make_cone_set(1, 1, 1);

  EXPECT_THROW(set_interval(cones, 1, 0.0, 1.0), std::logic_error);
  EXPECT_THROW(set_interval(cones, -1, 0.0, 1.0), std::logic_error);
  EXPECT_THROW(set_planar_friction(cones, 1, 0.5), std::logic_error);
  EXPECT_THROW(set_spatial_friction(cones, 1, 0.5, {1.0, 0.0, 0.0}, {}), std::logic_error);
}

TEST(ConeSet, MirrorsAreSetBehindThePaddingAndFillingIsNot) {
  ConeSet cones = make_cone_set(3, 3, 3, {2, 2, 2});

  set_interval(cones, 9, -1.0, 1.0);
  set_planar_friction(cones, 9, 0.5);
  set_spatial_friction(cones, 9, 0.25, {0.0, 0.0, 1.0}, {});

  EXPECT_EQ(cones.upper[9], 1.0);
  EXPECT_EQ(cones.friction[static_cast<std::size_t>(cones.planar_slot(9))], 0.5);
  EXPECT_EQ(cones.friction[static_cast<std::size_t>(cones.spatial_slot(9))], 0.25);
  EXPECT_EQ(cones.axis_of(9).z, 1.0);
  for (const Index filling : {3, 7, 10, 15}) {
    EXPECT_THROW(set_interval(cones, filling, 0.0, 1.0), std::logic_error);
    EXPECT_THROW(set_planar_friction(cones, filling, 0.5), std::logic_error);
    EXPECT_THROW(set_spatial_friction(cones, filling, 0.5, {1.0, 0.0, 0.0}, {}), std::logic_error);
  }
}

TEST(ConeSet, IntervalsAreKeptAndCrossedOnesAreABug) {
  ConeSet cones = make_cone_set(3, 0, 0);

  set_interval(cones, 0, 0.0, infinity);
  set_interval(cones, 1, 2.0, 2.0);

  EXPECT_EQ(cones.lower[0], 0.0);
  EXPECT_EQ(cones.upper[0], infinity);
  EXPECT_EQ(cones.lower[1], 2.0);
  EXPECT_FALSE(cones.is_free(0));
  EXPECT_FALSE(cones.is_free(1));
  EXPECT_TRUE(cones.is_free(2));
  EXPECT_THROW(set_interval(cones, 2, 1.0, 0.5), std::logic_error);
  EXPECT_THROW(set_interval(cones, 2, std::nan(""), 0.5), std::logic_error);
}

/// Unit vectors: random ones, the coordinate axes, diagonals (ties), and ones almost along an axis.
std::vector<Vec3> normals() {
  std::vector<Vec3> all;
  for (std::uint64_t i = 0; i < 200; ++i) all.push_back(KeyedRandom(3, i, 1).direction());
  const double third = 1.0 / std::sqrt(3.0), half = 1.0 / std::sqrt(2.0);
  for (const double s : {-1.0, 1.0}) {
    all.insert(all.end(), {{s, 0.0, 0.0}, {0.0, s, 0.0}, {0.0, 0.0, s}});
    all.insert(all.end(),
               {{s * third, third, third}, {s * half, half, 0.0}, {0.0, s * half, half}});
    all.insert(all.end(), {{s, 1e-9, 0.0}, {1e-300, s, 1e-300}});
  }
  return all;
}

TEST(TangentOf, IsAUnitVectorAtRightAngles) {
  for (const Vec3& n : normals()) {
    const Vec3 t = tangent_of(n);
    // the helper axis is at least 54 degrees away, so nothing cancels: a few roundings
    EXPECT_NEAR(dot(t, n), 0.0, 4e-16);
    EXPECT_NEAR(dot(t, t), 1.0, 7e-16);
  }
}

TEST(TangentOf, ComesFromTheCoordinateAxisLeastAlignedWithTheNormal) {
  EXPECT_GT(tangent_of({0.1, 0.7, -std::sqrt(0.5)}).x, 0.9);
  EXPECT_GT(tangent_of({0.7, -0.1, std::sqrt(0.5)}).y, 0.9);
  EXPECT_GT(tangent_of({std::sqrt(0.5), 0.7, 0.1}).z, 0.9);
}

TEST(Frames, AreRightHandedWithTheGivenTangentMadeOrthogonal) {
  ConeSet cones = make_cone_set(0, 0, 1);

  set_spatial_friction(cones, 0, 0.5, {0.0, 0.0, 1.0}, {3.0, 0.0, 7.0});

  EXPECT_EQ(cones.tangent[0].x, 1.0);
  EXPECT_EQ(cones.tangent[0].z, 0.0);
  const Vec3 second = from_contact_frame(cones, 0, {0.0, 0.0, 1.0});  // t2 = n x t1
  EXPECT_EQ(second.y, 1.0);
}

TEST(Frames, TangentsThatSayNothingAreReplaced) {
  ConeSet cones = make_cone_set(0, 0, 2);
  const Vec3 normal{0.6, 0.0, 0.8};

  set_spatial_friction(cones, 0, 0.5, normal, {});
  set_spatial_friction(cones, 1, 0.5, normal, -normal);

  for (const Vec3& t : cones.tangent) {
    EXPECT_EQ(t.x, tangent_of(normal).x);
    EXPECT_EQ(t.y, tangent_of(normal).y);
    EXPECT_EQ(t.z, tangent_of(normal).z);
  }
}

TEST(Frames, TangentsAlmostAlongTheNormalStillEndAtRightAngles) {
  ConeSet cones = make_cone_set(0, 0, 1);
  const Vec3 normal{0.6, 0.0, 0.8};

  for (const double tilt : {1e-1, 1e-3, 1e-5}) {
    set_spatial_friction(cones, 0, 0.5, normal, normal + tilt * Vec3{0.3, 0.5, 0.7});

    // without a second pass rounding would grow by 1 / tilt
    EXPECT_NEAR(dot(cones.tangent[0], normal), 0.0, 3e-16);
    EXPECT_NEAR(dot(cones.tangent[0], cones.tangent[0]), 1.0, 7e-16);
  }
}

TEST(Frames, ThereAndBackIsTheSameVector) {
  const std::vector<Vec3> all = normals();
  ConeSet cones = make_cone_set(0, 0, static_cast<Index>(all.size()));
  for (Index c = 0; c < cones.spatial_count; ++c) {
    KeyedRandom random(5, static_cast<std::uint64_t>(c), 2);
    const Vec3 n = all[static_cast<std::size_t>(c)];
    set_spatial_friction(cones, c, 0.5, n, random.direction());
    const Vec3 value = random.direction();

    const Vec3 components = to_contact_frame(cones, c, value);
    const Vec3 back = from_contact_frame(cones, c, components);

    // 2 x 9 products of numbers up to 1
    EXPECT_NEAR(back.x, value.x, 2e-15);
    EXPECT_NEAR(back.y, value.y, 2e-15);
    EXPECT_NEAR(back.z, value.z, 2e-15);
    EXPECT_NEAR(components.x, dot(n, value), 1e-15);
    EXPECT_NEAR(dot(components, components), 1.0, 4e-15);  // a rotation keeps lengths
  }
}

TEST(Frames, RowsOfAConeAreReadAndWrittenInPlace) {
  ConeSet cones = make_cone_set(1, 1, 10);
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);

  set_spatial_value(cones, rows, 9, {1.0, 2.0, 3.0});

  const Vec3 value = spatial_value(cones, rows, 9);
  EXPECT_EQ(value.x, 1.0);
  EXPECT_EQ(value.y, 2.0);
  EXPECT_EQ(value.z, 3.0);
  double sum = 0.0;
  for (const double row : rows) sum += row;
  EXPECT_EQ(sum, 6.0);  // nothing else was touched
  EXPECT_EQ(rows[static_cast<std::size_t>(cones.spatial_row(9, 1))], 2.0);
}

}  // namespace
}  // namespace talus
