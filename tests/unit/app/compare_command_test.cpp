// talus compare as a user meets it: tables, files, folders with anything in them.

#include "talus/io/problem_file.hpp"

#include "generate/generate.hpp"
#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

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
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* small_stack = "stack,bodies=4";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

const json& run_of(const json& comparison, std::size_t problem, const std::string& method) {
  for (const json& run : comparison["problems"][problem]["runs"])
    if (run["method"] == method) return run;
  throw std::runtime_error(method + " is not in the comparison");
}

/// A small stack in p.h5, and its associated answer beside it.
void make_solved_stack(const Workplace& place) {
  ASSERT_EQ(place.run({"generate", "stack", "--bodies", "4", "--output", "p.h5"}).exit_code, 0);
  ASSERT_EQ(
      place
          .run({"solve", "p.h5", "--law", "associated", "--tolerance", "1e-10", "--output", "p.h5"})
          .exit_code,
      0);
}

TEST(CompareCommand, ShowsEveryMethodOfOneProblemOnAHundredColumns) {
  const Workplace place;

  const ProgramRun run = place.run({"compare", "--generate", small_stack, "--law", "associated"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(run.out, StartsWith("problem     stack,bodies=4 (generated): 4 bodies, 16 contacts"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("law associated, natural_relative to 0.001, 1e-06"),
                             HasSubstr("iterations"), HasSubstr("products"), HasSubstr("seconds"),
                             HasSubstr("objective, J"), HasSubstr("bilateral"), HasSubstr("F-B")));
  for (const char* method : {"jacobi", "psor", "pspgfb", "apgd"})
    EXPECT_THAT(run.out, HasSubstr(std::string("\n") + method + " "));
  for (const std::string& line : lines_of(run.out))
    if (line.find("not applicable") != 0) {
      EXPECT_LE(line.size(), 100U) << line;
    }
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(CompareCommand, AgreesWithSolvesOfTheSameMethods) {
  const Workplace place;
  make_solved_stack(place);

  const ProgramRun run = place.run({"compare", "p.h5", "--methods", "apgd,psor,apgd",
                                    "--tolerances", "1e-2,1e-8,1e-4", "--output", "c.json"});

  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json compared = json::parse(place.read("c.json"));
  EXPECT_EQ(compared["methods"], json({"apgd", "psor"}));
  EXPECT_EQ(compared["tolerances"], json({1e-2, 1e-4, 1e-8}));
  for (const std::string method : {"apgd", "psor"}) {
    ASSERT_EQ(
        place
            .run({"solve", "p.h5", "--method", method, "--tolerance", "1e-8", "--report", "s.json"})
            .exit_code,
        0);
    const json solved = json::parse(place.read("s.json"));
    const json& one = run_of(compared, 0, method);
    EXPECT_EQ(one["solution_hash"], solved["solution_hash"]);
    EXPECT_EQ(one["errors"], solved["errors"]);
    EXPECT_EQ(one["iterations"], solved["iterations"]);
    EXPECT_EQ(one["operator_products"], solved["operator_products"]);
    ASSERT_EQ(one["met"].size(), 3U);
    EXPECT_LE(one["met"][0]["iterations"], one["met"][1]["iterations"]);
    EXPECT_LE(one["met"][1]["iterations"], one["met"][2]["iterations"]);
  }
}

TEST(CompareCommand, SaysHowFarAnswersAreFromAStoredOneOfTheSameLaw) {
  const Workplace place;
  make_solved_stack(place);

  const ProgramRun same = place.run({"compare", "p.h5", "--law", "associated", "--methods", "apgd",
                                     "--tolerances", "1e-6", "--output", "same.json"});
  const ProgramRun other = place.run({"compare", "p.h5", "--law", "coulomb", "--methods", "apgd",
                                      "--tolerances", "1e-6", "--output", "other.json"});

  ASSERT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("against solution"));
  const json compared = json::parse(place.read("same.json"));
  EXPECT_EQ(compared["problems"][0]["known_answer"]["group"], "solution");
  EXPECT_LE(compared["problems"][0]["known_answer"]["error"].get<double>(), 1e-10);
  const json& run = run_of(compared, 0, "apgd");
  // 1e-6 of the start, with two digits left for the condition of a stack of four; the plates fall
  // at h g = 0.05 m/s
  EXPECT_LE(std::abs(run["objective_difference"].get<double>()),
            1e-4 * std::abs(run["objective"].get<double>()));
  EXPECT_LE(run["energy_norm_difference"].get<double>(), 1e-4);
  EXPECT_LE(run["velocity_difference"].get<double>(), 5e-6);
  ASSERT_EQ(other.exit_code, 0) << other.err;
  EXPECT_TRUE(json::parse(place.read("other.json"))["problems"][0]["known_answer"].is_null());
  EXPECT_THAT(other.out, Not(HasSubstr("against")));
}

TEST(CompareCommand, AStoredAnswerOfAnotherProblemIsNotedAndLeftAlone) {
  const Workplace place;
  make_solved_stack(place);
  write_solution(place.path("p.h5").string(), {{}, {1.0, 0.0, 0.0}, {}, {}});

  const ProgramRun run = place.run({"compare", "p.h5", "--methods", "apgd"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, AllOf(StartsWith("note: "), HasSubstr("does not fit the problem")));
  EXPECT_THAT(run.out, Not(HasSubstr("against")));
}

TEST(CompareCommand, MethodsThatDoNotTakeTheProblemAreListedWithTheReason) {
  const Workplace place;

  const ProgramRun run = place.run({"compare", "--generate", small_stack, "--methods",
                                    "minres,psor", "--law", "box", "--output", "c.json"});
  const ProgramRun none = place.run({"compare", "--generate", small_stack, "--methods", "minres"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("not applicable to stack,bodies=4: minres solves problems"));
  const json compared = json::parse(place.read("c.json"));
  EXPECT_EQ(run_of(compared, 0, "minres")["applicable"], false);
  EXPECT_EQ(run_of(compared, 0, "psor")["within_tolerance"], true);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("nothing could be compared"),
                              HasSubstr("stack,bodies=4: minres solves problems")));
}

TEST(CompareCommand, AMethodAboveTheToleranceMakesTheExitCodeOne) {
  const Workplace place;

  const ProgramRun run = place.run({"compare", "--generate", small_stack, "--methods",
                                    "jacobi,apgd", "--max-iterations", "3", "--output", "c.csv"});

  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("iteration limit"), HasSubstr("ABOVE")));
  EXPECT_THAT(lines_of(place.read("c.csv")), ::testing::SizeIs(3));
}

