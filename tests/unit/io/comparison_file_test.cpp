#include "io/comparison_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const double nan = std::numeric_limits<double>::quiet_NaN();

MethodRun solved_run(const std::string& method, std::int64_t work, double seconds) {
  MethodRun run;
  run.method = method;
  run.report.status = SolveStatus::Converged;
  run.report.tolerance = 1e-6;
  run.report.error = 9e-7;
  run.report.iterations = 5'000'000'000;
  run.report.errors.energy = 1.0 / 3.0;
  run.report.errors.objective = -2.0;
  run.work = work;
  run.milestones = {{1e-3, true, 7, work / 2, seconds / 2}, {1e-6, true, 14, work, seconds}};
  run.curve = {{0, 1, 0.0, 1.0}, {14, work, seconds, 9e-7}};
  run.solution_hash = 0xabc;
  return run;
}

MethodRun failed_run(const std::string& method) {
  MethodRun run = solved_run(method, 1000, 1.0);
  run.report.status = SolveStatus::NotFinite;
  run.report.error = nan;
  run.report.errors.energy = infinity;
  run.milestones[1].met = false;
  return run;
}

MethodRun refused_run(const std::string& method) {
  MethodRun run;
  run.method = method;
  run.refusal = "takes \"free\" rows only,\nnot contacts";
  return run;
}

ComparedProblem problem_of(const std::string& name, std::vector<MethodRun> runs) {
  ComparedProblem problem;
  problem.facts.problem = name;
  problem.facts.contacts = 3;
  problem.runs = std::move(runs);
  return problem;
}

Comparison two_problems() {
  Comparison comparison;
  comparison.law = Law::Associated;
  comparison.tolerances = {1e-3, 1e-6};
  comparison.methods = {"apgd", "psor", "cg"};
  comparison.options = {{"max_iterations", "1000"}, {"psor.symmetric", "true"}};
  comparison.problems = {
      problem_of("stack,bodies=4",
                 {solved_run("apgd", 100, 0.1), solved_run("psor", 50, 0.4), refused_run("cg")}),
      problem_of("b.h5", {solved_run("apgd", 100, 0.1), failed_run("psor"), refused_run("cg")})};
  return comparison;
}

TEST(ComparisonProfile, CountsMethodsThatTookSomethingToTheToleranceAskedFor) {
  const auto by_work = profile_of(two_problems(), 1, Cost::Work);
  const auto by_time = profile_of(two_problems(), 1, Cost::Seconds);
  const auto loose = profile_of(two_problems(), 0, Cost::Work);

  ASSERT_THAT(by_work, SizeIs(2)) << "cg took none";
  EXPECT_EQ(by_work[0].method, "apgd");
  EXPECT_THAT(by_work[0].tau, ElementsAre(1.0, 2.0));
  EXPECT_THAT(by_work[0].share, ElementsAre(0.5, 1.0));
  EXPECT_THAT(by_work[1].tau, ElementsAre(1.0));
  EXPECT_THAT(by_work[1].share, ElementsAre(0.5)) << "psor failed on the second";
  EXPECT_THAT(by_time[0].tau, ElementsAre(1.0));
  EXPECT_THAT(by_time[1].tau, ElementsAre(4.0));
  EXPECT_THAT(loose[1].share, ElementsAre(0.5, 1.0)) << "but met the looser tolerance on the way";
}

TEST(ComparisonProfile, ProblemsThatNoMethodTakesDoNotCount) {
  Comparison comparison = two_problems();
  comparison.problems.push_back(problem_of("c.h5", {refused_run("apgd")}));

  EXPECT_EQ(share_within(profile_of(comparison, 1, Cost::Work)[0], 2.0), 1.0);
}

