// The lane projections of cones/cone_lanes.hpp against the plain ones: the same bits on each x86-64
// level. They are reached through project(), and through a pass of the solvers: with x = 0, step 1
// and gradient -z its direction is P(z).
#include "cones/projection.hpp"
#include "generate/random.hpp"
#include "solvers/pass_kernels.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

RowVector project_in_lanes(const ConeSet& cones, const RowVector& z) {
  const std::size_t rows = z.size();
  const RowVector ones(static_cast<std::size_t>(cones.slots()), 1.0), zeros(rows, 0.0);
  RowVector x(rows, 0.0), gradient(rows), direction(rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) gradient[i] = -z[i];
  SpgPass pass{};
  pass.x = x.data();
  pass.g = gradient.data();
  pass.d = direction.data();
  pass.q = zeros.data();
  pass.scale = pass.inverse_scale = ones.data();
  pass.residual = {ones.data(), ones.data()};
  const double scales[] = {1.0};
  LaneTotals totals{};
  for (const RowPart part : {RowPart::Owned, RowPart::Mirrored}) {
    pass.cones = view_of(cones, part);
    const int tiles = pass.cones.tiles(), cut = tiles / 3;  // a range of tiles may start anywhere
    pass_kernels().spg_advance(pass, 0.0, 1.0, 0, cut, scales, totals);
    pass_kernels().spg_advance(pass, 0.0, 1.0, cut, tiles, scales, totals);
  }
  return direction;
}

/// Cone by cone.
RowVector project_plainly(const ConeSet& cones, const RowVector& z) {
  RowVector p(z.size(), 0.0);
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    p[i] = project_interval(z[i], cones.lower[i], cones.upper[i]);
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    const auto n = static_cast<std::size_t>(cones.planar_row(c, 0)),
               t = static_cast<std::size_t>(cones.planar_row(c, 1)),
               slot = static_cast<std::size_t>(cones.planar_slot(c));
    const Planar nearest = project_planar({z[n], z[t]}, cones.cosine[slot], cones.sine[slot]);
    p[n] = nearest.normal;
    p[t] = nearest.tangent;
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    const auto slot = static_cast<std::size_t>(cones.spatial_slot(c));
    set_spatial_value(cones, p, c,
                      project_spatial(spatial_value(cones, z, c), cones.axis_of(c),
                                      cones.cosine[slot], cones.sine[slot]));
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    set_rolling_value(
        cones, p, c,
        project_rolling(rolling_value(cones, z, c), cones.axis_of(cones.rolling_frame(c)),
                        cones.rolling_friction_of(c)));
  });
  return p;
}

std::uint64_t comparable(double x) {
  return support::bits_of(std::isnan(x) ? nan : x);  // a NaN's sign means nothing
}

/// Every level against the plain functions, bit by bit.
void expect_same_bits(const ConeSet& cones, const RowVector& z) {
  const RowVector plain = project_plainly(cones, z);
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    const RowVector lanes = project_in_lanes(cones, z);
    RowVector whole;
    project(cones, z, whole);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_EQ(comparable(whole[i]), comparable(plain[i]))
          << "row " << i << ", level " << name_of(level) << ": " << whole[i] << " for " << plain[i];
      // the pass takes 0 - (-z), which turns -0 into 0
      ASSERT_EQ(comparable(lanes[i] + 0.0), comparable(plain[i] + 0.0))
          << "row " << i << ", level " << name_of(level) << ": " << lanes[i] << " for " << plain[i];
    }
  }
}

const std::vector<double> frictions{0.0, 1e-300, 1e-8, 0.3, 1.0, 5.0, 1e8, 1e300, infinity};

/// Every kind of cone in every lane.
ConeSet many_cones(const ConeCounts& owned, const ConeCounts& mirrors = {}) {
  const auto [scalar, planar, spatial, rolling] = owned;
  ConeSet cones = make_cone_set(owned, mirrors);
  const auto mu_of = [](Index c) {
    return frictions[static_cast<std::size_t>(c) % frictions.size()];
  };
  each_stored(scalar, mirrors.scalar, [&](Index i, bool /*owned*/) {
    if (i % 5 == 1) set_interval(cones, i, 0.0, infinity);
    if (i % 5 == 2) set_interval(cones, i, -0.4, 0.3);
    if (i % 5 == 3) set_interval(cones, i, -infinity, -0.1);
    if (i % 5 == 4) set_interval(cones, i, 0.2, 0.2);
  });
  each_stored(planar, mirrors.planar,
              [&](Index c, bool /*owned*/) { set_planar_friction(cones, c, mu_of(c)); });
  each_stored(spatial, mirrors.spatial, [&](Index c, bool /*owned*/) {
    KeyedRandom random(21, static_cast<std::uint64_t>(c), 1);
    set_spatial_friction(cones, c, mu_of(c), random.direction(), {});
  });
  each_stored(rolling, mirrors.rolling, [&](Index c, bool /*owned*/) {
    KeyedRandom random(22, static_cast<std::uint64_t>(c), 1);
    set_rolling_friction(cones, c, {mu_of(c), mu_of(c / 3), mu_of(2 * c + 1)}, random.direction(),
                         {});
  });
  return cones;
}

/// Rows that mean something get size(slot) times a random number; filling stays zero.
template <class Size>
RowVector random_rows(const ConeSet& cones, std::uint64_t seed, const Size& size) {
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  const auto draw = [&](Index row, Index slot) {
    KeyedRandom random(seed, static_cast<std::uint64_t>(row), 2);
    rows[static_cast<std::size_t>(row)] = size(slot) * random.uniform(-1.0, 1.0);
  };
  each_stored(cones.scalar_count, cones.mirrors.scalar,
              [&](Index i, bool /*owned*/) { draw(i, i); });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    for (Index k = 0; k < 2; ++k) draw(cones.planar_row(c, k), cones.planar_slot(c));
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    for (Index k = 0; k < 3; ++k) draw(cones.spatial_row(c, k), cones.spatial_slot(c));
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    for (Index k = 0; k < 6; ++k) draw(cones.rolling_row(c, k), cones.rolling_slot(c));
  });
  return rows;
}

