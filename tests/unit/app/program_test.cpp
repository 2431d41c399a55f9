// The program as a whole: its help, its version, words it does not know, ranks it cannot serve.

#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Program, HelpNamesEveryVerbAndTheExitCodes) {
  const Workplace place;

  const ProgramRun run = place.run({"--help"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("solve"), HasSubstr("info"), HasSubstr("generate"),
                             HasSubstr("exit codes"), HasSubstr("VERB --help")));
  EXPECT_THAT(run.err, IsEmpty());
}

TEST(Program, EveryVerbHasHelpWithItsOptionsAndTheExitCodes) {
  const Workplace place;
  for (const char* verb : {"solve", "info", "generate"}) {
    SCOPED_TRACE(verb);

    const ProgramRun run = place.run({verb, "--help"});

    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, AllOf(HasSubstr("--quiet"), HasSubstr("--verbose"), HasSubstr("Usage:"),
                               HasSubstr("exit codes")));
    EXPECT_THAT(run.err, IsEmpty());
  }
}

TEST(Program, HelpOfSolveNamesLawsMethodsAndMeasures) {
  const Workplace place;

  const std::string help = place.run({"solve", "--help"}).out;

  for (const char* name : {"coulomb", "associated", "box", "jacobi", "psor", "pspgfb", "apgd",
                           "natural_relative", "siconos_invariant", "auto"})
    EXPECT_THAT(help, HasSubstr(name));
}

TEST(Program, HelpOfGenerateGivesDefaultAndRangeOfEveryKey) {
  const Workplace place;

  const std::string help = place.run({"generate", "--help"}).out;

  for (const char* text : {"stack", "wall", "packing", "chain", "net", "--mass-ratio", "[1000; "})
    EXPECT_THAT(help, HasSubstr(text));
}

TEST(Program, VersionNamesProgramAndSimdLevel) {
  const Workplace place;

  const ProgramRun run = place.run({"--version"}, {{"TALUS_SIMD", "baseline"}});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(StartsWith("talus 0."), HasSubstr("SIMD level baseline")));
}

TEST(Program, AForcedSimdLevelThatDoesNotExistIsRefused) {
  const Workplace place;

  const ProgramRun run = place.run({"--version"}, {{"TALUS_SIMD", "avx"}});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("avx"), HasSubstr("baseline, v3, v4")));
}

struct Refusal {
  std::vector<std::string> arguments;
  std::vector<std::string> said;
};

TEST(Program, WhatItDoesNotKnowIsAnsweredWithTheNearestItKnows) {
  const Workplace place;
  const std::vector<Refusal> refusals{
      {{}, {"give a verb", "run, check, solve, compare, generate, info"}},
      {{"slove", "x.h5"}, {"unknown verb 'slove'", "did you mean 'solve'", "--help"}},
      {{"--verson"}, {"unknown option --verson", "did you mean --version"}},
      {{"--quiet", "solve"}, {"unknown option --quiet", "come after it"}},
      {{"solve", "x.h5", "--tolerence", "1"}, {"--tolerence", "did you mean --tolerance"}},
      {{"solve", "x.h5", "--apgd.shrnk=1"}, {"--apgd.shrnk", "did you mean --apgd.shrink"}},
      {{"solve", "x.h5", "y.h5"}, {"unexpected argument 'y.h5'"}},
      {{"solve", "x.h5", "--law"}, {"--law: needs a value"}},
      {{"solve", "x.h5", "--law", "box", "--law", "box"}, {"--law: is given more than once"}},
      {{"solve", "x.h5", "--quiet", "--verbose"}, {"--quiet", "--verbose"}},
      {{"info", "x.h5", "--jsn"}, {"--jsn", "did you mean --json"}},
      {{"info"}, {"info needs FILE.h5", "talus info --help"}},
      {{"generate", "wall", "--bodis", "3"}, {"--bodis", "did you mean --bodies"}},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.arguments.empty() ? "nothing" : refusal.arguments.back());

    const ProgramRun run = place.run(refusal.arguments);

    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.out, IsEmpty());
    for (const std::string& text : refusal.said) EXPECT_THAT(run.err, HasSubstr(text));
    EXPECT_THAT(place.files(), IsEmpty());
  }
}

TEST(Program, AnUnknownOptionsValueIsNotCalledAFaultToo) {
  const Workplace place;

  const ProgramRun run = place.run({"solve", "x.h5", "--apgd.shrnk", "0.9"});

  EXPECT_THAT(run.err, Not(HasSubstr("unexpected")));
}

TEST(Program, StartedOnOneRankByMpirunItWorks) {
  const Workplace place;

  const ProgramRun run =
      place.run({"--version"}, {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}});

  EXPECT_EQ(run.exit_code, 0);
}

TEST(Program, ThreadsOutOfRangeOrNoNumberAreRefused) {
  const Workplace place;
  for (const char* threads : {"0", "-1", "1025", "two", "1.5", ""}) {
    SCOPED_TRACE(threads);

    const ProgramRun run =
        place.run({"solve", "--generate", "stack,bodies=1", std::string("--threads=") + threads});

    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("--threads"));
  }
}

TEST(Program, ResultsThatCannotBePrintedAreAFailure) {
  if (!std::ofstream("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const std::string command = support::program() + " --help > /dev/full 2> /dev/null";

  const int status = std::system(command.c_str());

  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(Program, AFileThatCannotBeWrittenCostsNeitherTheOthersNorTheSummary) {
  const Workplace place;
  // 8 blocks of 512 bytes are enough for the report, but not for an HDF5 file of 300 impulses
  const std::string command =
      "cd " + place.path(".").string() + " && trap '' XFSZ && ulimit -f 8 && " +
      support::program() +
      " solve --generate stack,bodies=25 --output s.h5 --report r.json > out 2> err";

  const int status = std::system(command.c_str());

  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_THAT(place.read("out"), HasSubstr("converged"));
  EXPECT_THAT(place.read("err"), AllOf(HasSubstr("s.h5"), HasSubstr("File too large")));
  EXPECT_THAT(place.read("r.json"), HasSubstr("\"status\": \"converged\""));
  EXPECT_THAT(place.files(), ::testing::ElementsAre("err", "out", "r.json"));
}

}  // namespace
}  // namespace talus
