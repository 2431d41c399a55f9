// Ctrl-C and SIGTERM during a solve and a comparison.

#include "talus/io/problem_file.hpp"

#include "support/on_many_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A solve that would go on for ever, told by the progress line that it is under way.
constexpr const char* under_way = "iteration ";
std::vector<std::string> endless(const std::vector<std::string>& more) {
  std::vector<std::string> words{
      "solve",       "--generate", "wall,bodies=60",     "--verbose",
      "--tolerance", "0",          "--output",           "s.h5",
      "--report",    "r.json",     "--stall-iterations", "1000000000000"};
  words.insert(words.end(), {"--max-iterations", "1000000000000", "--auto.patience", "2000000000"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Interrupt : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Interrupt, EndsWithTheBestAnswerVerifiedAndWritten) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;

    const ProgramRun run = place.run_and_signal(endless(GetParam()), under_way, {signal});

    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("status      interrupted"), HasSubstr("verified"),
                               HasSubstr("reproducible: no")));
    const json report = json::parse(place.read("r.json"));
    EXPECT_EQ(report["status"], "interrupted");
    EXPECT_LT(report["error"], 1.0);  // of the start from zero
    EXPECT_FALSE(read_solution(place.path("s.h5").string()).r.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    SolveCommand, Interrupt,
    ::testing::Values(std::vector<std::string>{"--law", "associated"},
                      std::vector<std::string>{"--law", "coulomb", "--method", "pspgfb"},
                      std::vector<std::string>{"--law", "coulomb", "--method", "psor"},
                      std::vector<std::string>{"--law", "associated", "--methods", "jacobi,apgd"}),
    [](const auto& tested) { return "case_" + std::to_string(tested.index); });

TEST(InterruptTwice, EndsAtOnceAndLeavesNothing) {
  const Workplace place;

  // both signals are there before the program runs on, so that it cannot have ended by itself
  const ProgramRun run = place.run_and_signal(endless({"--law", "associated"}), under_way,
                                              {SIGSTOP, SIGINT, SIGTERM, SIGCONT});

  EXPECT_GT(run.exit_code, 128);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(place.files(), IsEmpty());
}

/// Whatever compares for ever: psor, which the signal finds under way, and what follows.
std::vector<std::string> endless_comparison(const std::vector<std::string>& more) {
  std::vector<std::string> words{"compare",       "--generate",       "wall,bodies=60",
                                 "--verbose",     "--methods",        "apgd,psor,minres,jacobi",
                                 "--tolerances",  "0.5,1e-300",       "--stall-iterations",
                                 "1000000000000", "--max-iterations", "1000000000000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(InterruptedComparison, LeavesTheTableSoFarAndSaysWhatIsMissing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;

    const ProgramRun run = place.run_and_signal(
        endless_comparison({"--generate", "stack,bodies=3", "--output", "c.json"}), under_way,
        {signal});

    EXPECT_EQ(run.exit_code, 3) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("INCOMPLETE  stopped by hand; not run: wall,bodies=60 "
                                         "(psor, minres, jacobi), stack,bodies=3\n"),
                               HasSubstr("\napgd    interrupted ")));
    const json compared = json::parse(place.read("c.json"));
    EXPECT_EQ(compared["finished"], false);
    EXPECT_EQ(compared["not_run"], json::parse(R"([
        {"problem": "wall,bodies=60", "methods": ["psor", "minres", "jacobi"]},
        {"problem": "stack,bodies=3", "methods": ["apgd", "psor", "minres", "jacobi"]}])"));
    ASSERT_EQ(compared["problems"].size(), 1U);
    const json& apgd = compared["problems"][0]["runs"][0];
    EXPECT_EQ(apgd["status"], "interrupted");
    EXPECT_EQ(apgd["met"][0]["met"], true) << "what was reached counts";
    EXPECT_LT(apgd["error"], 1.0);  // of the start from zero
  }
}

TEST(InterruptedComparison, OfManyProblemsProfilesAreOfTheCompleteOnes) {
  const Workplace place;

  const ProgramRun run = place.run_and_signal(
      {"compare", "--generate", "stack,bodies=3", "--generate", "wall,bodies=200", "--verbose",
       "--methods", "apgd,psor", "--tolerances", "1e-10", "--output", "c.csv", "--stall-iterations",
       "1000000000000", "--max-iterations", "1000000000000"},
      "2/2, apgd: iteration ", {SIGINT});

  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("not run: wall,bodies=200 (psor)\n"),
                             HasSubstr("-: not run"), HasSubstr("share of all complete problems")));
  const std::string csv = place.read("c.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4) << csv;  // heading and three runs
}

TEST(InterruptedComparison, OnRanksEndsAllTogetherWhicheverHearsIt) {
  const Workplace place;
  std::string words;
  for (const std::string& word : endless_comparison({"--output", "c.json"})) words += word + " ";

  const ProgramRun run = support::run_on_ranks_and_signal(place, 2, words, under_way);

  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.out, HasSubstr("INCOMPLETE  stopped by hand; not run: wall"));
  EXPECT_EQ(json::parse(place.read("c.json"))["finished"], false);
}

TEST(InterruptedComparison, TwiceEndsAtOnceAndLeavesNothing) {
  const Workplace place;

  const ProgramRun run = place.run_and_signal(endless_comparison({"--output", "c.json"}), under_way,
                                              {SIGSTOP, SIGINT, SIGTERM, SIGCONT});

  EXPECT_GT(run.exit_code, 128);
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(place.files(), IsEmpty());
}

}  // namespace
}  // namespace talus
