// Rows that another rank owns and this one computes too: they follow their owners bit for bit and
// enter no sum. One rank can play both parts: a mirror here is a second row with its owner's row of
// W, whose column nobody reads.

#include "talus/problem/matrix_problem.hpp"
#include "talus/solvers/solve.hpp"

#include "problem/matrix_operator.hpp"
#include "support/manufactured_problem.hpp"
#include "support/rolling_problems.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

/// The same problem with the first cones of each group mirrored.
ConeProblem with_mirrors(const ConeProblem& p, const ConeCounts& mirrors) {
  const ConeSet& from = p.cones;
  ConeProblem m;
  m.cones = make_cone_set(
      {from.scalar_count, from.planar_count, from.spatial_count, from.rolling_count}, mirrors);
  m.cones.rolling_rows = from.rolling_rows;
  ConeSet& to = m.cones;
  m.free_velocity.assign(static_cast<std::size_t>(to.stored_rows()), 0.0);
  std::vector<std::pair<Index, Index>> rows;  // (row there, row here), owned and mirrored
  std::vector<Index> owned(static_cast<std::size_t>(from.stored_rows()), -1);
  const auto copy = [&](Index there, Index here, bool is_owner) {
    rows.emplace_back(there, here);
    if (is_owner) owned[static_cast<std::size_t>(there)] = here;
    m.free_velocity[static_cast<std::size_t>(here)] =
        p.free_velocity[static_cast<std::size_t>(there)];
  };
  const auto each = [](Index count, Index mirrored, const auto& visit) {
    for (Index c = 0; c < count; ++c) visit(c, c);
    for (Index k = 0; k < mirrored; ++k) visit(k, padded(count) + k);
  };
  each(from.scalar_count, mirrors.scalar, [&](Index c, Index d) {
    set_interval(to, d, from.lower[static_cast<std::size_t>(c)],
                 from.upper[static_cast<std::size_t>(c)]);
    copy(c, d, c == d);
  });
  each(from.planar_count, mirrors.planar, [&](Index c, Index d) {
    set_planar_friction(to, d, from.friction[static_cast<std::size_t>(from.planar_slot(c))]);
    for (Index k = 0; k < 2; ++k) copy(from.planar_row(c, k), to.planar_row(d, k), c == d);
  });
  each(from.spatial_count, mirrors.spatial, [&](Index c, Index d) {
    set_spatial_friction(to, d, from.friction[static_cast<std::size_t>(from.spatial_slot(c))],
                         from.axis_of(c), from.tangent[static_cast<std::size_t>(c)]);
    for (Index k = 0; k < 3; ++k) copy(from.spatial_row(c, k), to.spatial_row(d, k), c == d);
  });
  each(from.rolling_count, mirrors.rolling, [&](Index c, Index d) {
    const auto frame = static_cast<std::size_t>(from.rolling_frame(c));
    set_rolling_length(to, d, from.rolling_length[static_cast<std::size_t>(c)]);
    RollingFriction mu = from.rolling_friction_of(c);
    mu.rolling *= from.rolling_length[static_cast<std::size_t>(c)];
    set_rolling_friction(to, d, mu, from.axis_of(from.rolling_frame(c)), from.tangent[frame]);
    // the same bits in spite of the way through metres
    to.rolling_friction[static_cast<std::size_t>(d)] =
        from.rolling_friction[static_cast<std::size_t>(c)];
    for (Index k = 0; k < 6; ++k) copy(from.rolling_row(c, k), to.rolling_row(d, k), c == d);
  });
  const auto& w = dynamic_cast<const MatrixOperator&>(*p.delassus).rows();
  std::vector<Triplet> entries;
  for (const auto& [there, here] : rows)
    for (std::int64_t e = w.row_start[static_cast<std::size_t>(there)];
         e < w.row_start[static_cast<std::size_t>(there) + 1]; ++e) {
      const auto k = static_cast<std::size_t>(e);
      entries.push_back({here, owned[static_cast<std::size_t>(w.column[k])], w.value[k]});
    }
  m.delassus = std::make_shared<MatrixOperator>(
      from_triplets(to.stored_rows(), to.stored_rows(), std::move(entries)), to);
  measure_diagonal(m, Communicator::self());
  // the diagonal of a mirror stands in its owner's column; an operator that knows mirrors finds it
  // there
  const auto scale = [&](Index slot) -> double& { return m.scale[static_cast<std::size_t>(slot)]; };
  for (Index k = 0; k < mirrors.scalar; ++k) scale(padded(to.scalar_count) + k) = scale(k);
  for (Index k = 0; k < mirrors.planar; ++k)
    scale(to.planar_slot(padded(to.planar_count) + k)) = scale(to.planar_slot(k));
  for (Index k = 0; k < mirrors.spatial; ++k)
    scale(to.spatial_slot(padded(to.spatial_count) + k)) = scale(to.spatial_slot(k));
  for (Index k = 0; k < mirrors.rolling; ++k)
    scale(to.rolling_slot(padded(to.rolling_count) + k)) = scale(to.rolling_slot(k));
  return m;
}

