// Rolling and spinning friction on problems whose answer is known: manufactured ones for every
// method and law, and a sphere on a plane by hand.

#include "talus/io/problem_file.hpp"
#include "talus/solvers/solve.hpp"

#include "support/dense_reference.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/rolling_problems.hpp"
#include "support/solved.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

namespace talus {
namespace {

using support::Manufactured;
using support::RollingOptions;
using support::Solved;
using support::solved;

struct Case {
  const char* name;
  RollingOptions options;
  Manufactured (*make)(const RollingOptions&);
};

std::vector<Case> cases() {
  using namespace support;  // NOLINT(google-build-using-namespace): names of the makers
  return {{"bodies", {}, manufacture_rolling_bodies},
          {"bodies_without_spinning_friction", {.spinning = false}, manufacture_rolling_bodies},
          {"contacts_only", {.free_rows = 0, .mixed = false}, manufacture_rolling_bodies},
          {"local", {}, manufacture_rolling_local},
          {"local_in_the_plane", {.dimension = 2}, manufacture_rolling_local},
          {"local_not_symmetric", {.asymmetry = 1e-3}, manufacture_rolling_local},
          {"global", {}, manufacture_rolling_global},
          {"global_in_the_plane", {.dimension = 2}, manufacture_rolling_global}};
}

SolveOptions options_of(Method method, Law law) {
  SolveOptions options;
  options.method = method;
  options.law = law;
  options.tolerance = 1e-11;
  options.max_iterations = 200000;
  return options;
}

class RollingRecovers : public testing::TestWithParam<std::tuple<Method, Law, int>> {};

TEST_P(RollingRecovers, ManufacturedVelocities) {
  const auto [method, law, number] = GetParam();
  Case test = cases().at(static_cast<std::size_t>(number));
  test.options.law = law;
  const Manufactured problem = test.make(test.options);

  const Solved s = solved(problem.data, options_of(method, law));

  EXPECT_EQ(s.report.status, SolveStatus::Converged) << s.report.error;
  // the residual is relative, blocks have condition numbers of some hundreds
  EXPECT_LT(support::velocity_error(problem, s.solution), 1e-7);
  EXPECT_TRUE(std::isnan(s.report.errors.fischer_burmeister));
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Method, Law, int>>& test) {
  return name_of(std::get<0>(test.param)) + "_" + name_of(std::get<1>(test.param)) + "_" +
         cases().at(static_cast<std::size_t>(std::get<2>(test.param))).name;
}

const auto all_cases = testing::Range(0, static_cast<int>(cases().size()));

INSTANTIATE_TEST_SUITE_P(
    EveryLaw, RollingRecovers,
    testing::Combine(testing::Values(Method::Jacobi, Method::Psor, Method::Pspgfb, Method::Apgd),
                     testing::Values(Law::Coulomb, Law::Associated, Law::Box), all_cases),
    name_of_case);

// The manufactured pairs themselves fulfil the law in the dense twin, so that the tests above know
// what they ask for.
TEST(RollingProblems, HoldTheirLawInTheDenseTwin) {
  for (const Law law : {Law::Coulomb, Law::Associated, Law::Box})
    for (Case test : cases()) {
      test.options.law = law;
      const Manufactured problem = test.make(test.options);
      if (law != Law::Coulomb && test.options.asymmetry > 0.0) continue;  // the twin has all of W
      EXPECT_LT(support::complementarity_fault(support::dense_reference(problem.data), law,
                                               support::stacked_impulses(problem.exact)),
                1e-12)
          << test.name << " " << name_of(law);
    }
}

// ---- a sphere on a plane, one step from rest

constexpr double mass = 2.0, radius = 0.1, inertia = 0.4 * mass * radius * radius;
constexpr double weight = mass * 9.81 * 1e-2;  // N s per step

/// Torque impulses about y (rolling) and z (spinning), friction enough not to slide.
BodyProblem sphere(double rolling_torque, double spinning_torque, double mu_r, double mu_s) {
  BodyProblem p;
  const double i = 1.0 / inertia;
  p.add_body({0.0, 0.0, radius}, 1.0 / mass, {i, 0.0, 0.0, i, 0.0, i},
             {0.0, 0.0, -weight, 0.0, rolling_torque, spinning_torque});
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.8, {});
  p.tangent.back() = {1.0, 0.0, 0.0};
  p.rolling_friction = {mu_r};
  p.spinning_friction = {mu_s};
  return p;
}

class SphereOnAPlane : public testing::TestWithParam<std::tuple<Method, Law>> {
 protected:
  Method method_ = std::get<0>(GetParam());
  Law law_ = std::get<1>(GetParam());
  Solved solve_sphere(const BodyProblem& p) const { return solved(p, options_of(method_, law_)); }
};

constexpr double digits = 1e-9;  // velocities and impulses are of order 1, the tolerance 1e-11

TEST_P(SphereOnAPlane, RestsWhereTheTorqueIsBelowRollingFriction) {
  const double mu_r = 0.01;
  for (const double share : {0.0, 0.5, 0.99}) {
    const Solved s = solve_sphere(sphere(share * mu_r * weight, 0.0, mu_r, 0.0));
    for (const double v : s.solution.v) EXPECT_NEAR(v, 0.0, digits);
    EXPECT_NEAR(s.solution.r[0], weight, digits);
    EXPECT_NEAR(s.solution.r[4], -share * mu_r * weight, digits);  // about t2 = y, against it
  }
}

// Rolling without slip, v_x = R w: I w = T - mu_r N - R F, m v_x = F, so (I + m R^2) w = T - mu_r
// N. N is the weight under Coulomb's law; the convex law lifts the sphere by v_z = mu_r w, which
// adds m mu_r w to N.
TEST_P(SphereOnAPlane, RollsWhereItIsAbove) {
  const double mu_r = 0.01, torque = 3.0 * mu_r * weight;
  const double lift = law_ == Law::Associated ? mass * mu_r * mu_r : 0.0;
  const double spin = (torque - mu_r * weight) / (inertia + mass * radius * radius + lift);

  const Solved s = solve_sphere(sphere(torque, 0.0, mu_r, 0.0));

  const std::vector<double>& v = s.solution.v;
  EXPECT_NEAR(v[4], spin, digits);
  EXPECT_NEAR(v[0], radius * spin, digits);
  const double up = law_ == Law::Associated ? mu_r * spin : 0.0;
  EXPECT_NEAR(v[2], up, digits);
  const double normal = weight + mass * up;
  EXPECT_NEAR(s.solution.r[0], normal, digits);
  EXPECT_NEAR(s.solution.r[4], -mu_r * normal, digits);
  EXPECT_NEAR(s.solution.r[1], mass * radius * spin, digits);
  EXPECT_NEAR(s.solution.u[4], spin, digits);  // rad/s
}

TEST_P(SphereOnAPlane, SpinsWhereTheTorqueIsAboveSpinningFriction) {
  const double mu_s = 0.02, torque = 2.0 * mu_s * weight;
  const double lift = law_ == Law::Associated ? mass * mu_s * mu_s : 0.0;
  const double spin = (torque - mu_s * weight) / (inertia + lift);

  const Solved held = solve_sphere(sphere(0.0, 0.9 * mu_s * weight, 0.01, mu_s));
  const Solved turning = solve_sphere(sphere(0.0, torque, 0.01, mu_s));
  const Solved free = solve_sphere(sphere(0.0, torque, 0.01, 0.0));

  EXPECT_NEAR(held.solution.v[5], 0.0, digits);
  EXPECT_NEAR(held.solution.r[5], -0.9 * mu_s * weight, digits);
  EXPECT_NEAR(turning.solution.v[5], spin, digits);
  EXPECT_NEAR(turning.solution.u[5], spin, digits);
  EXPECT_NEAR(free.solution.v[5], torque / inertia, digits * torque / inertia);
  EXPECT_EQ(free.solution.r[5], 0.0);
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, SphereOnAPlane,
                         testing::Combine(testing::Values(Method::Jacobi, Method::Psor,
                                                          Method::Pspgfb, Method::Apgd),
                                          testing::Values(Law::Coulomb, Law::Associated)),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" +
                                  name_of(std::get<1>(test.param));
                         });

