// The rows that sweeps see are the rows of N: held against products of the operators.
#include "solvers/sweep_rows.hpp"

#include "talus/core/error.hpp"
#include "talus/metrics/measures.hpp"

#include "generate/random.hpp"
#include "problem/linear_operator.hpp"
#include "support/manufactured_problem.hpp"
#include "support/random_bodies.hpp"
#include "support/rolling_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

RowVector random_impulses(const ConeSet& cones, std::uint64_t seed) {
  RowVector x(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  const auto set = [&](Index row) {
    x[static_cast<std::size_t>(row)] =
        KeyedRandom(seed, static_cast<std::uint64_t>(row), 0).uniform(-1.0, 1.0);
  };
  for (Index i = 0; i < cones.scalar_count; ++i) set(i);
  for (Index c = 0; c < cones.planar_count; ++c)
    for (Index k = 0; k < 2; ++k) set(cones.planar_row(c, k));
  for (Index c = 0; c < cones.spatial_count; ++c)
    for (Index k = 0; k < 3; ++k) set(cones.spatial_row(c, k));
  for (Index c = 0; c < cones.rolling_count; ++c)
    for (Index k = 0; k < 6; ++k) set(cones.rolling_row(c, k));
  return x;
}

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

/// visit(place, index) for each cone, in the order of a sweep.
template <class Visit>
void each_place(const RowBlocks& cones, const Visit& visit) {
  for (std::size_t k = 0; k < cones.order.size(); ++k) visit(static_cast<Index>(k), cones.order[k]);
}

/// Largest difference between the sweep's gaps at x and a product of the operators.
template <class Rows>
double gap_fault(const ConeProblem& problem, Law law, const Rows& rows, const RowVector& x) {
  RowVector gap;
  evaluate_gap(problem, law, x, gap);
  double worst = 0.0;
  for (const Index i : rows.row_blocks().order)
    worst = std::max(worst, std::abs(rows.row_gap(i, x) - gap[static_cast<std::size_t>(i)]));
  each_place(rows.cone_blocks(), [&](Index place, Index c) {
    const Vec3 impulse = rows.impulse_of_cone(place, x);
    EXPECT_EQ(distance(impulse, cone_impulse(problem.cones, x, c)), 0.0);
    worst = std::max(
        worst, distance(rows.cone_gap(place, impulse, x), cone_impulse(problem.cones, gap, c)));
  });
  each_place(rows.rolling_blocks(), [&](Index place, Index c) {
    const SixRows mine = rows.rolling_gap(place, rolling_impulse(problem.cones, x, c), x);
    const SixRows given = rolling_impulse(problem.cones, gap, c);
    worst = std::max(
        {worst, distance(mine.linear, given.linear), distance(mine.angular, given.angular)});
  });
  return worst;
}

/// The same for rolling cones: A e_j against N e_j.
template <class Rows>
double rolling_block_fault(const ConeProblem& problem, Law law, const Rows& rows) {
  const RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  double worst = 0.0;
  each_place(rows.rolling_blocks(), [&](Index place, Index c) {
    const Mat6 block = rows.rolling_block(place);
    for (std::size_t j = 0; j < 6; ++j) {
      std::array<double, 6> unit{};
      unit.at(j) = 1.0;
      RowVector x = zero, gap;
      set_rolling_impulse(problem.cones, x, c,
                          {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}});
      evaluate_gap(problem, law, x, gap);
      for (std::size_t i = 0; i < gap.size(); ++i) gap[i] -= problem.free_velocity[i];
      const auto [f, m] = rolling_impulse(problem.cones, gap, c);
      const std::array<double, 6> image{f.x, f.y, f.z, m.x, m.y, m.z};
      for (std::size_t i = 0; i < 6; ++i)
        worst = std::max(worst, std::abs(block.at(6 * i + j) - image.at(i)));
    }
  });
  return worst;
}

/// Largest difference between N times a unit impulse of a cone and its block.
template <class Rows>
double block_fault(const ConeProblem& problem, Law law, const Rows& rows) {
  const RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  const std::array<Vec3, 3> units{Vec3{1.0, 0.0, 0.0}, Vec3{0.0, 1.0, 0.0}, Vec3{0.0, 0.0, 1.0}};
  double worst = 0.0;
  each_place(rows.cone_blocks(), [&](Index place, Index c) {
    const Mat3 block = rows.block(place);
    const std::size_t size = c < problem.cones.planar_count ? 2 : 3;
    for (std::size_t j = 0; j < size; ++j) {
      RowVector x = zero, gap;
      set_cone_impulse(problem.cones, x, c, units[j]);
      evaluate_gap(problem, law, x, gap);
      const Vec3 image = cone_impulse(problem.cones, gap, c) -
                         cone_impulse(problem.cones, problem.free_velocity, c);
      Vec3 column{block[j], block[3 + j], block[6 + j]};
      if (size == 2) column.z = 0.0;
      worst = std::max(worst, distance(column, image));
    }
  });
  return worst;
}

constexpr double rounding = 1e-12;  // sums of ten terms of up to 100 m/s per N s