class CompareFolder : public ::testing::Test {
 protected:
  /// Two sound problems, one of them in a subfolder; a damaged one, a text called .h5, an answer
  /// alone and a note.
  void SetUp() override {
    std::filesystem::create_directories(place.path("all/sub"));
    write_native(path("all/stack.h5"), generate(parse_generate(small_stack)));
    write_fclib(path("all/sub/chain.hdf5"), generate(parse_generate("chain,bodies=5")));
    write_solution(path("all/answer.h5"), {{0.0}, {0.0}, {}, {}});
    place.write("all/text.h5", "no HDF5");
    place.write("all/notes.txt", "remember");
  }
  std::string path(const std::string& name) const { return place.path(name).string(); }

  Workplace place;
};

TEST_F(CompareFolder, IsSearchedAndBadFilesAreReportedWhileTheRestGoesOn) {
  const ProgramRun run = place.run({"compare", "all", "--law", "associated", "--tolerances",
                                    "1e-2,1e-4", "--output", "c.json", "--threads", "1"});

  EXPECT_EQ(run.exit_code, 1) << "a file could not be read";
  EXPECT_THAT(run.err, AllOf(HasSubstr("not compared: all/text.h5: is not an HDF5 file"),
                             HasSubstr("2 files skipped")));
  EXPECT_THAT(run.out, AllOf(HasSubstr("problems    2"), HasSubstr("\nstack "),
                             HasSubstr("\nsub/chain "), HasSubstr("1 thread"),
                             HasSubstr("within 1.5x"), HasSubstr("not compared: all/text.h5")));
  for (const std::string& line : lines_of(run.out)) EXPECT_LE(line.size(), 100U) << line;
  const json compared = json::parse(place.read("c.json"));
  ASSERT_EQ(compared["problems"].size(), 2U);
  EXPECT_EQ(compared["problems"][0]["problem"], "all/stack.h5");
  EXPECT_EQ(compared["problems"][1]["format"], "fclib_global");
  EXPECT_EQ(compared["unread"].size(), 1U);
  EXPECT_EQ(compared["skipped"].size(), 2U);
  EXPECT_EQ(compared["finished"], true);
  EXPECT_EQ(compared["profiles"].size(), 4U);
  for (const json& profile : compared["profiles"]) {
    EXPECT_EQ(profile["problems"], 2);
    double best = 0.0;  // on every problem somebody is the best
    for (const json& line : profile["methods"])
      if (line["tau"][0] == 1.0) best += line["share"][0].get<double>();
    EXPECT_GE(best, 1.0);
  }
}

