// psor on problems whose answer is known, for all three laws; what is special about sweeps.

#include "talus/solvers/solve.hpp"

#include "generate/generate.hpp"
#include "support/dense_reference.hpp"
#include "support/machine.hpp"
#include "support/manufactured_problem.hpp"
#include "support/solved.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

using support::Manufactured;
using support::ManufacturedOptions;
using support::psor_options;
using support::Solved;
using support::solved;

// ---- manufactured answers
// ------------------------------------------------------------------------------------

struct Case {
  const char* name;
  ManufacturedOptions options;
  Manufactured (*make)(const ManufacturedOptions&);
  /// Sweeps that Gauss-Seidel takes to 1e-11, rounded up: what to expect of it.
  std::int64_t associated, coulomb, box;
};

std::vector<Case> cases() {
  using namespace support;  // NOLINT(google-build-using-namespace): names of the makers
  return {
      {"contacts", {}, manufacture_bodies, 200, 200, 600},
      {"redundant", {.repeats = 3}, manufacture_bodies, 200, 200, 600},
      {"frictionless",
       {.least_friction = 0.0, .greatest_friction = 0.0},
       manufacture_bodies,
       400,
       400,
       400},
      {"joints_and_boxes",
       {.contacts = 24, .free_rows = 6, .nonnegative_rows = 4, .box_rows = 6},
       manufacture_bodies,
       1000,
       1000,
       1000},
      {"joints_only", {.contacts = 0, .free_rows = 20}, manufacture_bodies, 1000, 1000, 1000},
      {"mass_ratio_10000",
       {.free_rows = 6, .nonnegative_rows = 4, .box_rows = 6, .mass_ratio = 1e4},
       manufacture_bodies,
       2000,
       2000,
       20000},
      {"compliant",
       {.free_rows = 6, .box_rows = 6, .compliance = 1.0},
       manufacture_bodies,
       200,
       200,
       400},
      {"immovable", {.free_rows = 6, .immovable_body = true}, manufacture_bodies, 1000, 1000, 1000},
      // many enough for blocks of independent rows
      {"blocks",
       {.bodies = 1500,
        .contacts = 4400,
        .free_rows = 100,
        .least_friction = 0.02,
        .greatest_friction = 0.1,
        .compliance = 5.0,
        .immovable_body = true},
       manufacture_bodies,
       200,
       200,
       200},
      {"blocks_of_joints",
       {.bodies = 4000, .contacts = 0, .free_rows = 6000, .box_rows = 2400, .compliance = 5.0},
       manufacture_bodies,
       200,
       200,
       200},
      {"planar",
       {.contacts = 10,
        .free_rows = 3,
        .least_friction = 0.0,
        .greatest_friction = 0.3,
        .dimension = 2},
       manufacture_local,
       2000,
       2000,
       2000},
      {"planar_redundant",
       {.contacts = 10,
        .least_friction = 0.0,
        .greatest_friction = 0.3,
        .repeats = 2,
        .dimension = 2},
       manufacture_global,
       2000,
       2000,
       2000},
      {"local", {.free_rows = 4}, manufacture_local, 500, 500, 500},
      {"local_redundant", {.repeats = 2}, manufacture_local, 500, 500, 500},
      {"general_mass", {.free_rows = 4}, manufacture_global, 500, 500, 500},
      {"block_mass", {.free_rows = 4}, manufacture_global_of_bodies, 1000, 1000, 1000},
  };
}

class PsorRecovers : public testing::TestWithParam<std::tuple<Law, int>> {};

TEST_P(PsorRecovers, ManufacturedVelocities) {
  const auto [law, number] = GetParam();
  Case test = cases()[static_cast<std::size_t>(number)];
  test.options.law = law;
  const Manufactured problem = test.make(test.options);

  const Solved s = solved(problem.data, psor_options(law));

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8);  // the bound
  EXPECT_LE(s.report.iterations, law == Law::Associated ? test.associated
                                 : law == Law::Coulomb  ? test.coulomb
                                                        : test.box);
}

