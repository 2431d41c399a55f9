#include "talus/io/problem_file.hpp"

#include "unit/io/file_surgery.hpp"
#include "unit/io/textbook_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace talus {
namespace {

using test::expect_masses;
using test::expect_near;
using test::Folder;
using test::gaps_of_bodies;
using test::gaps_of_matrices;
using test::Maker;
using test::matrices_of;
using test::velocities;
using test::velocities_after;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double rounding = 1e-13;  // products of numbers near 1, a dozen terms

TEST(WriteFclib, MatricesOfBodiesDoWhatTheBodiesDo) {
  const BodyProblem problem = Maker(1).problem(6, 20, 7);

  const GlobalProblem g = matrices_of(problem);

  const std::vector<double> v = velocities(6);
  expect_near(gaps_of_matrices(g, v), gaps_of_bodies(problem, v), rounding);
  expect_masses(g, problem, rounding);
  EXPECT_EQ(g.b, problem.joint_bias);
  EXPECT_EQ(g.friction, problem.friction);
  EXPECT_EQ(g.time_step, 0.01);
  for (Index c = 0; c < 20; ++c) EXPECT_EQ(g.w[3 * c + 1], problem.contact_bias[c].y);
}

TEST(WriteFclib, BodiesThatNothingMovesHaveNoRows) {
  BodyProblem problem = Maker(2).problem(4, 12, 5);
  problem.inverse_mass[1] = 0.0;
  problem.inverse_inertia[1] = {};

  const GlobalProblem g = matrices_of(problem);

  EXPECT_EQ(g.M.rows, 18);
  EXPECT_EQ(g.body_centre.size(), 3u);
  std::vector<double> v = velocities(4);
  std::fill_n(v.begin() + 6, 6, 0.0);
  std::vector<double> moving = v;
  moving.erase(moving.begin() + 6, moving.begin() + 12);
  expect_near(gaps_of_matrices(g, moving), gaps_of_bodies(problem, v), rounding);
}

TEST(WriteFclib, WhatFclibCannotSayIsRefused) {
  const Folder folder;
  BodyProblem problem = Maker(3).problem(3, 3, 2);
  problem.normal_compliance[1] = 1e-6;
  problem.joint_compliance[0] = 1e-6;
  problem.joint_upper[1] = 5.0;
  problem.inverse_inertia[2] = {};

  try {
    write_fclib(folder.file("p.h5"), problem);
    FAIL() << "must be refused";
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.messages(),
        ::testing::UnorderedElementsAre(
            AllOf(HasSubstr("p.h5: bodies[2]"), HasSubstr("no mass matrix")),
            AllOf(HasSubstr("contact compliance[1] = (1e-06, 0)"), HasSubstr("native layout")),
            HasSubstr("joint compliance[0] = 1e-06: FCLib has no compliance"),
            HasSubstr("joint bounds[1] = [-inf, 5]")));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(RecogniseBodies, FindsTheBodiesThatWereWritten) {
  for (unsigned seed = 10; seed < 20; ++seed) {
    const BodyProblem problem = Maker(seed).problem(7, 30, 9);
    const GlobalProblem g = matrices_of(problem);

    const std::optional<BodyProblem> found = recognise_bodies(g);

    ASSERT_TRUE(found) << "seed " << seed;
    EXPECT_EQ(found->contact_body_a, problem.contact_body_a);
    EXPECT_EQ(found->contact_body_b, problem.contact_body_b);
    EXPECT_TRUE(found->point_b.empty());
    EXPECT_EQ(found->friction, problem.friction);
    EXPECT_EQ(found->momentum, problem.momentum);
    EXPECT_EQ(found->time_step, problem.time_step);
    for (Index c = 0; c < 30; ++c) {
      EXPECT_LT(length(found->normal[c] - problem.normal[c]), rounding);
      EXPECT_LT(length(found->tangent[c] - problem.tangent[c]), rounding);
      EXPECT_LT(length(found->point[c] - problem.point[c]), rounding);
    }
    const std::vector<double> v = velocities(7);
    expect_near(gaps_of_bodies(*found, v), gaps_of_matrices(g, v), rounding);
    expect_masses(g, *found, rounding);
    EXPECT_NO_THROW(validate(*found, "found"));
  }
}

TEST(RecogniseBodies, ReadingAFileDoesItUnlessToldNotTo) {
  const Folder folder;
  write_fclib(folder.file("p.h5"), Maker(1).problem(3, 4, 0));

  const ProblemFile bodies = read_problem(folder.file("p.h5"));
  const ProblemFile matrices = read_problem(folder.file("p.h5"), {.recognise_bodies = false});

  EXPECT_EQ(bodies.format, "fclib_global");
  EXPECT_TRUE(std::holds_alternative<BodyProblem>(bodies.data));
  EXPECT_TRUE(std::holds_alternative<GlobalProblem>(matrices.data));
}

TEST(RecogniseBodies, TwoPointsToAContactAreKeptApart) {
  BodyProblem problem = Maker(4).problem(5, 12, 0);
  problem.point_b = problem.point;
  problem.point_b[7] = problem.point_b[7] + 0.01 * problem.normal[7];
  problem.contact_body_a[7] = 0;
  problem.contact_body_b[7] = 1;
  const GlobalProblem g = matrices_of(problem);

  const std::optional<BodyProblem> found = recognise_bodies(g);

  ASSERT_TRUE(found);
  ASSERT_EQ(found->point_b.size(), 12u);
  EXPECT_LT(length(found->point_b[7] - problem.point_b[7]), rounding);
  EXPECT_LT(length(found->point[7] - problem.point[7]), rounding);
  const std::vector<double> v = velocities(5);
  expect_near(gaps_of_bodies(*found, v), gaps_of_matrices(g, v), rounding);
}

TEST(RecogniseBodies, LeftHandedFramesAreRightHandedOnesFromTheOtherSide) {
  GlobalProblem g = matrices_of(Maker(5).problem(5, 12, 0));
  const SparseMatrix rows = transposed(g.H);
  std::vector<Triplet> mirrored;  // the second tangent of every contact turned around
  for (Index i = 0; i < rows.rows; ++i)
    for (std::int64_t k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k)
      mirrored.push_back({rows.column[k], i, i % 3 == 2 ? -rows.value[k] : rows.value[k]});
  g.H = from_triplets(g.H.rows, g.H.columns, mirrored);

  const std::optional<BodyProblem> found = recognise_bodies(g);

  ASSERT_TRUE(found);
  const std::vector<double> v = velocities(5);
  expect_near(gaps_of_bodies(*found, v), gaps_of_matrices(g, v), rounding);
}

TEST(RecogniseBodies, ContactsAtTheCentreAreNoDivisionByZero) {
  BodyProblem problem = Maker(6).problem(2, 2, 0);
  for (Index c = 0; c < 2; ++c) problem.point[c] = problem.centre[0];

  EXPECT_TRUE(recognise_bodies(matrices_of(problem)));
}

TEST(RecogniseBodies, JointsAloneAreBodiesToo) {
  const std::optional<BodyProblem> found = recognise_bodies(matrices_of(Maker(7).problem(4, 0, 6)));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->joint_row_count(), 6);
}

/// A small departure from rigid bodies, anywhere, and the matrices stay.
struct Departure {
  const char* what;
  std::function<void(GlobalProblem&)> make;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
void PrintTo(const Departure& departure, std::ostream* out) {
  *out << departure.what;
}

void change(SparseMatrix& a, Index row, Index column, double by) {
  std::vector<Triplet> entries{{row, column, by}};
  for (Index i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      entries.push_back({i, a.column[k], a.value[k]});
  a = from_triplets(a.rows, a.columns, entries);
}

class NotBodies : public ::testing::TestWithParam<Departure> {};

TEST_P(NotBodies, StayMatrices) {
  // contact 2 and joint 1 of this problem touch bodies 0 and 1
  BodyProblem problem = Maker(8).problem(3, 3, 2);
  problem.contact_body_a[2] = 0;
  problem.contact_body_b[2] = 1;
  problem.joint_body_a[1] = 0;
  problem.joint_body_b[1] = 1;
  GlobalProblem g = matrices_of(problem);
  ASSERT_TRUE(recognise_bodies(g));

  GetParam().make(g);

  EXPECT_FALSE(recognise_bodies(g));
}

constexpr double small = 1e-9;  // far above rounding, far below what anyone would see

INSTANTIATE_TEST_SUITE_P(
    Each, NotBodies,
    ::testing::Values(
        Departure{"no_positions", [](auto& g) { g.body_centre.clear(); }},
        Departure{"planar", [](auto& g) { g.dimension = 2; }},
        Departure{"mass_differs_by_direction", [](auto& g) { change(g.M, 1, 1, small); }},
        Departure{"mass_couples_directions",
                  [](auto& g) { change(g.M, 0, 1, small), change(g.M, 1, 0, small); }},
        Departure{"mass_couples_rotation",
                  [](auto& g) { change(g.M, 0, 4, small), change(g.M, 4, 0, small); }},
        Departure{"mass_couples_bodies",
                  [](auto& g) { change(g.M, 0, 6, small), change(g.M, 6, 0, small); }},
        Departure{"inertia_unsymmetric", [](auto& g) { change(g.M, 3, 4, small); }},
        Departure{"inertia_indefinite",
                  [](auto& g) { change(g.M, 3, 4, 50.0), change(g.M, 4, 3, 50.0); }},
        Departure{"normal_not_unit", [](auto& g) { change(g.H, 0, 6, small); }},
        Departure{"second_tangent", [](auto& g) { change(g.H, 1, 8, small); }},
        Departure{"not_opposite", [](auto& g) { change(g.H, 6, 6, small); }},
        Departure{"lever", [](auto& g) { change(g.H, 4, 7, small); }},
        Departure{"third_body", [](auto& g) { change(g.H, 12, 6, small); }},
        Departure{"contact_of_nothing", [](auto& g) { g.H = from_triplets(18, 9, {}); }},
        Departure{"joint_of_three", [](auto& g) { change(g.G, 12, 1, small); }},
        Departure{"joint_of_nothing", [](auto& g) { g.G = from_triplets(18, 2, {}); }}),
    [](const auto& instance) { return std::string(instance.param.what); });

TEST(RecogniseBodies, FarFromTheOriginLeversAreLostInRoundingAndMatricesStay) {
  BodyProblem problem = Maker(9).problem(3, 3, 0);
  GlobalProblem g = matrices_of(problem);
  ASSERT_TRUE(recognise_bodies(g));

  for (Vec3& c : g.body_centre) c = c + Vec3{1e9, 0.0, 0.0};

  EXPECT_FALSE(recognise_bodies(g));
}

class RealBodies : public ::testing::TestWithParam<const char*> {};

TEST_P(RealBodies, IsRecognisedAndMovesAsItsSolutionSays) {
  const std::string path = test::problems_folder() + "/benchmarks/" + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there; set TALUS_PROBLEMS";
  const ProblemFile file = read_problem(path);
  const Solution solution = read_solution(path, "solution_ccp");

  ASSERT_TRUE(std::holds_alternative<BodyProblem>(file.data));
  const auto& problem = std::get<BodyProblem>(file.data);

  EXPECT_NO_THROW(validate(problem, path));
  EXPECT_EQ(problem.time_step, 0.005);
  EXPECT_TRUE(file.reference_objective);
  // the file's v, u were made from its r, l with the matrices of the file, in double precision
  const std::vector<double> v = velocities_after(problem, solution);
  double fastest = 0.0, hardest = 0.0;
  for (double x : v) fastest = std::max(fastest, std::abs(x));
  for (std::size_t b = 0; b < problem.momentum.size(); ++b)
    for (int k = 0; k < 6; ++k)
      hardest = std::max(hardest, std::abs(problem.momentum[b][k]) * problem.inverse_mass[b]);
  const double tolerance = 1e-10 * std::max(fastest, hardest);  // sums of dozens of large impulses
  expect_near(v, solution.v, tolerance);
  std::vector<double> gaps = gaps_of_bodies(problem, v);
  gaps.resize(solution.u.size());
  for (Index c = 0; c < problem.contact_count(); ++c) {
    gaps[3 * c] += problem.contact_bias[c].x;
    gaps[3 * c + 1] += problem.contact_bias[c].y;
    gaps[3 * c + 2] += problem.contact_bias[c].z;
  }
  expect_near(gaps, solution.u, 10.0 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Each, RealBodies,
                         ::testing::Values("B1.h5", "B2.h5", "B3.h5", "B4.h5", "G10.h5"),
                         [](const auto& instance) {
                           const std::string name = instance.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace talus