TEST_F(CompareFolder, VerboseNamesSkippedFilesAndEverySolve) {
  std::filesystem::remove(place.path("all/text.h5"));

  const ProgramRun run =
      place.run({"compare", "all", "--verbose", "--methods", "apgd", "--tolerances", "1e-2"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("skipped all/notes.txt: its name"),
                             HasSubstr("skipped all/answer.h5: holds no problem"),
                             HasSubstr("all/stack.h5, apgd: converged after")));
}

TEST_F(CompareFolder, WithoutAnyProblemIsBadInput) {
  std::filesystem::create_directory(place.path("empty"));

  const ProgramRun empty = place.run({"compare", "empty", "--output", "c.json"});
  const ProgramRun bad = place.run({"compare", "all/text.h5", "--output", "c.json"});

  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("no problem files were found"));
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, HasSubstr("all/text.h5: is not an HDF5 file"));
  EXPECT_THAT(place.files(), ElementsAre("all", "empty"));
}

TEST_F(CompareFolder, WhatIsWrongWithEachFileIsSaidOnce) {
  place.write("all/other.h5", "no HDF5 either");

  const ProgramRun run = place.run({"compare", "all/text.h5", "all/other.h5"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("nothing could be compared: the reasons stand above"));
  EXPECT_EQ(run.err.find("text.h5"), run.err.rfind("text.h5")) << run.err;
}

TEST_F(CompareFolder, AMeasureThatIsBlindToAProblemLeavesItOut) {
  const ProgramRun run = place.run({"compare", "all/stack.h5", "all/sub", "--measure", "bilateral",
                                    "--methods", "apgd", "--tolerances", "1e-3"});

  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("all/stack.h5: --measure bilateral sees free joint rows only"));
  EXPECT_THAT(run.out, HasSubstr("all/sub/chain.hdf5"));
}

// Impulses, velocities and counts are the same on any machine; only seconds are not.
TEST_F(CompareFolder, GivesTheSameAnswersForAnyNumberOfThreads) {
  std::filesystem::remove(place.path("all/text.h5"));
  const auto hashes = [&](const std::string& threads) {
    EXPECT_EQ(place
                  .run({"compare", "all", "--tolerances", "1e-3", "--threads", threads, "--output",
                        "c.json"})
                  .exit_code,
              0);
    std::vector<std::pair<std::string, std::int64_t>> found;
    const json compared = json::parse(place.read("c.json"));
    for (const json& problem : compared["problems"])
      for (const json& run : problem["runs"])
        if (run["applicable"]) found.emplace_back(run["solution_hash"], run["work"]);
    return found;
  };

  EXPECT_EQ(hashes("1"), hashes("3"));
}

