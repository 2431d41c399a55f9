// What the product of rigid bodies promises about its bits: the same for any threads, level and
// order of storage; and about its rounding error: the same anywhere in the world.
#include "problem/body_operator.hpp"
#include "support/machine.hpp"
#include "support/random_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace talus {
namespace {

using support::bits_of_all;
using support::random_bodies;

RowVector product(const BodyProblem& data, const RowVector& x) {
  const BodyOperator bodies = support::operator_of(data, support::cones_of(data));
  RowVector y(x.size(), 0.0);
  bodies.apply(x, y);
  return y;
}

// Large enough that threads are woken, with tiles and bodies that no number of threads divides.
const support::RandomBodies many{
    .bodies = 301, .contacts = 703, .joints = 97, .compliance = true, .two_points = true};

TEST(BodyOperatorBits, AreTheSameForAnyNumberOfThreads) {
  const BodyProblem data = random_bodies(many);
  const RowVector x = support::random_impulses(support::cones_of(data), 1);
  std::vector<std::vector<std::uint64_t>> bits;

  for (int threads = 1; threads <= 4; ++threads) {
    const support::ForcedThreads forced(threads);
    bits.push_back(bits_of_all(product(data, x)));
  }

  for (const auto& other : bits) EXPECT_EQ(other, bits.front());
}

TEST(BodyOperatorBits, AreTheSameForEachLevel) {
  const BodyProblem data = random_bodies(many);
  const RowVector x = support::random_impulses(support::cones_of(data), 2);
  std::vector<std::vector<std::uint64_t>> bits;

  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    bits.push_back(bits_of_all(product(data, x)));
  }

  for (const auto& other : bits) EXPECT_EQ(other, bits.front());
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order) {
  const std::vector<T> before = values;
  for (std::size_t i = 0; i < before.size(); ++i) values[i] = before[order[i]];
}

std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Row i of the new problem is row order[i] of the old one, its key with it.
BodyProblem with_rows_reordered(BodyProblem p, const std::vector<std::size_t>& contacts,
                                const std::vector<std::size_t>& joints) {
  reorder(p.contact_key, contacts);
  reorder(p.contact_body_a, contacts);
  reorder(p.contact_body_b, contacts);
  reorder(p.normal, contacts);
  reorder(p.tangent, contacts);
  reorder(p.point, contacts);
  reorder(p.point_b, contacts);
  reorder(p.friction, contacts);
  reorder(p.contact_bias, contacts);
  reorder(p.normal_compliance, contacts);
  reorder(p.tangent_compliance, contacts);
  reorder(p.joint_key, joints);
  reorder(p.joint_body_a, joints);
  reorder(p.joint_body_b, joints);
  reorder(p.joint_block_a, joints);
  reorder(p.joint_block_b, joints);
  reorder(p.joint_bias, joints);
  reorder(p.joint_compliance, joints);
  reorder(p.joint_lower, joints);
  reorder(p.joint_upper, joints);
  return p;
}

/// Body i of the new problem is body order[i] of the old one.
BodyProblem with_bodies_reordered(BodyProblem p, const std::vector<std::size_t>& order) {
  reorder(p.body_id, order);
  reorder(p.centre, order);
  reorder(p.inverse_mass, order);
  reorder(p.inverse_inertia, order);
  reorder(p.momentum, order);
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Index>(i);
  for (auto* partners : {&p.contact_body_a, &p.contact_body_b, &p.joint_body_a, &p.joint_body_b})
    for (Index& body : *partners)
      if (body != no_body) body = place[static_cast<std::size_t>(body)];
  return p;
}

/// Rows of a row vector as one vector per cone, so that they can be found again elsewhere.
std::vector<Vec3> by_cone(const ConeSet& cones, const RowVector& rows) {
  std::vector<Vec3> values;
  for (Index i = 0; i < cones.scalar_count; ++i)
    values.push_back({rows[static_cast<std::size_t>(i)], 0.0, 0.0});
  for (Index c = 0; c < cones.spatial_count; ++c) values.push_back(spatial_value(cones, rows, c));
  return values;
}

