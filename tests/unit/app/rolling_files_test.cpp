// Problems with rolling friction from file to file: what talus info says, how many rows a solution
// has in each layout, and that it is a start for the next solve.

#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two spheres of 1 kg and 0.1 m on the ground, both rolling, one spinning too.
BodyProblem spheres() {
  BodyProblem p;
  const double inertia = 0.4 * 0.01;
  for (const double x : {0.0, 1.0})
    p.add_body({x, 0, 0.1}, 1.0, {1 / inertia, 0, 0, 1 / inertia, 0, 1 / inertia},
               {0.02, 0.01, -0.1, -0.01 * inertia, 0.2 * inertia, x * inertia});
  for (Index b = 0; b < 2; ++b)
    p.add_contact(no_body, b, {0, 0, 1}, {p.centre[b].x, 0, 0}, 0.5, {});
  p.rolling_friction = {0.001, 0.002};
  p.spinning_friction = {0.0, 0.0};
  return p;
}

/// Solves into `file` itself, then once more from there.
void expect_a_solution_that_is_a_start(const Workplace& place, const std::string& problem,
                                       std::size_t rows) {
  const std::vector<std::string> solve{"solve",    problem,      "--method",    "jacobi",
                                       "--output", problem,      "--report",    "r.json",
                                       "--law",    "associated", "--tolerance", "1e-9"};
  const ProgramRun cold = place.run(solve);
  ASSERT_EQ(cold.exit_code, 0) << cold.err;
  const json first = json::parse(place.read("r.json"));
  const Solution solution = read_solution(place.path(problem).string());
  std::vector<std::string> warm_words = solve;
  warm_words.insert(warm_words.end(), {"--warm-start", problem});

  const ProgramRun warm = place.run(warm_words);

  EXPECT_EQ(warm.exit_code, 0) << warm.err;
  EXPECT_EQ(solution.u.size(), rows);
  EXPECT_EQ(solution.r.size(), rows);
  EXPECT_GT(solution.r[0], 0.0);
  EXPECT_EQ(json::parse(place.read("r.json"))["iterations"], 0) << "was solved already";
  EXPECT_GT(first["iterations"], 0);
}

TEST(RollingFiles, NativeSolutionsHaveSixRowsPerContact) {
  const Workplace place;
  BodyProblem problem = spheres();
  problem.spinning_friction[1] = 0.003;
  write_native(place.path("p.h5").string(), problem);

  expect_a_solution_that_is_a_start(place, "p.h5", 12);

  const Solution solution = read_solution(place.path("p.h5").string());
  EXPECT_EQ(solution.r[5], 0.0) << "nothing resists the spinning of the first";
  EXPECT_NEAR(std::abs(solution.r[11]), 0.003 * solution.r[6], 1e-9) << "the second keeps spinning";
}

TEST(RollingFiles, FclibSolutionsOfBodiesHaveFive) {
  const Workplace place;
  write_fclib(place.path("p.h5").string(), spheres());

  expect_a_solution_that_is_a_start(place, "p.h5", 10);

  EXPECT_EQ(read_problem(place.path("p.h5").string()).solutions.size(), 1u);
}

TEST(RollingFiles, FclibSolutionsInThePlaneHaveThree) {
  const Workplace place;
  LocalProblem problem;
  problem.dimension = 2;
  problem.W =
      from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 3.5}, {1, 2, 2.5}, {2, 1, 2.5}, {2, 2, 2.5}});
  problem.q = {-1.0, 0.5, 0.25};
  problem.friction = {0.5};
  problem.rolling_friction = {0.01};
  write_fclib(place.path("p.h5").string(), problem);

  expect_a_solution_that_is_a_start(place, "p.h5", 3);
}

TEST(RollingFiles, ASolutionInFclibsRowsIsAStartForTheNativeProblem) {
  const Workplace place;
  write_native(place.path("native.h5").string(), spheres());
  write_fclib(place.path("fclib.h5").string(), spheres());
  const std::vector<std::string> how{"--method",    "jacobi", "--law",    "associated",
                                     "--tolerance", "1e-9",   "--report", "r.json"};
  const auto solve = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return place.run(words);
  };
  ASSERT_EQ(solve({"solve", "fclib.h5", "--output", "s.h5"}).exit_code, 0);

  const ProgramRun warm = solve({"solve", "native.h5", "--warm-start", "s.h5"});

  EXPECT_EQ(warm.exit_code, 0) << warm.err;
  EXPECT_EQ(json::parse(place.read("r.json"))["iterations"], 0);
}

TEST(RollingFiles, BothLayoutsGiveTheSameAnswer) {
  const Workplace place;
  write_native(place.path("native.h5").string(), spheres());
  write_fclib(place.path("fclib.h5").string(), spheres());
  const auto answer = [&](const char* problem) {
    EXPECT_EQ(place.run({"solve", problem, "--output", "s.h5", "--tolerance", "1e-10"}).exit_code,
              0);
    return read_solution(place.path("s.h5").string());
  };

  const Solution native = answer("native.h5"), fclib = answer("fclib.h5");

  ASSERT_EQ(native.v.size(), fclib.v.size());
  // velocities of 0.2 at most, each solved to about 1e-10 of its start
  for (std::size_t i = 0; i < native.v.size(); ++i) EXPECT_NEAR(native.v[i], fclib.v[i], 1e-9);
  EXPECT_EQ(native.r.size(), 12u);
  EXPECT_EQ(fclib.r.size(), 10u);
}

TEST(RollingFiles, InfoShowsTheCoefficientsAndTheRows) {
  const Workplace place;
  write_native(place.path("native.h5").string(), spheres());
  write_fclib(place.path("fclib.h5").string(), spheres());
  LocalProblem local;
  local.dimension = 2;
  local.W = from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}});
  local.q = {-1.0, 0.5, 0.25};
  local.friction = {0.5};
  local.rolling_friction = {0.01};
  write_fclib(place.path("local.h5").string(), local);
  const auto info = [&](const char* problem) {
    const ProgramRun run = place.run({"info", problem, "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  };

  EXPECT_EQ(info("native.h5")["rolling_friction_m"]["max"], 0.002);
  EXPECT_EQ(info("native.h5")["spinning_friction_m"]["max"], 0.0);
  EXPECT_EQ(info("native.h5")["rows_per_contact"], 6);
  EXPECT_EQ(info("fclib.h5")["format"], "fclib_global_rolling");
  EXPECT_EQ(info("fclib.h5")["matrix_free"], true);
  EXPECT_EQ(info("local.h5")["format"], "fclib_local_rolling");
  EXPECT_EQ(info("local.h5")["rows_per_contact"], 3);
  EXPECT_EQ(info("local.h5")["rolling_friction_m"]["min"], 0.01);
  EXPECT_THAT(place.run({"info", "native.h5"}).out,
              AllOf(HasSubstr("rolling_friction_m     0.001 to 0.002"),
                    HasSubstr("rows_per_contact       6")));
}

TEST(RollingFiles, VelocitiesThatOverflowAreNamedByContact) {
  const Workplace place;
  BodyProblem problem = spheres();
  problem.inverse_mass[1] = 1e10;
  problem.momentum[1][2] = -1e300;
  write_native(place.path("p.h5").string(), problem);

  const ProgramRun run = place.run({"solve", "p.h5"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("p.h5: contact 1: its velocity without impulses is not finite"));
}

}  // namespace
}  // namespace talus
