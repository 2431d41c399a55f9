// Problems with rolling friction in FCLib's layout, and in our extension of it for local ones.

#include "talus/io/problem_file.hpp"
#include "talus/solvers/solve.hpp"

#include "unit/io/fclib_problems.hpp"
#include "unit/io/file_surgery.hpp"
#include "unit/io/textbook_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace talus {
namespace {

using test::FileFault;
using test::Folder;
using test::Maker;
using test::Surgery;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double rounding = 1e-13;  // products of numbers near 1, a dozen terms

void expect_same(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.row_start, b.row_start);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.value, b.value);
}

TEST(FclibRolling, LocalProblemsInThePlaneComeBackBitForBit) {
  const Folder folder;
  const LocalProblem problem = test::rolling_local_problem();

  write_fclib(folder.file("p.hdf5"), problem);
  const ProblemFile file = read_problem(folder.file("p.hdf5"));

  EXPECT_EQ(file.format, "fclib_local_rolling");
  const auto& read = std::get<LocalProblem>(file.data);
  EXPECT_EQ(read.dimension, 2);
  EXPECT_EQ(read.rows_per_contact(), 3);
  expect_same(read.W, problem.W);
  expect_same(read.V, problem.V);
  expect_same(read.R, problem.R);
  EXPECT_EQ(read.q, problem.q);
  EXPECT_EQ(read.s, problem.s);
  EXPECT_EQ(read.friction, problem.friction);
  EXPECT_EQ(read.rolling_friction, problem.rolling_friction);
  EXPECT_EQ(read.title, problem.title);
  EXPECT_THAT(Surgery(folder.file("p.hdf5")).all("/fclib_local_rolling/spacedim"), ElementsAre(3));
  EXPECT_THAT(file.description, HasSubstr("talus"));
}

TEST(FclibRolling, GlobalProblemsInSpaceComeBackBitForBit) {
  const Folder folder;
  const GlobalProblem problem = test::rolling_global_problem();

  write_fclib(folder.file("p.hdf5"), problem);
  const ProblemFile file = read_problem(folder.file("p.hdf5"));

  EXPECT_EQ(file.format, "fclib_global_rolling");
  const auto& read = std::get<GlobalProblem>(file.data);
  EXPECT_EQ(read.dimension, 3);
  EXPECT_EQ(read.rows_per_contact(), 5);
  expect_same(read.M, problem.M);
  expect_same(read.H, problem.H);
  expect_same(read.G, problem.G);
  EXPECT_EQ(read.f, problem.f);
  EXPECT_EQ(read.w, problem.w);
  EXPECT_EQ(read.b, problem.b);
  EXPECT_EQ(read.friction, problem.friction);
  EXPECT_EQ(read.rolling_friction, problem.rolling_friction);
  Surgery surgery(folder.file("p.hdf5"));
  EXPECT_THAT(surgery.all("/fclib_global_rolling/spacedim"), ElementsAre(5));
  EXPECT_THAT(surgery.all("/fclib_global_rolling/H/nz"), ElementsAre(6));  // triplets
}

class RollingFault : public ::testing::TestWithParam<FileFault> {};

TEST_P(RollingFault, IsReportedWithFileDatasetIndexAndValue) {
  const Folder folder;
  write_fclib(folder.file("pile.h5"), test::rolling_local_problem());
  {
    Surgery file(folder.file("pile.h5"));
    GetParam().spoil(file);
  }

  EXPECT_THAT(test::faults_of(folder.file("pile.h5")),
              Contains(AllOf(HasSubstr("pile.h5: /fclib_local_rolling" + GetParam().place),
                             HasSubstr(GetParam().remedy))));
}

