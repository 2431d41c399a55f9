// The laws of cones/law_lanes.hpp: steps against the same operations written plainly, bit for bit
// on each x86-64 level; natural maps against the measures, which form them in contact frames.

#include "talus/metrics/measures.hpp"

#include "generate/random.hpp"
#include "parallel/lane_totals.hpp"
#include "solvers/row_passes.hpp"
#include "support/dense_problem.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

const std::vector<double> frictions{0.0, 1e-8, 0.3, 1.0, 5.0, 1e8, 1e100, infinity};

/// Every kind of cone in every lane.
ConeSet many_cones(const ConeCounts& owned, const ConeCounts& mirrors = {}) {
  ConeSet cones = make_cone_set(owned, mirrors);
  const auto mu_of = [](Index c) {
    return frictions[static_cast<std::size_t>(c) % frictions.size()];
  };
  const auto direction = [](Index c, std::uint64_t seed) {
    return KeyedRandom(seed, static_cast<std::uint64_t>(c), 1).direction();
  };
  each_stored(owned.scalar, mirrors.scalar, [&](Index i, bool /*owned*/) {
    if (i % 3 == 1) set_interval(cones, i, 0.0, infinity);
    if (i % 3 == 2) set_interval(cones, i, -0.4, 0.3);
  });
  each_stored(owned.planar, mirrors.planar,
              [&](Index c, bool /*owned*/) { set_planar_friction(cones, c, mu_of(c)); });
  each_stored(owned.spatial, mirrors.spatial, [&](Index c, bool /*owned*/) {
    set_spatial_friction(cones, c, mu_of(c), direction(c, 21), direction(c, 22));
  });
  each_stored(owned.rolling, mirrors.rolling, [&](Index c, bool /*owned*/) {
    set_rolling_friction(cones, c, {mu_of(c), mu_of(c / 8), mu_of(c + 3)}, direction(c, 23),
                         direction(c, 24));
  });
  return cones;
}

RowVector random_rows(const ConeSet& cones, std::uint64_t seed) {
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  const auto draw = [&](Index row, Index /*slot*/) {
    KeyedRandom random(seed, static_cast<std::uint64_t>(row), 2);
    rows[static_cast<std::size_t>(row)] = random.uniform(-1.0, 1.0);
  };
  each_owned_row(cones, draw);
  return rows;
}

RowVector stepped(const ConeSet& cones, Law law, const RowVector& z) {
  const RowVector ones(static_cast<std::size_t>(cones.slots()), 1.0), zeros(z.size(), 0.0);
  RowVector x(z.size(), 0.0), gradient(z.size()), direction(z.size(), 0.0);
  for (std::size_t i = 0; i < z.size(); ++i) gradient[i] = -z[i];
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
    pass_kernels(law).spg_advance(pass, 0.0, 1.0, 0, pass.cones.tiles(), scales, totals);
  }
  return direction;
}

// ---- the plain twin

double bound_of(double friction, double normal) {
  return normal > 0.0 ? friction * normal : 0.0;
}

double clamped(double x, double bound) {
  return x < -bound ? -bound : (x > bound ? bound : x);
}

struct Shrink {
  bool keep;
  double factor;
};

Shrink shrink_of(double friction, double normal, double size) {
  const double bound = bound_of(friction, normal);
  const bool keep = friction >= 1e100 || size <= bound;
  return {keep, keep ? 1.0 : bound / size};
}

