#include "support/manufactured_problem.hpp"

#include "support/complementary_pair.hpp"
#include "support/dense_reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace talus::support {
namespace {

// Gap velocities are of order 1 and come from a few dozen terms of order 1 (impulse over lighter
// mass): 1e-12 leaves three digits above the rounding of such sums.
constexpr double rounding = 1e-12;

double fault_of(const Manufactured& problem, Law law) {
  return complementarity_fault(dense_reference(problem.data), law, stacked_impulses(problem.exact));
}

/// Largest difference of the gap velocities that are claimed from those recomputed densely.
double gap_error(const Manufactured& problem) {
  const DenseReference reference = dense_reference(problem.data);
  const Eigen::VectorXd w = reference.N * stacked_impulses(problem.exact) + reference.r;
  double error = 0.0;
  for (std::size_t i = 0; i < problem.joint_gap.size(); ++i)
    error = std::max(error, std::abs(w[static_cast<Eigen::Index>(i)] - problem.joint_gap[i]));
  for (std::size_t i = 0; i < problem.exact.u.size(); ++i)
    error = std::max(error, std::abs(w[reference.scalar_rows() + static_cast<Eigen::Index>(i)] -
                                     problem.exact.u[i]));
  return error;
}

double velocity_fault(const Manufactured& problem) {
  const DenseReference reference = dense_reference(problem.data);
  const Eigen::VectorXd v =
      reference.inverse_mass *
      (reference.f + reference.D.transpose() * stacked_impulses(problem.exact));
  double error = 0.0;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    error = std::max(error, std::abs(v[i] - problem.exact.v[static_cast<std::size_t>(i)]));
  return error;
}

ManufacturedOptions everything(Law law, std::uint64_t seed) {
  return {.law = law,
          .bodies = 10,
          .contacts = 25,
          .free_rows = 4,
          .nonnegative_rows = 6,
          .box_rows = 9,
          .least_friction = 0.0,
          .greatest_friction = 0.9,
          .repeats = 2,
          .mass_ratio = 10.0,
          .compliance = 1e-3,
          .seed = seed};
}

std::string label_of(Law law) {
  return law == Law::Associated ? "Associated" : law == Law::Coulomb ? "Coulomb" : "Box";
}

class EveryLaw : public ::testing::TestWithParam<Law> {};
INSTANTIATE_TEST_SUITE_P(, EveryLaw, ::testing::Values(Law::Associated, Law::Coulomb, Law::Box),
                         [](const auto& law) { return label_of(law.param); });

TEST_P(EveryLaw, BodyPairIsComplementaryWhenRecomputedDensely) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ManufacturedOptions options = everything(GetParam(), seed);
    options.strict = seed % 2 == 0;
    const Manufactured problem = manufacture_bodies(options);

    EXPECT_LT(fault_of(problem, options.law), rounding) << "seed " << seed;
    EXPECT_LT(gap_error(problem), rounding) << "seed " << seed;
    EXPECT_LT(velocity_fault(problem), rounding) << "seed " << seed;
  }
}

TEST_P(EveryLaw, LocalPairIsComplementaryInSpaceAndInThePlane) {
  for (const int dimension : {2, 3}) {
    ManufacturedOptions options = everything(GetParam(), 3);
    options.nonnegative_rows = options.box_rows = 0;
    options.compliance = 0.0;
    options.dimension = dimension;
    const Manufactured problem = manufacture_local(options);

    EXPECT_LT(fault_of(problem, options.law), rounding) << dimension;
    EXPECT_LT(gap_error(problem), rounding) << dimension;
  }
}

TEST_P(EveryLaw, GlobalPairIsComplementaryInSpaceAndInThePlane) {
  for (const int dimension : {2, 3}) {
    ManufacturedOptions options = everything(GetParam(), 4);
    options.nonnegative_rows = options.box_rows = 0;
    options.compliance = 0.0;
    options.dimension = dimension;
    const Manufactured problem = manufacture_global(options);

    EXPECT_LT(fault_of(problem, options.law), rounding) << dimension;
    EXPECT_LT(gap_error(problem), rounding) << dimension;
    EXPECT_LT(velocity_fault(problem), rounding) << dimension;
  }
}