INSTANTIATE_TEST_SUITE_P(
    Each, RollingFault,
    ::testing::Values(
        FileFault{"dimension", [](auto& f) { f.integers("/fclib_local_rolling/spacedim", {2}); },
                  "/spacedim[0] = 2", "must be 3 or 5"},
        FileFault{"missing", [](auto& f) { f.remove("/fclib_local_rolling/vectors/mu_r"); },
                  "/vectors/mu_r", "is missing"},
        FileFault{"negative",
                  [](auto& f) { f.change("/fclib_local_rolling/vectors/mu_r", 1, -0.5); },
                  "/vectors/mu_r[1] = -0.5", "must not be negative"},
        FileFault{"infinite",
                  [](auto& f) { f.change("/fclib_local_rolling/vectors/mu_r", 0, 1.0 / 0.0); },
                  "/vectors/mu_r[0] = inf", "finite"},
        FileFault{"length", [](auto& f) { f.reals("/fclib_local_rolling/vectors/mu_r", {0.1}); },
                  "/vectors/mu_r: has 1 entries", "must have 2, the length of vectors/mu"},
        FileFault{"rows", [](auto& f) { f.integers("/fclib_local_rolling/spacedim", {5}); },
                  "/vectors/q: has 6 entries", "must have 10, spacedim = 5"}),
    test::situation_of);

BodyProblem rolling_bodies(unsigned seed, Index bodies, Index contacts, Index joints) {
  Maker maker(seed);
  BodyProblem problem = maker.problem(bodies, contacts, joints);
  for (Index c = 0; c < contacts; ++c) problem.rolling_friction.push_back(0.01 + 0.001 * c);
  problem.spinning_friction.assign(static_cast<std::size_t>(contacts), 0.0);
  return problem;
}

/// (t1, t2) components of the angular velocity of B relative to A.
std::vector<double> rolling_of_bodies(const BodyProblem& p, const std::vector<double>& v) {
  const auto spin = [&](Index b) -> Vec3 {
    if (b == no_body) return {};
    return {v[6 * b + 3], v[6 * b + 4], v[6 * b + 5]};
  };
  std::vector<double> rolling;
  for (Index c = 0; c < p.contact_count(); ++c) {
    const Vec3 w = spin(p.contact_body_b[c]) - spin(p.contact_body_a[c]);
    rolling.push_back(dot(p.tangent[c], w));
    rolling.push_back(dot(cross(p.normal[c], p.tangent[c]), w));
  }
  return rolling;
}

TEST(FclibRolling, RowsOfExportedBodiesDoWhatTheBodiesDo) {
  const BodyProblem problem = rolling_bodies(1, 6, 20, 7);

  const GlobalProblem g = test::matrices_of(problem);

  const std::vector<double> v = test::velocities(6);
  const std::vector<double> u = times(transposed(g.H), v);
  ASSERT_EQ(u.size(), 100u);
  std::vector<double> sliding, rolling;
  for (std::size_t c = 0; c < 20; ++c) {
    sliding.insert(sliding.end(), u.begin() + 5 * c, u.begin() + 5 * c + 3);
    rolling.insert(rolling.end(), u.begin() + 5 * c + 3, u.begin() + 5 * c + 5);
    EXPECT_EQ(g.w[5 * c + 1], problem.contact_bias[c].y);
    EXPECT_EQ(g.w[5 * c + 3], 0.0);
    EXPECT_EQ(g.w[5 * c + 4], 0.0);
  }
  std::vector<double> expected = test::gaps_of_bodies(problem, v);
  expected.resize(60);
  test::expect_near(sliding, expected, rounding);
  test::expect_near(rolling, rolling_of_bodies(problem, v), rounding);
  EXPECT_EQ(g.rolling_friction, problem.rolling_friction);
}