// ---- the collection's files, whose solutions Siconos found (ADMM)

class RollingFiles : public testing::TestWithParam<const char*> {};

TEST_P(RollingFiles, AreSolvedByEveryMethod) {
  const auto path = support::problems_folder() / "fclib" / (std::string(GetParam()) + ".hdf5");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs " << path;
  const ProblemFile file = read_problem(path.string());
  const Solution known = read_solution(path.string());
  const auto dense = support::dense_reference(file.data);
  for (const Method method : {Method::Jacobi, Method::Psor, Method::Pspgfb, Method::Apgd}) {
    SolveOptions options = options_of(method, Law::Coulomb);
    options.tolerance = 1e-10;

    const Solved s = solved(file.data, options);

    EXPECT_EQ(s.report.status, SolveStatus::Converged) << name_of(method);
    EXPECT_LT(s.report.errors.siconos, 1e-6);
    EXPECT_LT(s.report.errors.siconos_invariant, 1e-6);
    EXPECT_LT(
        support::complementarity_fault(dense, Law::Coulomb, support::stacked_impulses(s.solution)),
        1e-8);
    double largest = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < known.r.size(); ++i) {
      largest = std::max(largest, std::abs(known.r[i]));
      apart = std::max(apart, std::abs(known.r[i] - s.solution.r[i]));
    }
    EXPECT_LT(apart, 1e-6 * largest) << name_of(method);  // theirs has an e1 of 1e-9
  }
}

INSTANTIATE_TEST_SUITE_P(Fclib, RollingFiles,
                         testing::Values("RFC3D_cube_1", "RFC3D_sphere_1", "RFC3D_sphere_2",
                                         "rfc3d_sphere_from_grfc3d",
                                         "rfc3d_sphere_from_grfc3d_dense"),
                         [](const auto& instance) { return std::string(instance.param); });

// ---- the same bits

TEST(RollingBits, AreTheSameForAnyThreadsAndLevels) {
  const Manufactured made = support::manufacture_rolling_bodies({.contacts = 400});
  for (const Method method : {Method::Jacobi, Method::Pspgfb, Method::Apgd}) {
    SolveOptions options = options_of(method, Law::Coulomb);
    options.tolerance = 0.0;
    options.max_iterations = 60;
    std::set<std::vector<std::uint64_t>> seen;
    for (const SimdLevel level : support::levels_here())
      for (const int threads : {1, 3}) {
        const support::ForcedLevel forced(level);
        const support::ForcedThreads team(threads);
        const Solved s = solved(made.data, options);
        seen.insert(support::bits_of_all(s.solution.r));
        seen.insert(support::bits_of_all(s.solution.v));
      }
    EXPECT_EQ(seen.size(), 2U) << name_of(method);  // r and v
  }
}

// ---- what is refused

TEST(RollingProblems, HaveNoFischerBurmeisterMerit) {
  SolveOptions options = options_of(Method::Apgd, Law::Coulomb);
  options.measure = Measure::FischerBurmeister;
  try {
    solved(sphere(0.0, 0.0, 0.1, 0.0), options);
    FAIL() << "no complaint";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("measure = fischer_burmeister is not defined"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace talus
