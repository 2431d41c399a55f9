// talus export --to fclib, native: the step after a checkpoint as a contact problem.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::HasSubstr;

/// Four crates of 2 kg on each other and a pendulum that touches nothing.
constexpr const char* crates = R"(talus: 1
time: {step: 1.0e-3, end: 0.2}
gravity: [0, 0, -9.81]
materials: {wood: {density: 500}}
pairs: [{between: [wood, wood], friction: 0.6, restitution: 0}]
bodies:
  - {name: floor, motion: fixed, material: wood, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: c1, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05]}
  - {name: c2, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.15]}
  - {name: c3, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.25]}
  - {name: c4, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.35]}
  - {name: bob, material: wood, mass: 1, shape: {type: sphere, radius: 0.05}, position: [1, 0, 1]}
joints:
  - {name: pivot, type: spherical, between: [world, bob], position: [1, 0.3, 1]}
solver: {tolerance: 1.0e-7, max_iterations: 20000}
)";

Workplace& with_checkpoint(Workplace& place) {
  place.write("crates.yaml", crates);
  const ProgramRun run = place.run({"run", "crates.yaml", "--output", "out", "--steps", "100",
                                    "--checkpoint-at-end", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return place;
}

/// The command that the export tells.
std::vector<std::string> told_command(const std::string& notes) {
  const std::string begin = "as the run solves it: talus ";
  const std::size_t at = notes.find(begin) + begin.size();
  std::istringstream words(notes.substr(at, notes.find('\n', at) - at));
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  return command;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class ExportProblem : public ::testing::TestWithParam<const char*> {};

TEST_P(ExportProblem, TheFloorBearsTheCratesAndSolveFindsTheRunsImpulses) {
  Workplace place;
  with_checkpoint(place);

  const ProgramRun exported =
      place.run({"export", "out", "--to", GetParam(), "--output", "frozen.h5"});

  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.err, HasSubstr("the problem of step 101: 6 bodies, "));
  const std::string path = place.path("frozen.h5").string();
  const ProblemFile file = read_problem(path);
  const Solution answer = read_solution(path), start = read_solution(path, first_guess);
  // each of the four layers bears what is above it: 2 g h (4 + 3 + 2 + 1); nothing else touches
  double normal = 0.0, sideways = 0.0;
  for (std::size_t i = 0; i < answer.r.size(); i += 3) {
    normal += answer.r[i];
    sideways = std::max({sideways, std::abs(answer.r[i + 1]), std::abs(answer.r[i + 2])});
  }
  EXPECT_NEAR(normal, 20.0 * 9.81e-3, 1e-5);
  EXPECT_LT(sideways, 1e-5);
  EXPECT_LT(largest_difference(start.r, answer.r), 1e-5);  // they have stood there for long

  std::vector<std::string> command = told_command(exported.err);
  command.insert(command.end(), {"--output", "answer.h5"});
  const ProgramRun solved = place.run(command);
  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  const Solution again = read_solution(place.path("answer.h5").string());
  EXPECT_LT(largest_difference(again.r, answer.r), 1e-12);
  EXPECT_LT(largest_difference(again.l, answer.l), 1e-12);
  EXPECT_LT(largest_difference(again.v, answer.v), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Layouts, ExportProblem, ::testing::Values("native", "fclib"));

/// Two crates at rest, and a third that falls slantwise onto them: in the second step it hits.
constexpr const char* falling = R"(talus: 1
time: {step: 1.0e-3, end: 0.2, restitution_law: poisson}
gravity: [0, 0, -9.81]
materials: {wood: {density: 500}}
pairs: [{between: [wood, wood], friction: 0.3, restitution: 0.6}]
bodies:
  - {name: floor, motion: fixed, material: wood, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: c1, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.05]}
  - {name: c2, material: wood, mass: 2, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.15]}
  - {name: c3, material: wood, mass: 1, shape: {type: box, size: [0.2, 0.2, 0.1]}, position: [0, 0, 0.2515], velocity: [1, 0, -1]}
solver: {tolerance: 1.0e-11, max_iterations: 100000}
)";