INSTANTIATE_TEST_SUITE_P(AllLaws, PsorRecovers,
                         testing::Combine(testing::Values(Law::Associated, Law::Coulomb, Law::Box),
                                          testing::Range(0, static_cast<int>(cases().size()))),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" +
                                  cases()[static_cast<std::size_t>(std::get<1>(test.param))].name;
                         });

// ---- ways to sweep
// -------------------------------------------------------------------------------------------

/// Contacts, joints, boxes of moderate difficulty: 510 plain sweeps to 1e-11.
Manufactured mixed(Law law) {
  return support::manufacture_bodies(
      {.law = law, .free_rows = 6, .nonnegative_rows = 4, .box_rows = 6});
}

class PsorLaws : public testing::TestWithParam<Law> {};

TEST_P(PsorLaws, ConvergeForEveryRelaxationBelowTwo) {
  const Manufactured problem = mixed(GetParam());
  for (const double omega : {0.2, 0.7, 1.5, 1.9}) {
    // box friction is no minimisation, and near 2 nothing holds it together
    if (GetParam() == Law::Box && omega > 1.5) continue;
    SolveOptions options = psor_options(GetParam());
    options.psor.relaxation = omega;

    const Solved s = solved(problem.data, options);

    EXPECT_EQ(s.report.status, SolveStatus::Converged) << omega;
    EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8) << omega;
  }
}

TEST_P(PsorLaws, ConvergeWithSymmetricSweeps) {
  const Manufactured problem = mixed(GetParam());
  SolveOptions options = psor_options(GetParam());
  options.psor.symmetric = true;

  const Solved s = solved(problem.data, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8);
}

TEST_P(PsorLaws, ConvergeWithStepsOfTheLargestEigenvalue) {
  const Manufactured problem = mixed(GetParam());
  SolveOptions options = psor_options(GetParam());
  options.psor.exact_local = false;

  const Solved s = solved(problem.data, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8);
}

TEST_P(PsorLaws, ConvergeWithMomentum) {
  const Manufactured problem = mixed(GetParam());
  for (const int sweeps : {1, 4})
    for (const bool symmetric : {false, true}) {
      if (symmetric && sweeps % 2 != 0) continue;
      SolveOptions options = psor_options(GetParam());
      options.psor.accelerate = true;
      options.psor.sweeps = sweeps;
      options.psor.symmetric = symmetric;

      const Solved s = solved(problem.data, options);

      EXPECT_EQ(s.report.status, SolveStatus::Converged);
      EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8);
    }
}

TEST(Psor, TakesMomentumOverAMatrix) {
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
    const Manufactured problem = support::manufacture_local({.law = law, .free_rows = 4});
    SolveOptions options = psor_options(law);
    options.psor.accelerate = true;

    const Solved s = solved(problem.data, options);

    EXPECT_EQ(s.report.status, SolveStatus::Converged) << name_of(law);
    EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8) << name_of(law);
  }
}

TEST(Psor, NeedsAThirdOfTheSweepsWithMomentum) {
  // 430 and 70 of them (measured); a packing to 1e-2
  const BodyProblem packing = generate(parse_generate("packing,bodies=300"));
  SolveOptions options = psor_options(Law::Associated);
  options.tolerance = 1e-3;
  const std::int64_t plain = solved(packing, options).report.iterations;
  options.psor.accelerate = true;

  EXPECT_LT(3 * solved(packing, options).report.iterations, plain);
}

TEST(Psor, SaysWhereTheSweepsOfAStepMeanNothing) {
  SolveOptions options = psor_options(Law::Associated);
  options.psor.sweeps = 4;

  const Solved s = solved(mixed(Law::Associated).data, options);

  ASSERT_EQ(s.report.remarks.size(), 1U);
  EXPECT_EQ(s.report.remarks[0], "psor.sweeps changes nothing on one rank without psor.accelerate");
}