TEST(FclibRolling, SpinningFrictionIsRefusedByName) {
  const Folder folder;
  BodyProblem problem = rolling_bodies(2, 3, 3, 0);
  problem.spinning_friction[1] = 0.25;

  try {
    write_fclib(folder.file("p.h5"), problem);
    FAIL() << "must be refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.messages(), ElementsAre(AllOf(HasSubstr("p.h5: spinning friction[1] = 0.25"),
                                                    HasSubstr("native layout"))));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(FclibRolling, BodiesThatWereWrittenAreFoundAgain) {
  for (unsigned seed = 10; seed < 20; ++seed) {
    const Folder folder;
    const BodyProblem problem = rolling_bodies(seed, 7, 30, 9);
    write_fclib(folder.file("p.h5"), problem);

    const ProblemFile file = read_problem(folder.file("p.h5"));

    EXPECT_EQ(file.format, "fclib_global_rolling");
    ASSERT_TRUE(std::holds_alternative<BodyProblem>(file.data)) << "seed " << seed;
    const auto& found = std::get<BodyProblem>(file.data);
    EXPECT_NO_THROW(validate(found, "found"));
    EXPECT_EQ(found.contact_body_a, problem.contact_body_a);
    EXPECT_EQ(found.contact_body_b, problem.contact_body_b);
    EXPECT_EQ(found.rolling_friction, problem.rolling_friction);
    EXPECT_EQ(found.spinning_friction, problem.spinning_friction);
    for (Index c = 0; c < 30; ++c) {
      EXPECT_LT(length(found.tangent[c] - problem.tangent[c]), rounding);
      EXPECT_LT(length(found.point[c] - problem.point[c]), rounding);
      EXPECT_EQ(found.contact_bias[c].z, problem.contact_bias[c].z);
    }
  }
}

TEST(FclibRolling, LeftHandedFramesAreFoundFromTheOtherSide) {
  GlobalProblem g = test::matrices_of(rolling_bodies(5, 5, 12, 0));
  const SparseMatrix rows = transposed(g.H);
  std::vector<Triplet> mirrored;  // the second tangent of every contact turned around
  for (Index i = 0; i < rows.rows; ++i)
    for (std::int64_t k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      const bool second = i % 5 == 2 || i % 5 == 4;
      mirrored.push_back({rows.column[k], i, second ? -rows.value[k] : rows.value[k]});
    }
  g.H = from_triplets(g.H.rows, g.H.columns, mirrored);

  const std::optional<BodyProblem> found = recognise_bodies(g);

  ASSERT_TRUE(found);
  const std::vector<double> v = test::velocities(5);
  const std::vector<double> u = times(transposed(g.H), v);
  std::vector<double> rolling;
  for (std::size_t c = 0; c < 12; ++c)
    rolling.insert(rolling.end(), u.begin() + 5 * c + 3, u.begin() + 5 * c + 5);
  test::expect_near(rolling_of_bodies(*found, v), rolling, rounding);
}

/// A small departure from rows that turn two bodies about the tangents, and the matrices stay.
struct Departure {
  const char* what;
  Index row, column;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Departure& departure, std::ostream* out) {
  *out << departure.what;
}

class NotRollingBodies : public ::testing::TestWithParam<Departure> {};

TEST_P(NotRollingBodies, StayMatrices) {
  BodyProblem problem = rolling_bodies(8, 3, 3, 0);
  problem.contact_body_a[2] = 0;
  problem.contact_body_b[2] = 1;
  GlobalProblem g = test::matrices_of(problem);
  ASSERT_TRUE(recognise_bodies(g));
  const SparseMatrix rows = transposed(g.H);
  std::vector<Triplet> entries{{GetParam().row, GetParam().column, 1e-9}};  // far above rounding
  for (Index i = 0; i < rows.rows; ++i)
    for (std::int64_t k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k)
      entries.push_back({rows.column[k], i, rows.value[k]});

  g.H = from_triplets(g.H.rows, g.H.columns, entries);

  EXPECT_FALSE(recognise_bodies(g));
}

// rows 0 to 5 are body 0, 6 to 11 body 1, 12 to 17 body 2; columns 13 and 14 are R1, R2 of contact
// 2
INSTANTIATE_TEST_SUITE_P(Each, NotRollingBodies,
                         ::testing::Values(Departure{"moves_a_body", 1, 13},
                                           Departure{"turns_the_first_otherwise", 4, 13},
                                           Departure{"turns_the_second_otherwise", 10, 14},
                                           Departure{"turns_a_third", 16, 14}),
                         [](const auto& instance) { return std::string(instance.param.what); });