TEST(Manufactured, BodiesWrittenAsMatricesHaveTheSameAnswer) {
  const ManufacturedOptions options{.free_rows = 5, .repeats = 2, .mass_ratio = 100.0};

  const Manufactured problem = manufacture_global_of_bodies(options);

  const auto& data = std::get<GlobalProblem>(problem.data);
  EXPECT_EQ(data.M.rows, 6 * options.bodies);
  EXPECT_EQ(data.contact_count(), 2 * options.contacts);
  EXPECT_LT(fault_of(problem, options.law), rounding);
  EXPECT_LT(gap_error(problem), rounding);
  EXPECT_LT(velocity_fault(problem), rounding);
}

TEST(Manufactured, HugeMassRatioAndHugeFrictionKeepTheAnswerExact) {
  const ManufacturedOptions options{
      .contacts = 40, .greatest_friction = 1e6, .repeats = 3, .mass_ratio = 1e4, .seed = 5};

  const Manufactured problem = manufacture_bodies(options);

  // x . w is in joules and x of the order of the heaviest mass
  EXPECT_LT(fault_of(problem, options.law), rounding * options.mass_ratio);
  EXPECT_LT(gap_error(problem), rounding);
}

TEST(Manufactured, AsymmetricWHasOneAnswerForEachLaw) {
  ManufacturedOptions options{.law = Law::Coulomb, .asymmetry = 1e-3, .seed = 6};
  const Manufactured coulomb = manufacture_local(options);
  options.law = Law::Associated;
  const Manufactured associated = manufacture_local(options);

  const DenseReference given = dense_reference(coulomb.data);
  const double largest = given.N.cwiseAbs().maxCoeff();
  const double asymmetry = (given.N - given.N.transpose()).cwiseAbs().maxCoeff() / largest;
  EXPECT_GT(asymmetry, 5e-4);
  EXPECT_LT(asymmetry, 1.1e-3);
  EXPECT_LT(complementarity_fault(given, Law::Coulomb, stacked_impulses(coulomb.exact)), rounding);

  DenseReference symmetric = dense_reference(associated.data);
  EXPECT_GT(complementarity_fault(symmetric, Law::Associated, stacked_impulses(associated.exact)),
            1e-6);  // the W that is given is not the one that the associated law minimises with
  symmetric.N = 0.5 * (symmetric.N + symmetric.N.transpose()).eval();
  EXPECT_LT(complementarity_fault(symmetric, Law::Associated, stacked_impulses(associated.exact)),
            rounding);
}

TEST(Manufactured, RepeatedContactsShareTheirGapAndSplitTheImpulse) {
  const Manufactured problem = manufacture_bodies({.contacts = 30, .repeats = 3});

  bool differs = false;
  const std::vector<double>&u = problem.exact.u, &r = problem.exact.r;
  for (std::size_t c = 0; c < 30; ++c)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t copy = 1; copy < 3; ++copy) {
        EXPECT_EQ(u[9 * c + k], u[9 * c + 3 * copy + k]);
        differs = differs || r[9 * c + k] != r[9 * c + 3 * copy + k];
      }
  EXPECT_TRUE(differs);
}

TEST(Manufactured, EveryStateOccursAndStrictPairsKeepTheirDistance) {
  int sticking = 0, sliding = 0, open = 0;
  const Manufactured problem = manufacture_bodies({.contacts = 90});
  const auto& data = std::get<BodyProblem>(problem.data);
  for (std::size_t c = 0; c < 90; ++c) {
    const double* r = &problem.exact.r[3 * c];
    const double* u = &problem.exact.u[3 * c];
    const double mu = data.friction[c];
    const double inside = mu * r[0] - std::hypot(r[1], r[2]);
    const double dual_inside = u[0] - mu * std::hypot(u[1], u[2]);
    if (r[0] == 0.0) {
      ++open;
      EXPECT_GT(dual_inside, 0.1);
    } else if (inside < 1e-12) {
      ++sliding;
      EXPECT_GT(std::hypot(u[0], u[1], u[2]), 0.1);
    } else {
      ++sticking;
      EXPECT_GT(inside, 0.01);  // margin 0.2 times the least mu 0.2 times ...
      EXPECT_EQ(std::hypot(u[0], u[1], u[2]), 0.0);
    }
  }
  EXPECT_GT(sticking, 10);
  EXPECT_GT(sliding, 10);
  EXPECT_GT(open, 10);
}