TEST(BodySweep, HasTheGapsOfTheOperatorBeforeAndAfterChanges) {
  const support::Manufactured made = support::manufacture_bodies(
      {.free_rows = 5, .box_rows = 4, .compliance = 0.3, .immovable_body = true});
  const ConeProblem problem = make_cone_problem(made.data);
  SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
  auto& bodies = std::get<BodySweep>(rows);
  RowVector x = random_impulses(problem.cones, 1);

  bodies.refresh(x);
  EXPECT_LT(gap_fault(problem, Law::Coulomb, bodies, x), rounding);
  for (const Index i : bodies.row_blocks().order) {
    const double change = 0.1 * static_cast<double>(i + 1);
    x[static_cast<std::size_t>(i)] += change;
    bodies.change_row(i, change);
  }
  each_place(bodies.cone_blocks(), [&](Index place, Index c) {
    const Vec3 change{0.3, -0.2, 0.1 * static_cast<double>(c)};
    const Vec3 next = cone_impulse(problem.cones, x, c) + change;
    RowVector expected = x;
    set_cone_impulse(problem.cones, expected, c, next);
    bodies.set_impulse_of_cone(place, x, next);
    EXPECT_EQ(x, expected);
    bodies.change_cone(place, change);
  });

  EXPECT_LT(gap_fault(problem, Law::Coulomb, bodies, x), 100.0 * rounding);  // 60 changes
  EXPECT_LT(block_fault(problem, Law::Coulomb, bodies), rounding);
}

TEST(BodySweep, TouchesTheBodiesAtTheirOwnPoints) {
  support::Manufactured made = support::manufacture_bodies({});
  auto& data = std::get<BodyProblem>(made.data);
  data.point_b = data.point;
  for (Vec3& p : data.point_b) p = p + Vec3{0.05, -0.02, 0.01};
  const ConeProblem problem = make_cone_problem(data);
  SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
  auto& bodies = std::get<BodySweep>(rows);
  RowVector x = random_impulses(problem.cones, 2);

  bodies.refresh(x);

  EXPECT_LT(gap_fault(problem, Law::Coulomb, bodies, x), rounding);
}

TEST(BodySweep, GoesInTheOrderOfKeys) {
  support::Manufactured made = support::manufacture_bodies({.contacts = 4, .free_rows = 3});
  auto& data = std::get<BodyProblem>(made.data);
  data.contact_key = {40, 10, 30, 20};
  data.joint_key = {3, 2, 1};
  const ConeProblem problem = make_cone_problem(data);
  const SweepRows rows = make_sweep_rows(problem, Law::Box, Communicator::self());
  const auto& bodies = std::get<BodySweep>(rows);

  EXPECT_EQ(bodies.cone_blocks().order, (std::vector<Index>{1, 3, 2, 0}));
  EXPECT_EQ(bodies.row_blocks().order, (std::vector<Index>{2, 1, 0}));
}

TEST(BodySweep, HasTorquesWhereContactsRoll) {
  const ConeProblem problem = make_cone_problem(support::random_bodies(
      {.bodies = 5, .contacts = 11, .joints = 3, .compliance = true, .rolling = true}));
  SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
  auto& bodies = std::get<BodySweep>(rows);
  RowVector x = random_impulses(problem.cones, 1);

  EXPECT_TRUE(bodies.cone_blocks().order.empty());
  EXPECT_EQ(bodies.rolling_blocks().order.size(), 11U);
  bodies.refresh(x);
  EXPECT_LT(gap_fault(problem, Law::Coulomb, bodies, x), rounding);
  each_place(bodies.rolling_blocks(), [&](Index place, Index c) {
    const SixRows change{{0.3, -0.2, 0.1 * c}, {-0.1, 0.2, 0.05 * c}};
    const SixRows before = rolling_impulse(problem.cones, x, c);
    set_rolling_impulse(problem.cones, x, c,
                        {before.linear + change.linear, before.angular + change.angular});
    bodies.change_rolling(place, change);
  });

  EXPECT_LT(gap_fault(problem, Law::Coulomb, bodies, x), 100.0 * rounding);  // 11 changes
  EXPECT_LT(rolling_block_fault(problem, Law::Coulomb, bodies), rounding);
}

TEST(MatrixSweep, HasTorquesWhereContactsRoll) {
  for (const int dimension : {2, 3}) {
    const ConeProblem problem =
        make_cone_problem(support::manufacture_rolling_local(
                              {.contacts = 9, .dimension = dimension, .asymmetry = 1e-2})
                              .data);
    for (const Law law : {Law::Coulomb, Law::Associated}) {
      const SweepRows rows = make_sweep_rows(problem, law, Communicator::self());
      const auto& matrix = std::get<MatrixSweep>(rows);
      RowVector x = random_impulses(problem.cones, 3);

      EXPECT_LT(gap_fault(problem, law, matrix, x), rounding) << dimension << name_of(law);
      EXPECT_LT(rolling_block_fault(problem, law, matrix), rounding) << dimension << name_of(law);
    }
  }
}