TEST_P(PsorLaws, StayAtTheAnswer) {
  const Manufactured problem = mixed(GetParam());
  const ConeProblem cones = make_cone_problem(problem.data);
  for (const bool exact : {true, false}) {
    SolveOptions options = psor_options(GetParam());
    options.psor.exact_local = exact;
    options.tolerance = 0.0;
    options.max_iterations = 50;
    options.keep_history = true;

    const Solved s = solved(problem.data, options, impulses_from(cones, problem.exact));

    // rounding of impulses of 1 N s with inverse masses of 10 / kg, relative to r of 1 m/s
    for (const HistoryEntry& entry : s.report.history) EXPECT_LT(entry.error, 1e-13);
    EXPECT_LT(support::velocity_error(problem, s.solution), 1e-12);
  }
}

TEST_P(PsorLaws, DoNotDependOnThreads) {
  const ProblemData data = support::manufacture_bodies({.law = GetParam(),
                                                        .bodies = 1500,
                                                        .contacts = 4200,
                                                        .free_rows = 6000,
                                                        .box_rows = 2400})
                               .data;
  SolveOptions options = psor_options(GetParam());
  options.tolerance = 0.0;
  options.max_iterations = 20;
  std::vector<std::uint64_t> reference;
  for (const int threads : {1, 2, 3, 4}) {
    const support::ForcedThreads forced(threads);

    const auto bits = support::bits_of_all(solved(data, options).impulses);

    if (reference.empty()) reference = bits;
    EXPECT_EQ(bits, reference) << threads;
  }
}

TEST_P(PsorLaws, CostOneProductPerMeasurement) {
  const Manufactured problem = mixed(GetParam());
  SolveOptions options = psor_options(GetParam());
  options.tolerance = 0.0;
  options.max_iterations = 100;
  options.psor.check_every = 10;

  const SolveReport report = solved(problem.data, options).report;

  EXPECT_EQ(report.iterations, 100);
  // at the start, after each ten sweeps, and for the verification
  EXPECT_EQ(report.operator_products, 1 + 10 + 1);
}

INSTANTIATE_TEST_SUITE_P(All, PsorLaws, testing::Values(Law::Associated, Law::Coulomb, Law::Box),
                         [](const auto& test) { return name_of(test.param); });

TEST(Psor, UsesTheUnsymmetricMatrixOnlyUnderTheCoulombLaw) {
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
    const Manufactured problem =
        support::manufacture_local({.law = law, .free_rows = 4, .asymmetry = 1e-3});

    const Solved s = solved(problem.data, psor_options(law));

    // the answer is made with W for the Coulomb law, with its symmetric part for the others
    EXPECT_EQ(s.report.status, SolveStatus::Converged) << name_of(law);
    EXPECT_LT(support::velocity_error(problem, s.solution), 1e-8) << name_of(law);
    EXPECT_EQ(s.report.remarks.size(), 1U) << name_of(law);
  }
}

TEST(Psor, LeavesASwingingCoulombProblemToBoundedSteps) {
  // contacts that their tangential impulses lift: exact answers go round for ever (measured)
  const Manufactured problem =
      support::manufacture_bodies({.law = Law::Coulomb, .greatest_friction = 1.2, .seed = 27});
  SolveOptions options = psor_options(Law::Coulomb);
  options.tolerance = 1e-9;

  const Solved s = solved(problem.data, options);

  EXPECT_EQ(s.report.status, SolveStatus::Converged);
  EXPECT_GT(s.report.iterations, 2000);  // the patience it has with exact answers
  // the answer need not be the drawn one: the law itself is the judge, tolerance times 1 / lightest
  // mass
  EXPECT_LT(support::complementarity_fault(support::dense_reference(problem.data), Law::Coulomb,
                                           support::stacked_impulses(s.solution)),
            1e-6);
}

}  // namespace
}  // namespace talus