RowVector from_cones(const ConeSet& cones, const std::vector<Vec3>& values) {
  RowVector rows(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  for (Index i = 0; i < cones.scalar_count; ++i)
    rows[static_cast<std::size_t>(i)] = values[static_cast<std::size_t>(i)].x;
  for (Index c = 0; c < cones.spatial_count; ++c)
    set_spatial_value(cones, rows, c, values[static_cast<std::size_t>(cones.scalar_count + c)]);
  return rows;
}

void expect_same_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::array left{a[i].x, a[i].y, a[i].z}, right{b[i].x, b[i].y, b[i].z};
    ASSERT_EQ(bits_of_all(left), bits_of_all(right)) << "cone " << i;
  }
}

// Sums over the rows of a body run in the order of keys, not of storage: another rank, or another
// collision detection, lists the same contacts otherwise.
TEST(BodyOperatorBits, DoNotDependOnTheOrderInWhichRowsAreStored) {
  const BodyProblem data = random_bodies(
      {.bodies = 9, .contacts = 61, .joints = 23, .compliance = true, .two_points = true});
  const ConeSet cones = support::cones_of(data);
  const RowVector x = support::random_impulses(cones, 3);
  const std::vector<std::size_t> contacts = random_order(61, 1), joints = random_order(23, 2);
  std::vector<std::size_t> all = joints;
  for (const std::size_t c : contacts) all.push_back(23 + c);

  const BodyProblem other = with_rows_reordered(data, contacts, joints);
  const ConeSet other_cones = support::cones_of(other);
  std::vector<Vec3> moved = by_cone(cones, x), expected = by_cone(cones, product(data, x));
  reorder(moved, all);
  reorder(expected, all);
  const RowVector y = product(other, from_cones(other_cones, moved));

  expect_same_bits(by_cone(other_cones, y), expected);
}

TEST(BodyOperatorBits, DoNotDependOnTheOrderOfBodies) {
  const BodyProblem data = random_bodies({.bodies = 40, .contacts = 90, .joints = 30});
  const RowVector x = support::random_impulses(support::cones_of(data), 4);

  const BodyProblem other = with_bodies_reordered(data, random_order(40, 3));

  EXPECT_EQ(bits_of_all(product(other, x)), bits_of_all(product(data, x)));
}

BodyProblem shifted(BodyProblem p, const Vec3& by) {
  for (auto* places : {&p.centre, &p.point, &p.point_b})
    for (Vec3& place : *places) place = place + by;
  return p;
}

/// N x in the direct form, with lever arms from each body's own centre and 64 bits of mantissa.
/// Contacts only, stored rows.
std::vector<long double> direct_product(const BodyProblem& p, const RowVector& x) {
  using Real = long double;
  using Real3 = std::array<Real, 3>;
  const ConeSet cones = support::cones_of(p);
  const auto cross3 = [](const Real3& a, const Real3& b) -> Real3 {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto arm = [&](Index body, std::size_t contact) -> Real3 {
    const Vec3 &point = p.point[contact], &centre = p.centre[static_cast<std::size_t>(body)];
    return {static_cast<Real>(point.x) - centre.x, static_cast<Real>(point.y) - centre.y,
            static_cast<Real>(point.z) - centre.z};
  };
  std::vector<Real3> force(p.centre.size()), torque(p.centre.size());
  const auto each_end = [&](const auto& visit) {
    for (std::size_t c = 0; c < p.normal.size(); ++c) {
      if (p.contact_body_a[c] != no_body) visit(c, p.contact_body_a[c], -1);
      if (p.contact_body_b[c] != no_body) visit(c, p.contact_body_b[c], 1);
    }
  };
  each_end([&](std::size_t c, Index body, int sign) {
    const Vec3 f = spatial_value(cones, x, static_cast<Index>(c));
    const Real3 push{sign * static_cast<Real>(f.x), sign * static_cast<Real>(f.y),
                     sign * static_cast<Real>(f.z)};
    const Real3 turn = cross3(arm(body, c), push);
    for (std::size_t k = 0; k < 3; ++k) {
      force[static_cast<std::size_t>(body)][k] += push[k];
      torque[static_cast<std::size_t>(body)][k] += turn[k];
    }
  });
  std::vector<Real> y(x.size(), 0.0L);
  each_end([&](std::size_t c, Index body, int sign) {
    const auto b = static_cast<std::size_t>(body);
    const Sym3& m = p.inverse_inertia[b];
    const Real3& t = torque[b];
    const Real3 spin{m.xx * t[0] + m.xy * t[1] + m.xz * t[2],
                     m.xy * t[0] + m.yy * t[1] + m.yz * t[2],
                     m.xz * t[0] + m.yz * t[1] + m.zz * t[2]};
    const Real3 turned = cross3(spin, arm(body, c));
    for (std::size_t k = 0; k < 3; ++k)
      y[static_cast<std::size_t>(
          cones.spatial_row(static_cast<Index>(c), static_cast<Index>(k)))] +=
          sign * (p.inverse_mass[b] * force[b][k] + turned[k]);
  });
  return y;
}

/// Largest error of N x over the largest entry of N x.
double relative_error(const BodyProblem& data) {
  const RowVector x = support::random_impulses(support::cones_of(data), 5);
  const RowVector y = product(data, x);
  const std::vector<long double> exact = direct_product(data, x);
  long double error = 0.0L, size = 0.0L;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error = std::max(error, std::abs(y[i] - exact[i]));
    size = std::max(size, std::abs(exact[i]));
  }
  return static_cast<double>(error / size);
}