TEST(ComparisonJson, HasEveryRunMilestoneAndProfile) {
  Comparison comparison = two_problems();
  comparison.unread = {{"bad.h5", "bad.h5: is not an HDF5 file"}};
  comparison.skipped = {{"notes.txt", "its name"}};

  const json read = json::parse(comparison_json(comparison));

  EXPECT_EQ(read["law"], "associated");
  EXPECT_EQ(read["measure"], "natural_relative");
  EXPECT_EQ(read["options"]["psor.symmetric"], true);
  EXPECT_EQ(read["finished"], true);
  ASSERT_EQ(read["problems"].size(), 2U);
  const json& apgd = read["problems"][0]["runs"][0];
  EXPECT_EQ(apgd["within_tolerance"], true);
  EXPECT_EQ(apgd["iterations"], 5'000'000'000);
  EXPECT_EQ(apgd["errors"]["energy"].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(apgd["met"][0]["work"], 50);
  EXPECT_EQ(apgd["met"][1]["iterations"], 14);
  EXPECT_FALSE(apgd.contains("curve")) << "profiles are what is drawn of several";
  EXPECT_FALSE(apgd.contains("objective_difference")) << "there is nothing to compare with";
  const json& psor = read["problems"][1]["runs"][1];
  EXPECT_TRUE(psor["error"].is_null());
  EXPECT_TRUE(psor["errors"]["energy"].is_null());
  EXPECT_EQ(psor["met"][1]["met"], false);
  EXPECT_TRUE(psor["met"][1]["work"].is_null());
  EXPECT_EQ(read["problems"][0]["runs"][2]["applicable"], false);
  EXPECT_EQ(read["profiles"].size(), 4U);
  EXPECT_EQ(read["profiles"][2]["cost"], "work");
  EXPECT_EQ(read["profiles"][2]["problems"], 2);
  EXPECT_EQ(read["profiles"][2]["methods"]["apgd"]["share"], json({0.5, 1.0}));
  EXPECT_EQ(read["unread"][0]["file"], "bad.h5");
  EXPECT_EQ(read["skipped"][0]["file"], "notes.txt");
}

TEST(ComparisonJson, OfOneProblemHasCurvesAndTheDistanceToAKnownAnswer) {
  Comparison comparison = two_problems();
  comparison.problems.pop_back();
  ComparedProblem& problem = comparison.problems[0];
  problem.known = "solution_ccp";
  problem.known_objective = -2.5;
  problem.known_error = infinity;
  problem.runs[0].distance = AnswerDistance{0.25, 0.125};

  const json read = json::parse(comparison_json(comparison));

  const json& only = read["problems"][0];
  EXPECT_EQ(only["known_answer"]["group"], "solution_ccp");
  EXPECT_EQ(only["known_answer"]["objective"], -2.5);
  EXPECT_TRUE(only["known_answer"]["error"].is_null());
  EXPECT_EQ(only["runs"][0]["objective_difference"], 0.5);
  EXPECT_EQ(only["runs"][0]["velocity_difference"], 0.25);
  EXPECT_EQ(only["runs"][0]["energy_norm_difference"], 0.125);
  EXPECT_EQ(only["runs"][0]["curve"]["work"], json({1, 100}));
  EXPECT_FALSE(read.contains("profiles"));
}

/// Fields of CSV text, line by line; quoted ones as RFC 4180 has them.
std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines{{""}};
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"' && quoted && k + 1 < text.size() && text[k + 1] == '"')
      lines.back().back() += text[k++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      lines.back().emplace_back();
    else if (c == '\n' && !quoted)
      lines.push_back({""});
    else
      lines.back().back() += c;
  }
  lines.pop_back();  // behind the last end of a line
  return lines;
}

TEST(ComparisonCsv, HasALinePerRunWithAllItsFields) {
  const auto lines = fields_of(comparison_csv(two_problems()));

  ASSERT_THAT(lines, SizeIs(7));
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto at = [&](std::size_t line, const std::string& column) {
    const auto found = std::find(lines[0].begin(), lines[0].end(), column);
    EXPECT_NE(found, lines[0].end()) << column;
    return lines[line][static_cast<std::size_t>(found - lines[0].begin())];
  };
  EXPECT_EQ(at(1, "problem"), "stack,bodies=4");
  EXPECT_EQ(at(1, "method"), "apgd");
  EXPECT_EQ(at(1, "work_to_0.001"), "50");
  EXPECT_EQ(at(1, "iterations_to_1e-06"), "14");
  EXPECT_EQ(std::stod(at(1, "energy")), 1.0 / 3.0);
  EXPECT_EQ(at(3, "not_applicable"), "takes \"free\" rows only,\nnot contacts");
  EXPECT_THAT(at(3, "status"), IsEmpty());
  EXPECT_THAT(at(5, "energy"), IsEmpty()) << "not finite";
  EXPECT_THAT(at(5, "work_to_1e-06"), IsEmpty()) << "never met";
  EXPECT_THAT(at(1, "velocity_difference"), IsEmpty());
}

TEST(ComparisonCsv, OfNothingIsEmpty) {
  EXPECT_THAT(comparison_csv({}), IsEmpty());
}

}  // namespace
}  // namespace talus
