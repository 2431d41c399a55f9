// Ctrl-C and SIGTERM during a solve.

#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace talus