TEST(CompareCommand, FaultsAreNamedAllAtOnceBeforeAnyWork) {
  const Workplace place;
  place.write("p.txt", "x");

  const ProgramRun run = place.run({"compare", "none.h5", "--methods", "apdg,psor", "--tolerances",
                                    "1e-3,0,many", "--output", "c.jsn", "--plot", "c.pgn",
                                    "--psor.relaxation", "3", "-s", "solver.tolerance=1"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(
      run.err,
      AllOf(HasSubstr("none.h5: there is no such file or folder"),
            HasSubstr("unknown method 'apdg': did you mean 'apgd'?"),
            HasSubstr("--tolerances = 0 must be above 0"),
            HasSubstr("--tolerances = 'many' is not a number"),
            HasSubstr("--output c.jsn: the ending chooses the format"),
            HasSubstr("--plot c.pgn: pictures are .png, .svg, .pdf, such as c.png"),
            HasSubstr("psor.relaxation = 3 must lie in (0, 2)"), HasSubstr("give --tolerances")));
  EXPECT_THAT(run.out, IsEmpty());
  EXPECT_THAT(place.files(), ElementsAre("p.txt"));
}

TEST(CompareCommand, AnUnknownOptionNamesTheNearestAndItsValueIsNoProblem) {
  const Workplace place;

  const ProgramRun run = place.run({"compare", "none.h5", "--method", "apgd"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("unknown option --method of compare: did you mean --methods?"));
  EXPECT_THAT(run.err, Not(HasSubstr("apgd: there is no")));
}

TEST(CompareCommand, WithoutAProblemSaysHowToGiveOne) {
  const Workplace place;

  const ProgramRun run = place.run({"compare"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("give problems: files or folders"));
}

TEST(CompareCommand, NeverWritesOverAProblemOrAPictureOverATable) {
  const Workplace place;
  ASSERT_EQ(place.run({"generate", "stack", "--bodies", "4", "--output", "p.json"}).exit_code, 0);
  const std::string before = place.read("p.json");

  const ProgramRun over = place.run({"compare", "p.json", "--output", "./p.json"});

  EXPECT_EQ(over.exit_code, 2);
  EXPECT_THAT(over.err, HasSubstr("is a problem file"));
  EXPECT_EQ(place.read("p.json"), before);
}

TEST(CompareCommand, MeasuresThatSeeNothingOfTheProblemAreLeftOut) {
  const Workplace place;

  const ProgramRun joints = place.run({"compare", "--generate", "chain,bodies=4", "--methods", "cg",
                                       "--tolerances", "1e-3", "--output", "c.json"});
  const ProgramRun contacts = place.run(
      {"compare", "--generate", small_stack, "--methods", "apgd", "--tolerances", "1e-3"});

  EXPECT_THAT(joints.out, AllOf(HasSubstr("compared    law none (no contacts), "),
                                ContainsRegex("\ncg +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +- +- +[0-9]")));
  EXPECT_THAT(contacts.out, AllOf(HasSubstr("compared    law coulomb, "),
                                  ContainsRegex("\napgd [0-9e. +-]+ - +-[0-9]")));
  const json errors = run_of(json::parse(place.read("c.json")), 0, "cg")["errors"];
  EXPECT_TRUE(errors["siconos"].is_null());
  EXPECT_TRUE(errors["siconos_invariant"].is_null());
}

TEST(CompareCommand, OptionsOfMethodsThatAreNotComparedAreNoted) {
  const Workplace place;

  const ProgramRun run = place.run(
      {"compare", "--generate", small_stack, "--methods", "apgd", "--psor.symmetric", "true"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("note: psor.symmetric was given, but its method"));
}

// The collection's own answers of the associated law: what compare says of their objectives.
TEST(CompareCommand, ReachesTheStoredObjectivesOfTheCollection) {
  const std::filesystem::path file = support::problems_folder() / "fclib/Rover1040.hdf5";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there; set TALUS_PROBLEMS";
  const Workplace place;

  const ProgramRun run = place.run({"compare", file.string(), "--law", "associated", "--output",
                                    "c.json", "--tolerances", "1e-8"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  const json compared = json::parse(place.read("c.json"));
  EXPECT_EQ(compared["problems"][0]["known_answer"]["group"], "solution_ccp");
  for (const json& one : compared["problems"][0]["runs"])
    if (one["applicable"]) {
      // 1e-8 of the residual, squared or not: the objective is right to far more than 1e-6
      EXPECT_LE(std::abs(one["objective_difference"].get<double>()),
                1e-6 * std::abs(one["objective"].get<double>()));
    }
}

}  // namespace
}  // namespace talus
