// talus compare --plot: pictures where there is matplotlib, a clear word where there is none.

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* small_stack = "stack,bodies=4";
constexpr const char* png_signature = "\x89PNG\r\n\x1a\n";

/// An interpreter that can draw; empty where there is none on this machine.
std::string python() {
  for (const char* candidate : {"/usr/bin/python3", "python3"})
    if (std::system(
            (std::string(candidate) + " -c 'import matplotlib' > /dev/null 2>&1").c_str()) == 0)
      return candidate;
  return "";
}

class ComparePlot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (python().empty()) GTEST_SKIP() << "no python3 with matplotlib: python3-matplotlib";
  }
  Workplace place;
};

TEST_F(ComparePlot, OfOneProblemIsAPictureOfItsKind) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"p.png", png_signature}, {"p.svg", "<?xml"}, {"p.pdf", "%PDF-"}};
  for (const auto& [name, signature] : kinds) {
    const ProgramRun run =
        place.run({"compare", "--generate", small_stack, "--tolerances", "1e-3", "--plot", name});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, IsEmpty());
    EXPECT_THAT(place.read(name), StartsWith(signature));
  }
  EXPECT_THAT(place.files(), ElementsAre("p.pdf", "p.png", "p.svg")) << "and nothing beside them";
}

TEST_F(ComparePlot, OfSeveralIsTheirProfileEvenWhereSomeMethodsFail) {
  const ProgramRun run =
      place.run({"compare", "--generate", small_stack, "--generate", "wall,bodies=10",
                 "--max-iterations", "100", "--plot", "p.png"});

  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(place.read("p.png"), StartsWith(png_signature));
}

TEST_F(ComparePlot, WhereNoMethodEvenMovesIsStillDrawn) {
  const ProgramRun run = place.run({"compare", "--generate", small_stack, "--max-iterations", "0",
                                    "--methods", "apgd", "--plot", "p.png"});

  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(place.read("p.png"), StartsWith(png_signature));
}

TEST(CompareWithoutPlot, WithoutMatplotlibThePackageIsNamedBeforeAnySolving) {
  const Workplace place;
  std::filesystem::create_directory(place.path("matplotlib"));
  place.write("matplotlib/__init__.py", "raise ImportError('not here')\n");
  const std::vector<std::string> words{"compare", "--generate", small_stack, "--plot",
                                       "p.png",   "--output",   "c.json"};

  const ProgramRun no_module = place.run(words, {{"PYTHONPATH", place.path(".").string()}});
  const ProgramRun no_python = place.run(words, {{"TALUS_PYTHON", "/nowhere/python3"}});

  for (const ProgramRun& run : {no_module, no_python}) {
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, AllOf(HasSubstr("python3-matplotlib"), HasSubstr("TALUS_PYTHON")));
    EXPECT_THAT(run.err, Not(HasSubstr("Traceback")));
    EXPECT_THAT(run.out, IsEmpty());
  }
  EXPECT_THAT(no_python.err, HasSubstr("/nowhere/python3"));
  EXPECT_THAT(place.files(), ElementsAre("matplotlib"));
}

// A Python that passes the check and then fails: tables and JSON are there, the old picture too.
TEST(CompareWithoutPlot, APictureThatCannotBeDrawnCostsNothingElse) {
  const Workplace place;
  place.write("python",
              "#!/bin/sh\ncase \"$*\" in *--check*) exit 0 ;; esac\necho oh >&2\nexit 3\n");
  std::filesystem::permissions(place.path("python"), std::filesystem::perms::owner_all);
  place.write("p.png", "the old one");

  const ProgramRun run = place.run({"compare", "--generate", small_stack, "--tolerances", "1e-2",
                                    "--plot", "p.png", "--output", "c.json"},
                                   {{"TALUS_PYTHON", place.path("python").string()}});

  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("oh"), HasSubstr("p.png: could not be drawn"),
                             HasSubstr("status 3")));
  EXPECT_THAT(run.out, HasSubstr("converged"));
  EXPECT_EQ(place.read("p.png"), "the old one");
  EXPECT_THAT(place.files(), ElementsAre("c.json", "p.png", "python"));
}

}  // namespace
}  // namespace talus