TEST(Manufactured, DegeneratePairsHaveConesWithNothingToHoldThem) {
  const Manufactured problem = manufacture_bodies({.contacts = 60, .strict = false});

  int nothing = 0;
  for (std::size_t c = 0; c < 60; ++c) {
    double size = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      size += std::abs(problem.exact.u[3 * c + k]) + std::abs(problem.exact.r[3 * c + k]);
    nothing += size == 0.0;
  }
  EXPECT_GT(nothing, 3);
}

TEST(Manufactured, BoxRowsComeWithFiniteAndHalfInfiniteBounds) {
  const Manufactured problem = manufacture_bodies(everything(Law::Associated, 1));
  const auto& data = std::get<BodyProblem>(problem.data);

  std::set<std::pair<bool, bool>> kinds;
  for (std::size_t j = 0; j < data.joint_lower.size(); ++j) {
    kinds.insert({data.joint_lower[j] == -infinity, data.joint_upper[j] == infinity});
    EXPECT_LT(data.joint_lower[j], data.joint_upper[j]);
  }
  EXPECT_EQ(kinds.size(), 4u);
}

TEST(Manufactured, LeastAndGreatestFrictionAndTheMassRatioAreReached) {
  const Manufactured problem =
      manufacture_bodies({.least_friction = 0.0, .greatest_friction = 2.5, .mass_ratio = 1e4});
  const auto& data = std::get<BodyProblem>(problem.data);

  const auto [least, greatest] = std::minmax_element(data.friction.begin(), data.friction.end());
  EXPECT_EQ(*least, 0.0);
  EXPECT_EQ(*greatest, 2.5);
  const auto [heavy, light] =
      std::minmax_element(data.inverse_mass.begin(), data.inverse_mass.end());
  EXPECT_NEAR(*light / *heavy, 1e4, 1e-8);
}

TEST(Manufactured, ImmovableBodyStaysAtRest) {
  const Manufactured problem = manufacture_bodies({.free_rows = 3, .immovable_body = true});

  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(problem.exact.v[k], 0.0);
  EXPECT_LT(fault_of(problem, Law::Associated), rounding);
}

TEST(Manufactured, SameSeedSameBitsAnotherSeedAnotherProblem) {
  const Manufactured first = manufacture_bodies({.seed = 1}),
                     again = manufacture_bodies({.seed = 1}),
                     other = manufacture_bodies({.seed = 2});

  EXPECT_EQ(first.exact.v, again.exact.v);
  EXPECT_EQ(first.exact.r, again.exact.r);
  EXPECT_NE(first.exact.v, other.exact.v);
}

TEST(Manufactured, ProblemsPassValidation) {
  const Manufactured problem = manufacture_bodies(everything(Law::Associated, 2));

  EXPECT_NO_THROW(validate(std::get<BodyProblem>(problem.data), "problem"));
}

TEST(Manufactured, ProblemsMayHaveNoContacts) {
  const Manufactured problem = manufacture_bodies({.contacts = 0, .free_rows = 8});

  EXPECT_LT(fault_of(problem, Law::Associated), rounding);
  EXPECT_TRUE(problem.exact.u.empty());
}

TEST(VelocityError, IsRelativeAndDoesNotForgiveNaN) {
  const Manufactured problem = manufacture_bodies({});
  Solution found = problem.exact;
  EXPECT_EQ(velocity_error(problem, found), 0.0);

  double largest = 0.0;
  for (const double x : problem.exact.u) largest = std::max(largest, std::abs(x));
  for (const double x : problem.exact.v) largest = std::max(largest, std::abs(x));
  found.v[4] += 0.5 * largest;
  EXPECT_DOUBLE_EQ(velocity_error(problem, found), 0.5);

  found.v[4] = std::nan("");
  EXPECT_EQ(velocity_error(problem, found), infinity);
  found.v.pop_back();
  EXPECT_EQ(velocity_error(problem, found), infinity);
}

TEST(ComplementarityFault, SeesWhatBreaksTheLaw) {
  const Manufactured problem = manufacture_bodies(everything(Law::Associated, 1));
  const DenseReference reference = dense_reference(problem.data);
  Eigen::VectorXd x = stacked_impulses(problem.exact);
  ASSERT_LT(complementarity_fault(reference, Law::Associated, x), rounding);

  EXPECT_GT(complementarity_fault(reference, Law::Coulomb, x), 1e-3);  // another law
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    Eigen::VectorXd changed = x;
    changed[i] += 0.01;
    EXPECT_GT(complementarity_fault(reference, Law::Associated, changed), 1e-6) << "row " << i;
  }
}

}  // namespace
}  // namespace talus::support