/// Bodies of about 1 m all over a cube of so many metres, each touched by its neighbour only.
BodyProblem pairs_of_neighbours(double width) {
  BodyProblem p = random_bodies({.bodies = 200, .contacts = 600, .joints = 0, .width = width});
  const Vec3 beside{1.25, -0.5, 0.75};
  for (std::size_t b = 1; b < 200; b += 2) p.centre[b] = p.centre[b - 1] + beside;
  for (std::size_t c = 0; c < 600; ++c) {
    const std::size_t first = 2 * (c % 100);
    p.contact_body_a[c] = static_cast<Index>(first);
    p.contact_body_b[c] = static_cast<Index>(first + 1);
    p.point[c] = p.centre[first] + 0.5 * p.normal[c];
  }
  return p;
}

// Velocities are taken through one origin in the middle of the scene, at most 0.87 widths away, and
// rounding grows with that distance. The figures are those of docs/decisions/005.
TEST(BodyOperatorAccuracy, LosesNoMoreThanTheWidthOfTheScene) {
  for (const double width : {1.0, 10.0, 100.0, 1000.0, 10000.0}) {
    const double error = relative_error(pairs_of_neighbours(width));
    RecordProperty(fmt::format("width_{}", width), fmt::format("{:.1e}", error));
    EXPECT_LT(error, 4e-16 * (4.0 + width)) << width;
  }
}

TEST(BodyOperatorAccuracy, IsTheSameFarFromTheOriginOfTheWorld) {
  const BodyProblem here = random_bodies({.bodies = 20, .contacts = 60, .two_points = true});
  const RowVector x = support::random_impulses(support::cones_of(here), 6);

  // coordinates are on a grid of 2^-20 m: the shift rounds nothing, and nothing may change
  EXPECT_EQ(bits_of_all(product(shifted(here, {1e4, -2e4, 3e4}), x)),
            bits_of_all(product(here, x)));
}

// Off the grid the coordinates themselves are rounded, to 1e-12 m at 1e4 m.
TEST(BodyOperatorAccuracy, SuffersFarAwayOnlyFromTheRoundingOfCoordinates) {
  const BodyProblem here = random_bodies({.bodies = 20, .contacts = 60, .two_points = true});
  const RowVector x = support::random_impulses(support::cones_of(here), 7);
  const RowVector y = product(here, x);
  const RowVector there = product(shifted(here, {1e4 + 0.1, 1e4 / 3.0, -1e4 / 7.0}), x);

  double change = 0.0, size = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    change = std::max(change, std::abs(there[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }

  EXPECT_LT(change, 1e-10 * size);
}

// The ground is often one body whose centre is anywhere. Nothing moves it, so its centre is no
// point that any velocity is needed at.
TEST(BodyOperatorAccuracy, DoesNotSufferFromAnImmovableBodyFarAway) {
  BodyProblem data =
      random_bodies({.bodies = 20, .contacts = 60, .joints = 0, .immovable_body = true});
  data.centre[0] = {0.0, 0.0, -1e7};

  EXPECT_LT(relative_error(data), 1e-14);
}

}  // namespace
}  // namespace talus
