// Starts from the solution of an earlier run, as a user of talus solve gives them.

#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* small_stack = "stack,bodies=4";

/// Solves `problem` and returns the report.
json solved(const Workplace& place, const char* problem, const std::vector<std::string>& options) {
  std::vector<std::string> words{"solve", "--generate", problem, "--report", "solved.json"};
  words.insert(words.end(), options.begin(), options.end());
  const ProgramRun run = place.run(words);
  EXPECT_LE(run.exit_code, 1) << run.err;
  return json::parse(place.read("solved.json"));
}

/// Multiplies all contact impulses of a solution file.
void scale_contacts(const Workplace& place, const std::string& name, double factor) {
  Solution solution = read_solution(place.path(name).string());
  for (double& value : solution.r) value *= factor;
  write_solution(place.path(name).string(), solution);
}

struct WarmCase {
  const char* name;
  const char* problem;
  std::vector<std::string> options;
};

class WarmStart : public ::testing::TestWithParam<WarmCase> {};

TEST_P(WarmStart, FromTheAnswerNeedsNoIteration) {
  const Workplace place;
  std::vector<std::string> options = GetParam().options;
  options.insert(options.end(), {"--output", "s.h5"});
  const json first = solved(place, GetParam().problem, options);
  ASSERT_GT(first["iterations"], 0);
  options.insert(options.end(), {"--warm-start", "s.h5"});

  const json again = solved(place, GetParam().problem, options);

  EXPECT_EQ(again["status"], "converged");
  EXPECT_EQ(again["iterations"], 0);
  EXPECT_THAT(again["remarks"],
              ElementsAre(ContainsRegex("s.h5: was taken as the start: natural_")));
}

TEST_P(WarmStart, WorseThanZeroIsNotUsedAndNoted) {
  const Workplace place;
  std::vector<std::string> options = GetParam().options;
  const json plain = solved(place, GetParam().problem, options);
  options.insert(options.end(), {"--output", "s.h5"});
  solved(place, GetParam().problem, options);
  Solution wild = read_solution(place.path("s.h5").string());
  for (double& value : wild.r) value *= 1000.0;
  for (double& value : wild.l) value *= 1000.0;
  write_solution(place.path("s.h5").string(), wild);
  options = GetParam().options;
  options.insert(options.end(), {"--warm-start", "s.h5"});

  const json again = solved(place, GetParam().problem, options);

  EXPECT_EQ(again["solution_hash"], plain["solution_hash"]);
  ASSERT_EQ(again["remarks"].size(), 1U);
  EXPECT_THAT(again["remarks"][0],
              ContainsRegex("s.h5: is a worse start than zero and was not used: natural_[a-z]+ = "
                            "[0-9.e+-]+, of zero [0-9.e+-]+"));
}

INSTANTIATE_TEST_SUITE_P(
    SolveCommand, WarmStart,
    ::testing::Values(
        WarmCase{"apgd", small_stack, {"--law", "associated", "--method", "apgd"}},
        WarmCase{"auto_joints", "net,bodies=16", {}}, WarmCase{"auto_coulomb", small_stack, {}},
        WarmCase{"psor_box", small_stack, {"--law", "box", "--method", "psor"}},
        WarmCase{"several", small_stack, {"--methods", "pspgfb,apgd", "--law", "associated"}},
        WarmCase{"velocity", small_stack, {"--measure", "natural_velocity"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(WarmStartNotes, AreLeftOutWhenQuiet) {
  const Workplace place;
  solved(place, small_stack, {"--output", "s.h5"});
  scale_contacts(place, "s.h5", 1000.0);

  const ProgramRun loud = place.run({"solve", "--generate", small_stack, "--warm-start", "s.h5"});
  const ProgramRun quiet =
      place.run({"solve", "--generate", small_stack, "--warm-start", "s.h5", "--quiet"});

  EXPECT_EQ(loud.exit_code, 0);
  EXPECT_THAT(loud.err, AllOf(HasSubstr("note: "), HasSubstr("worse start than zero")));
  EXPECT_THAT(quiet.err, IsEmpty());
}

TEST(WarmStartChoice, FollowsTheMeasureThatStopsTheSolve) {
  const Workplace place;
  const std::vector<std::string> few{"--law", "associated",       "--tolerance",
                                     "0",     "--max-iterations", "0"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), few.begin(), few.end());
    return more;
  };
  solved(place, small_stack, {"--law", "associated", "--output", "s.h5"});
  scale_contacts(place, "s.h5", 3.0);

  for (const char* measure : {"natural", "siconos", "energy", "penalised_gap"}) {
    SCOPED_TRACE(measure);
    const json cold = solved(place, small_stack, with({"--measure", measure}));
    const json warm =
        solved(place, small_stack, with({"--measure", measure, "--warm-start", "s.h5"}));

    const bool used = warm["remarks"][0].get<std::string>().find("was taken") != std::string::npos;
    EXPECT_LE(warm["error"].get<double>(), cold["error"].get<double>());
    EXPECT_EQ(used, warm["solution_hash"] != cold["solution_hash"]);
  }
}

}  // namespace
}  // namespace talus