class Mirrored : public testing::TestWithParam<std::tuple<Method, int>> {};

TEST_P(Mirrored, RowsFollowTheirOwnersAndChangeNoBit) {
  const auto [method, rows] = GetParam();  // of a contact
  const bool rolls = rows == 6;
  const ProblemData data =
      rolls ? support::manufacture_rolling_local({.contacts = 30, .free_rows = 6}).data
            : support::manufacture_local({.contacts = 30, .free_rows = 6, .dimension = rows}).data;
  const ConeProblem plain = make_cone_problem(data);
  ConeCounts mirrors{5};
  (rolls ? mirrors.rolling : rows == 2 ? mirrors.planar : mirrors.spatial) = 11;
  const ConeProblem mirrored = with_mirrors(plain, mirrors);
  SolveOptions options;
  options.method = method;
  options.law = Law::Associated;
  options.tolerance = 0.0;
  options.max_iterations = 150;
  // an estimate of lambda_max starts from numbers in stored order, which mirrors shift
  options.jacobi.lambda_iterations = 1000;
  const auto solved = [&](const ConeProblem& problem) {
    RowVector x(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
    const SolveReport report = solve(problem, options, Communicator::self(), x, gap);
    return std::pair{x, report};
  };

  const auto [x, report] = solved(plain);
  const auto [y, report_mirrored] = solved(mirrored);

  const ConeSet &from = plain.cones, &to = mirrored.cones;
  const Index group = from.contact_count();
  const auto row_of = [rows = rows](const ConeSet& cones, Index c, Index k) {
    return static_cast<std::size_t>(rows == 6   ? cones.rolling_row(c, k)
                                    : rows == 2 ? cones.planar_row(c, k)
                                                : cones.spatial_row(c, k));
  };
  if (method == Method::Jacobi) {
    // lambda_max agrees to its own convergence, not in its last bits
    EXPECT_NEAR(report_mirrored.error / report.error, 1.0, 1e-3);
  } else {
    EXPECT_EQ(report.error, report_mirrored.error);
    EXPECT_EQ(report.errors.energy, report_mirrored.errors.energy);
    for (Index c = 0; c < group; ++c)
      for (Index k = 0; k < rows; ++k) ASSERT_EQ(x[row_of(from, c, k)], y[row_of(to, c, k)]) << c;
  }
  for (Index c = 0; c < 11; ++c)
    for (Index k = 0; k < rows; ++k)
      EXPECT_EQ(y[row_of(to, c, k)], y[row_of(to, padded(group) + c, k)]) << c;
}

class MirroredJoints : public testing::TestWithParam<Method> {};

TEST_P(MirroredJoints, FollowTheirOwnersAndChangeNoBit) {
  const ConeProblem plain =
      make_cone_problem(support::manufacture_local({.contacts = 0, .free_rows = 30}).data);
  const ConeProblem mirrored = with_mirrors(plain, {11, 0, 0});
  SolveOptions options;
  options.method = GetParam();
  options.tolerance = 0.0;
  options.max_iterations = 20;
  RowVector x(static_cast<std::size_t>(plain.stored_rows()), 0.0), gap;
  RowVector y(static_cast<std::size_t>(mirrored.stored_rows()), 0.0), gap_mirrored;

  const SolveReport report = solve(plain, options, Communicator::self(), x, gap);
  const SolveReport other = solve(mirrored, options, Communicator::self(), y, gap_mirrored);

  EXPECT_EQ(report.error, other.error);
  for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(x[i], y[i]) << i;
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(y[i], y[32 + i]) << i;
}

INSTANTIATE_TEST_SUITE_P(FreeRows, MirroredJoints, testing::Values(Method::Cg, Method::Minres),
                         [](const auto& test) { return name_of(test.param); });

INSTANTIATE_TEST_SUITE_P(Methods, Mirrored,
                         testing::Combine(testing::Values(Method::Jacobi, Method::Pspgfb,
                                                          Method::Apgd),
                                          testing::Values(2, 3, 6)),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "_rows";
                         });

}  // namespace
}  // namespace talus
