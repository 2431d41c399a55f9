// Progress of long work: one line that is written over on a terminal, quiet lines elsewhere.

#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A solve that only the clock ends.
std::vector<std::string> endless(const char* seconds) {
  return {"solve",        "--generate", "wall,bodies=30",     "--tolerance", "0",
          "--time-limit", seconds,      "--stall-iterations", "1000000000",  "--max-iterations",
          "1000000000",   "--law",      "associated"};
}

/// Everything the program writes to a terminal of 60 columns.
std::string on_a_terminal(std::vector<std::string> words) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 60;
  words.insert(words.begin(), support::program());
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST(Progress, OnATerminalOneLineIsWrittenOverAndNeverWraps) {
  const std::string text = on_a_terminal(endless("1.5"));

  const std::size_t begin = text.find("\riteration "), end = text.find("problem ");
  ASSERT_NE(begin, std::string::npos) << text;
  ASSERT_NE(end, std::string::npos) << text;
  const std::string progress = text.substr(begin, end - begin);
  EXPECT_THAT(progress, AllOf(HasSubstr("natural_relative"), HasSubstr("wanted")));
  EXPECT_EQ(std::count(progress.begin(), progress.end(), '\n'), 1) << "one line, ended once";
  std::size_t longest = 0, start = 0;
  for (std::size_t at = 1; (at = progress.find('\r', at)) != std::string::npos; start = at++)
    longest = std::max(longest, at - start);
  EXPECT_LE(longest, 60U + 3U) << "the carriage return and three bytes that erase the rest";
}

TEST(Progress, OfARunEndsWithItsLastStep) {
  const Workplace place;
  place.write("s.yaml", R"yaml(
talus: 1
time: {step: 0.01, end: 0.2}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: ball, motion: dynamic, material: stone, shape: {type: sphere, diameter: 0.2}}
)yaml");

  const std::string text = on_a_terminal({"run", place.path("s.yaml").string(), "--output",
                                          place.path("out").string(), "--threads", "1"});

  const std::size_t begin = text.find("\rstep "), end = text.find("scene  ", begin);
  ASSERT_NE(begin, std::string::npos) << text;
  ASSERT_NE(end, std::string::npos) << text;
  const std::string progress = text.substr(begin, end - begin);
  EXPECT_THAT(progress, AllOf(HasSubstr(" m/s"), HasSubstr("\rstep 20/20, 0.2 s, ")));
  EXPECT_EQ(std::count(progress.begin(), progress.end(), '\n'), 1) << "one line, ended once";
}

TEST(Progress, ElsewhereThereAreFewLinesAndMoreWithVerbose) {
  const Workplace place;
  std::vector<std::string> words = endless("4");
  words.emplace_back("--verbose");

  const ProgramRun run = place.run(words);

  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("iteration "), HasSubstr("wanted"), Not(HasSubstr("\r"))));
  EXPECT_THAT(run.out, Not(HasSubstr("\niteration")));
}

TEST(Progress, AShortOrQuietSolveShowsNone) {
  const Workplace place;
  std::vector<std::string> words = endless("1.5");
  words.emplace_back("--quiet");

  EXPECT_THAT(place.run(endless("0.1")).err, IsEmpty());
  EXPECT_THAT(place.run(words).err, IsEmpty());
}

}  // namespace
}  // namespace talus