// What restitution has asked for, in two solves, is in the biases of the problem that is exported:
// solved once, and by a user who knows nothing of the law, it has the run's impulses.
TEST_P(ExportProblem, AnImpactByPoissonsLawIsOneProblemWithTheRunsImpulses) {
  Workplace place;
  place.write("falling.yaml", falling);
  const ProgramRun run = place.run(
      {"run", "falling.yaml", "--output", "out", "--steps", "1", "--checkpoint-at-end", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramRun exported =
      place.run({"export", "out", "--to", GetParam(), "--output", "frozen.h5"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Solution answer = read_solution(place.path("frozen.h5").string());
  double normal = 0.0;
  for (std::size_t i = 0; i < answer.r.size(); i += 3) normal += answer.r[i];
  // the impact goes through three layers: without its second phase they bear 1 kg of 1 m/s each
  EXPECT_GT(normal, 3.3);

  std::vector<std::string> command = told_command(exported.err);
  command.insert(command.end(), {"--output", "answer.h5"});
  const ProgramRun solved = place.run(command);

  ASSERT_EQ(solved.exit_code, 0) << solved.err;
  const Solution again = read_solution(place.path("answer.h5").string());
  // tolerance 1e-11 m/s; the run came from the answer of compression, this solve from the last step
  EXPECT_LT(largest_difference(again.v, answer.v), 1e-9);
  EXPECT_LT(largest_difference(again.r, answer.r), 2e-6);  // N s; 6.5e-7 were reached
}

TEST(ExportProblem, TheRunGoesOnWithThatAnswer) {
  Workplace place;
  with_checkpoint(place);
  ASSERT_EQ(place.run({"export", "out", "--to", "native", "--output", "frozen.h5"}).exit_code, 0);
  const Solution answer = read_solution(place.path("frozen.h5").string());

  ASSERT_EQ(
      place.run({"run", "--resume", "out", "--steps", "101", "--checkpoint-at-end", "--quiet"})
          .exit_code,
      0);

  // impulses of the step, by contact, in the checkpoint after it: the same numbers, in their order
  // by contact and in world axes: the sums of their lengths
  ASSERT_EQ(place.run({"export", "out", "--to", "native", "--output", "next.h5"}).exit_code, 0);
  const Solution kept = read_solution(place.path("next.h5").string(), first_guess);
  double before = 0.0, after = 0.0;
  for (std::size_t i = 0; i < answer.r.size(); i += 3) before += answer.r[i];
  for (std::size_t i = 0; i < kept.r.size(); i += 3) after += kept.r[i];
  EXPECT_NEAR(before, after, 1e-9);
}

TEST(ExportProblem, SaysWhatItCannotDo) {
  Workplace place;
  with_checkpoint(place);
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "export");
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    return run.err;
  };
  EXPECT_THAT(refused({"out/state.h5", "--to", "native", "--output", "p.h5"}),
              HasSubstr("is no whole checkpoint"));
  EXPECT_THAT(refused({"out", "--to", "fclib"}), HasSubstr("--output FILE is missing"));
  EXPECT_THAT(refused({"out", "--to", "fclib", "--output", "p.h5", "--time", "0.1"}),
              HasSubstr("--time: a problem is that of the step after a checkpoint"));
  EXPECT_THAT(refused({"--to", "native", "--output", "p.h5"}), HasSubstr("give a checkpoint"));
  std::filesystem::remove_all(place.path("out") / "checkpoints");
  EXPECT_THAT(refused({"out", "--to", "native", "--output", "p.h5"}),
              HasSubstr("has no checkpoints"));
  EXPECT_FALSE(place.has("p.h5"));
}

}  // namespace
}  // namespace talus