TEST(ConeLanes, GiveTheBitsOfThePlainProjections) {
  const ConeSet cones = many_cones({203, 205, 1001, 803});

  for (std::uint64_t seed = 0; seed < 5; ++seed)
    expect_same_bits(cones, random_rows(cones, seed, [](Index) { return 1.0; }));
}

TEST(ConeLanes, GiveTheBitsOfThePlainProjectionsInMirrorsToo) {
  for (const ConeCounts& mirrors :
       {ConeCounts{9, 17, 25, 10}, ConeCounts{1, 0, 1, 0}, ConeCounts{0, 9, 0, 17}}) {
    const ConeSet cones = many_cones({21, 13, 42, 27}, mirrors);
    expect_same_bits(cones, random_rows(cones, 6, [](Index) { return 1.0; }));
  }
  const ConeSet only_mirrors = many_cones({}, {9, 9, 9, 9});
  expect_same_bits(only_mirrors, random_rows(only_mirrors, 7, [](Index) { return 1.0; }));
}

// Squares of some lanes vanish or overflow, those of their neighbours do not: the whole tile then
// goes through the plain function, and must not notice.
TEST(ConeLanes, GiveTheSameBitsWhereSomeSquaresLeaveTheRange) {
  const ConeSet cones = many_cones({40, 40, 400, 400});
  const double sizes[] = {1.0,   1e-141, 1e139,  1e-139, 1e141, 1e-300,
                          1e300, 5e-324, 1e-155, 1e155,  0.0};

  for (std::uint64_t seed = 0; seed < 5; ++seed)
    expect_same_bits(cones, random_rows(cones, seed, [&](Index slot) {
                       return sizes[(static_cast<std::size_t>(slot) + seed) % std::size(sizes)];
                     }));
}

TEST(ConeLanes, GiveTheSameBitsInWholeTilesOfOneSize) {
  const ConeSet cones = many_cones({16, 16, 16, 16});

  for (const double size : {0.0, 5e-324, 1e-310, 1e-300, 1e-140, 1e-138, 1e138, 1e140, 1e300})
    expect_same_bits(cones, random_rows(cones, 9, [&](Index) { return size; }));
}

// On the axis, on the boundary and on that of the polar cone, and with single parts zero: where the
// branches of the plain functions part.
TEST(ConeLanes, GiveTheSameBitsOnTheEdges) {
  const ConeSet cones = many_cones({8, 90, 90, 90});
  for (const double side : {-1.0, 1.0})
    for (int where = 0; where < 4; ++where) {
      RowVector z(static_cast<std::size_t>(cones.stored_rows()), 0.0);
      for (Index c = 0; c < 90; ++c) {
        const auto planar = static_cast<std::size_t>(cones.planar_slot(c));
        const double cosine = cones.cosine[planar], sine = cones.sine[planar];
        const double parts[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {cosine, sine}, {-sine, cosine}};
        const double n = side * parts[where][0], t = side * parts[where][1];
        z[static_cast<std::size_t>(cones.planar_row(c, 0))] = n;
        z[static_cast<std::size_t>(cones.planar_row(c, 1))] = t;
        set_spatial_value(cones, z, c, from_contact_frame(cones, c, {n, 0.0, t}));
        const RollingFriction mu = cones.rolling_friction_of(c);
        const auto at_most = [n](double coefficient) { return n * std::min(coefficient, 1e3); };
        const SixRows corner{{n, at_most(mu.sliding), 0.0},
                             {at_most(mu.spinning), 0.0, at_most(mu.rolling)}};
        const SixRows edges[4] = {
            {{n, 0.0, 0.0}, {}}, {{0.0, t, 0.0}, {t, t, 0.0}}, corner, {{n, 0.0, t}, {n, t, 0.0}}};
        set_rolling_value(cones, z, c, rolling_from_contact_frame(cones, c, edges[where]));
      }
      expect_same_bits(cones, z);
    }
}

TEST(ConeLanes, PassNotANumberAndInfinityOnAsThePlainOnesDo) {
  const ConeSet cones = many_cones({16, 16, 16, 24});
  for (const double bad : {nan, infinity, -infinity})
    for (const std::size_t k : {1U, 2U}) {
      RowVector z = random_rows(cones, 4, [](Index) { return 1.0; });
      z[static_cast<std::size_t>(cones.spatial_row(3, 1))] = bad;
      z[static_cast<std::size_t>(cones.spatial_row(9, 0))] = bad;
      z[static_cast<std::size_t>(cones.rolling_row(3, 1))] = bad;
      z[static_cast<std::size_t>(cones.rolling_row(12, 5))] = bad;
      if (std::isnan(bad)) z[k] = z[static_cast<std::size_t>(cones.planar_row(2, 1))] = bad;
      expect_same_bits(cones, z);
    }
}

TEST(ConeLanes, FillingIsProjectedOnZero) {
  const ConeSet cones = make_cone_set({3, 3, 3, 3});
  RowVector z(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  for (Index i = 3; i < 8; ++i) z[static_cast<std::size_t>(i)] = 1.0;

  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    for (const double value : project_in_lanes(cones, z)) EXPECT_EQ(value, 0.0);
  }
}

}  // namespace
}  // namespace talus