TEST(FclibRolling, BiasOfRollingRowsIsWhatBodiesTurnByAndComesBack) {
  GlobalProblem g = test::matrices_of(rolling_bodies(8, 3, 3, 0));
  ASSERT_TRUE(recognise_bodies(g)->turning_bias.empty());

  g.w[9] = 0.1;  // R2 of the second contact

  const std::optional<BodyProblem> bodies = recognise_bodies(g);
  ASSERT_TRUE(bodies);
  ASSERT_EQ(bodies->turning_bias.size(), bodies->normal.size());
  EXPECT_EQ(bodies->turning_bias[1].z, 0.1);
  EXPECT_EQ(dot(bodies->turning_bias[0], bodies->turning_bias[0]), 0.0);
  // both forms of the problem have one answer
  const auto solved = [](const ConeProblem& problem) {
    SolveOptions options;
    options.law = Law::Associated;
    options.tolerance = 1e-9;
    RowVector impulses(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;
    const SolveReport report = solve(problem, options, Communicator::self(), impulses, gap);
    EXPECT_EQ(report.status, SolveStatus::Converged);
    return report.errors.objective;
  };
  const double as_matrices = solved(make_cone_problem(g)),
               as_bodies = solved(make_cone_problem(*bodies));
  EXPECT_NEAR(as_matrices, as_bodies, 1e-9 * std::abs(as_bodies));
}

TEST(FclibRolling, SolutionsOfBodiesGoWithoutSpinIntoTheFileAndComeBackWithIt) {
  ProblemFile file;
  file.data = rolling_bodies(3, 3, 2, 1);
  file.format = "fclib_global_rolling";
  const Solution six{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                     {1.5, 2, 3, 4, 5, 0, 7.5, 8, 9, 10, 11, 0},
                     {13},
                     {14, 15}};

  const Solution five = in_rows_of_file(file, six);
  const Solution back = in_rows_of_problem(file.data, five);

  EXPECT_THAT(five.u, ElementsAre(1, 2, 3, 4, 5, 7, 8, 9, 10, 11));
  EXPECT_THAT(five.r, ElementsAre(1.5, 2, 3, 4, 5, 7.5, 8, 9, 10, 11));
  EXPECT_THAT(five.l, ElementsAre(13));
  EXPECT_THAT(five.v, ElementsAre(14, 15));
  EXPECT_EQ(back.r, six.r);  // no spinning friction: no torque about the normal
  EXPECT_THAT(back.u, ElementsAre(1, 2, 3, 4, 5, 0, 7, 8, 9, 10, 11, 0));
}

TEST(FclibRolling, OtherSolutionsAreLeftAsTheyAre) {
  ProblemFile native;
  native.data = rolling_bodies(3, 3, 2, 1);
  native.format = "native";
  ProblemFile plain;
  plain.data = Maker(3).problem(3, 2, 0);
  plain.format = "fclib_global";
  ProblemFile matrices;
  matrices.data = test::rolling_global_problem();
  matrices.format = "fclib_global_rolling";
  const Solution six{{}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {}, {}};
  const Solution five{{}, {1, 2, 3, 4, 5}, {}, {}};

  EXPECT_EQ(in_rows_of_file(native, six).r, six.r);
  EXPECT_EQ(in_rows_of_file(plain, six).r, six.r);
  EXPECT_EQ(in_rows_of_file(matrices, five).r, five.r);
  EXPECT_EQ(in_rows_of_problem(native.data, six).r, six.r);
  EXPECT_EQ(in_rows_of_problem(native.data, five).r,
            five.r);  // of another problem: not ours to say
  EXPECT_EQ(in_rows_of_problem(plain.data, five).r, five.r);
  EXPECT_EQ(in_rows_of_problem(matrices.data, five).r, five.r);
}

}  // namespace
}  // namespace talus