double size_of(const Vec3& a) {
  return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

Vec3 tangent_part(const Vec3& axis, const Vec3& x, double normal) {
  return {x.x - normal * axis.x, x.y - normal * axis.y, x.z - normal * axis.z};
}

Vec3 sum(double a, const Vec3& u, double b, const Vec3& v) {
  return {a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z};
}

SixRows in_discs(const SixRows& x, const Vec3& axis, const RollingFriction& mu) {
  const double normal = dot(axis, x.linear), nearest = normal < 0.0 ? 0.0 : normal;
  const double spin = dot(axis, x.angular);
  const Vec3 t = tangent_part(axis, x.linear, normal), roll = tangent_part(axis, x.angular, spin);
  const Shrink slides = shrink_of(mu.sliding, nearest, size_of(t));
  const Shrink rolls = shrink_of(mu.rolling, nearest, size_of(roll));
  const Shrink spins = shrink_of(mu.spinning, nearest, std::abs(spin));
  SixRows y = x;
  if (!(slides.keep && normal >= 0.0)) y.linear = sum(nearest, axis, slides.factor, t);
  if (!(rolls.keep && spins.keep)) y.angular = sum(spins.factor * spin, axis, rolls.factor, roll);
  return y;
}

Vec3 in_box(const Vec3& x, const std::array<Vec3, 3>& frame, double along, double bound) {
  const Vec3 parts{dot(frame[0], x), dot(frame[1], x), dot(frame[2], x)};
  const Vec3 cut{along, clamped(parts.y, bound), clamped(parts.z, bound)};
  if (cut.x == parts.x && cut.y == parts.y && cut.z == parts.z) return x;
  const Vec3 &n = frame[0], &t1 = frame[1], &t2 = frame[2];
  return {cut.x * n.x + cut.y * t1.x + cut.z * t2.x, cut.x * n.y + cut.y * t1.y + cut.z * t2.y,
          cut.x * n.z + cut.y * t1.z + cut.z * t2.z};
}

SixRows in_boxes(const SixRows& x, const std::array<Vec3, 3>& frame, const RollingFriction& mu) {
  const double along = dot(frame[0], x.linear), normal = along < 0.0 ? 0.0 : along;
  const double spin = clamped(dot(frame[0], x.angular), bound_of(mu.spinning, normal));
  return {in_box(x.linear, frame, normal, bound_of(mu.sliding, normal)),
          in_box(x.angular, frame, spin, bound_of(mu.rolling, normal))};
}

RowVector stepped_plainly(const ConeSet& cones, Law law, const RowVector& z) {
  RowVector y(z.size(), 0.0);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  const auto step = [&](Index frame, const RollingFriction& mu, const SixRows& x) {
    const Vec3 n = cones.axis_of(frame), t = cones.tangent[at(frame)];
    return law == Law::Box ? in_boxes(x, {n, t, cross(n, t)}, mu) : in_discs(x, n, mu);
  };
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    y[at(i)] = std::clamp(z[at(i)], cones.lower[at(i)], cones.upper[at(i)]);
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    const double mu = cones.friction[at(cones.planar_slot(c))];
    const double n = std::max(0.0, z[at(cones.planar_row(c, 0))]);
    const double t = z[at(cones.planar_row(c, 1))];
    y[at(cones.planar_row(c, 0))] = n;
    y[at(cones.planar_row(c, 1))] =
        law == Law::Coulomb && mu >= 1e100 ? t : clamped(t, bound_of(mu, n));
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    const double mu = cones.friction[at(cones.spatial_slot(c))];
    set_spatial_value(cones, y, c,
                      step(c, {mu, 0.0, 0.0}, {spatial_value(cones, z, c), {}}).linear);
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    set_rolling_value(
        cones, y, c,
        step(cones.rolling_frame(c), cones.rolling_friction_of(c), rolling_value(cones, z, c)));
  });
  return y;
}

class LawLanes : public testing::TestWithParam<Law> {};

TEST_P(LawLanes, StepAsThePlainTwinOnEveryLevel) {
  const ConeSet cones = many_cones({20, 40, 200, 500}, {9, 9, 17, 70});
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    RowVector z = random_rows(cones, seed);
    if (seed == 3)  // where nothing is cut, and where all is zero
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = i % 2 == 0 ? 0.0 : 1e-3 * z[i];
    const RowVector plain = stepped_plainly(cones, GetParam(), z);
    for (const SimdLevel level : support::levels_here()) {
      const support::ForcedLevel forced(level);
      const RowVector lanes = stepped(cones, GetParam(), z);
      for (std::size_t i = 0; i < z.size(); ++i)
        ASSERT_EQ(support::bits_of(lanes[i] + 0.0), support::bits_of(plain[i] + 0.0))
            << "row " << i << ", level " << name_of(level) << ": " << lanes[i] << " for "
            << plain[i];
    }
  }
}