TEST(MatrixSweep, HasTheGapsOfTheMatrixThatItsLawUses) {
  for (const int dimension : {2, 3}) {
    const support::Manufactured made =
        support::manufacture_local({.free_rows = 4, .dimension = dimension, .asymmetry = 1e-2});
    const ConeProblem problem = make_cone_problem(made.data);
    const RowVector x = random_impulses(problem.cones, 3);
    for (const Law law : {Law::Coulomb, Law::Associated}) {
      const SweepRows rows = make_sweep_rows(problem, law, Communicator::self());
      const auto& matrix = std::get<MatrixSweep>(rows);

      EXPECT_LT(gap_fault(problem, law, matrix, x), rounding) << dimension << name_of(law);
      EXPECT_LT(block_fault(problem, law, matrix), rounding) << dimension << name_of(law);
      // not what the other law has
      EXPECT_GT(gap_fault(problem, law == Law::Coulomb ? Law::Box : Law::Coulomb, matrix, x), 1e-4);
    }
  }
}

TEST(MatrixSweep, WritesOutWhatAGeneralMassGives) {
  for (const int dimension : {2, 3}) {
    const support::Manufactured made =
        support::manufacture_global({.free_rows = 4, .dimension = dimension});
    const ConeProblem problem = make_cone_problem(made.data);
    const SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());
    const auto& matrix = std::get<MatrixSweep>(rows);

    EXPECT_LT(gap_fault(problem, Law::Coulomb, matrix, random_impulses(problem.cones, 4)),
              rounding);
    EXPECT_LT(block_fault(problem, Law::Coulomb, matrix), rounding);
  }
}

TEST(MatrixSweep, SeesAnEntryThatIsNotStoredAsZero) {
  LocalProblem data;
  data.W = from_triplets(3, 3, {{0, 0, 2.0}, {1, 1, 3.0}});
  data.V = from_triplets(3, 0, {});
  data.R = from_triplets(0, 0, {});
  data.q = {-1.0, 0.0, 0.0};
  data.friction = {0.5};
  const ConeProblem problem = make_cone_problem(data);

  const SweepRows rows = make_sweep_rows(problem, Law::Coulomb, Communicator::self());

  EXPECT_EQ(std::get<MatrixSweep>(rows).block(0),
            (Mat3{2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0}));
}

/// N that can only be multiplied with.
class Opaque final : public LinearOperator {
 public:
  void diagonal(RowVector& d) const override { d.assign(8, 1.0); }
  std::array<double, 3> planar_block(Index /*cone*/) const override { return {}; }
  Mat3 spatial_block(Index /*cone*/) const override { return {}; }
  Mat6 rolling_block(Index /*cone*/) const override { return {}; }

 private:
  void multiply(const double* x, double* y) const override { std::copy(x, x + 8, y); }
};

TEST(SweepRows, RefuseAnOperatorWithoutRows) {
  ConeProblem problem;
  problem.cones = make_cone_set(1, 0, 0);
  problem.delassus = std::make_shared<Opaque>();
  problem.free_velocity.assign(8, 0.0);

  EXPECT_THROW(make_sweep_rows(problem, Law::Coulomb, Communicator::self()), InputError);
}

TEST(BoxStart, KeepsCornersThatTheConeWouldCut) {
  ConeSet cones = make_cone_set(0, 1, 1);
  set_planar_friction(cones, 0, 0.5);
  set_spatial_friction(cones, 0, 0.5, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0});
  RowVector start(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  RowVector clipped = start;
  set_cone_impulse(cones, start, 0, {1.0, -3.0, 0.0});
  set_cone_impulse(cones, start, 1, {1.0, 0.5, -0.5});

  clip_to_boxes(cones, start, clipped);

  EXPECT_EQ(distance(cone_impulse(cones, clipped, 0), {1.0, -0.5, 0.0}), 0.0);
  EXPECT_EQ(distance(cone_impulse(cones, clipped, 1), {1.0, 0.5, -0.5}), 0.0);
  ConeSet rolling = make_cone_set({0, 0, 0, 1});
  set_rolling_friction(rolling, 0, {0.5, 0.25, 0.125}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0});
  RowVector rolling_start(48, 0.0), rolling_clipped(48, 0.0);
  set_rolling_impulse(rolling, rolling_start, 0, {{2.0, -3.0, 1.0}, {1.0, 0.5, -0.6}});
  clip_to_boxes(rolling, rolling_start, rolling_clipped);
  const auto [force, torque] = rolling_impulse(rolling, rolling_clipped, 0);
  EXPECT_EQ(distance(force, {2.0, -1.0, 1.0}), 0.0);
  EXPECT_EQ(distance(torque, {0.25, 0.5, -0.5}), 0.0);
  set_cone_impulse(cones, start, 1, {-1.0, 0.5, -0.5});
  clip_to_boxes(cones, start, clipped);
  EXPECT_EQ(distance(cone_impulse(cones, clipped, 1), {}), 0.0);
}

}  // namespace
}  // namespace talus