TEST_P(LawLanes, KeepNotANumber) {
  const ConeSet cones = many_cones({8, 16, 16, 16});
  RowVector z = random_rows(cones, 5);
  const Index bad[] = {cones.planar_row(2, 0), cones.planar_row(9, 1), cones.spatial_row(3, 1),
                       cones.rolling_row(4, 0), cones.rolling_row(5, 4)};
  for (const Index row : bad)
    z[static_cast<std::size_t>(row)] = std::numeric_limits<double>::quiet_NaN();

  const RowVector y = stepped(cones, GetParam(), z);

  for (const Index row : bad) EXPECT_TRUE(std::isnan(y[static_cast<std::size_t>(row)])) << row;
}

/// The natural map of (x, w) as the passes sum it.
double natural_in_lanes(const ConeProblem& problem, Law law, const RowVector& x,
                        const RowVector& w) {
  RowVector inverse;
  for (const double g : problem.scale) inverse.push_back(1.0 / g);
  FusedSums sums(1);
  const ConeView view = view_of(problem.cones, RowPart::Owned);
  const auto total = sums.reduce(Communicator::self(), [&](const double* scales, LocalSums& local) {
    drain_kernel(0, view.tiles(), 0, 1, local, [&](Index from, Index to, LaneTotals& totals) {
      pass_kernels(law).residual(view, x.data(), w.data(), {inverse.data(), problem.scale.data()},
                                 from, to, scales, totals);
    });
  });
  return std::sqrt(total[0]);
}

TEST_P(LawLanes, SumTheNaturalMapOfTheMeasures) {
  ConeProblem problem;
  problem.cones = many_cones({20, 40, 90, 120});
  for (Index i = 0; i < problem.cones.slots(); ++i) {
    auto& mu = problem.cones.friction[static_cast<std::size_t>(i)];
    if (mu >= 1e8 && mu < infinity) mu = 2.0;  // the sum would be that one cone's
  }
  for (Index c = 0; c < 120; ++c) {
    const auto k = static_cast<std::size_t>(c);
    set_rolling_friction(
        problem.cones, c, {0.5 * (c % 4), 0.1 * (c % 3), 0.2 * (c % 5)},
        problem.cones.axis_of(problem.cones.rolling_frame(c)),
        problem.cones.tangent[static_cast<std::size_t>(problem.cones.rolling_frame(c))]);
    problem.scale.resize(static_cast<std::size_t>(problem.cones.slots()), 1.0);
    problem.scale[static_cast<std::size_t>(problem.cones.rolling_slot(c))] =
        0.5 + 0.01 * static_cast<double>(k);
  }
  for (Index c = 0; c < 90; ++c) {
    const double mu = c % 7 == 6 ? infinity : 0.4 * (c % 7);
    set_spatial_friction(problem.cones, c, mu, problem.cones.axis_of(c),
                         problem.cones.tangent[static_cast<std::size_t>(c)]);
  }
  problem.free_velocity = random_rows(problem.cones, 7);
  const RowVector x = random_rows(problem.cones, 8), w = random_rows(problem.cones, 9);

  const double lanes = natural_in_lanes(problem, GetParam(), x, w);

  const double measured =
      evaluate(Measure::Natural, problem, GetParam(), x, w, 1.0, Communicator::self());
  EXPECT_NEAR(lanes / measured, 1.0, 1e-14);  // rounding of 270 terms, most of them near 1
}

INSTANTIATE_TEST_SUITE_P(All, LawLanes, testing::Values(Law::Coulomb, Law::Box),
                         [](const auto& test) { return name_of(test.param); });

}  // namespace
}  // namespace talus
