// Bad input of talus solve: one message per fault, exit 2, nothing written, nothing replaced.

#include "talus/io/problem_file.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Overwrites numbers of a dataset of doubles with HDF5 alone.
void spoil(const std::string& path, const char* dataset, std::size_t index, double value) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT);
  ASSERT_GE(set, 0) << dataset;
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  values.at(index) = value;
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    BodyProblem problem;
    problem.add_body({0, 0, 1}, 0.5, {1, 0, 0, 1, 0, 1}, {0, 0, -1, 0, 0, 0});
    problem.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {});
    write_native(path("p.h5"), problem);
  }

  std::string path(const std::string& name) const { return place_.path(name).string(); }

  /// Solves with every kind of output asked for: exit 2, none of them made.
  std::string refused(const std::vector<std::string>& arguments) const {
    const std::vector<std::string> before = place_.files();
    std::vector<std::string> words{"solve",  "--output",  "s.h5", "--report",
                                   "r.json", "--history", "h.csv"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramRun run = place_.run(words);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_EQ(place_.files(), before);
    return run.err;
  }

  Workplace place_;
};

TEST_F(BadInput, AllFaultsOfTheCommandLineAreNamedAtOnce) {
  const std::string said = refused({"p.h5",
                                    "--law",
                                    "colomb",
                                    "--method",
                                    "agpd",
                                    "--measure",
                                    "natral",
                                    "--tolerance",
                                    "-1",
                                    "--max-iterations",
                                    "many",
                                    "--apgd.grow",
                                    "1",
                                    "--apgd.shrnk",
                                    "2",
                                    "--threads",
                                    "0",
                                    "-s",
                                    "solver.tolerence=1",
                                    "-s",
                                    "nothing",
                                    "--pspgfb.fallback",
                                    "perhaps"});

  for (const char* text :
       {"did you mean 'coulomb'", "did you mean 'apgd'", "did you mean 'natural'",
        "tolerance = -1 must be", "max_iterations = 'many' is not a whole number",
        "apgd.grow = 1 must be above 1", "did you mean --apgd.shrink", "--threads = 0",
        "did you mean solver.tolerance?", "-s nothing: write KEY=VALUE",
        "pspgfb.fallback = 'perhaps' is neither true nor false"})
    EXPECT_THAT(said, HasSubstr(text));
}

TEST_F(BadInput, ValuesOutOfRangeAreRefusedBeforeTheProblemIsRead) {
  const std::string said = refused({"absent.h5", "--tolerance", "nan", "--time-limit", "0",
                                    "--max-iterations", "-1", "--stall-iterations", "0"});

  EXPECT_THAT(said, AllOf(HasSubstr("tolerance = nan"), HasSubstr("time_limit = 0"),
                          HasSubstr("max_iterations = -1"), HasSubstr("stall_iterations = 0")));
}

TEST_F(BadInput, AMeasureThatSeesNothingOfTheProblemIsRefused) {
  EXPECT_THAT(refused({"p.h5", "--measure", "bilateral"}), HasSubstr("choose another"));
}

TEST_F(BadInput, WithoutContactsSiconossMeasuresAreRefused) {
  for (const std::string measure : {"siconos", "siconos_invariant"})
    EXPECT_THAT(refused({"--generate", "chain,bodies=3", "--measure", measure}),
                HasSubstr("--measure " + measure + " sees contacts only"));
}

TEST_F(BadInput, AnEmptyValueIsNotTheSameAsNone) {
  for (const std::string option :
       {"--warm-start", "--law", "--methods", "--threads", "--partition"}) {
    const std::string said = refused({"p.h5", option, ""});

    EXPECT_THAT(said, HasSubstr("talus: " + option + ": its value is empty"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

TEST_F(BadInput, TheValueOfAnUnknownOptionIsNoSecondProblem) {
  EXPECT_THAT(refused({"--generate", "wall", "--tol", "1"}),
              AllOf(HasSubstr("did you mean --tolerance?"), Not(HasSubstr("give one problem"))));
}

TEST_F(BadInput, WhatIsFarFromAllNamesIsNotGuessed) {
  const std::string said =
      refused({"p.h5", "--law", "xyz", "--method", "gauss", "-s", "solver.foo=1"});

  EXPECT_THAT(said, AllOf(HasSubstr("unknown law 'xyz': known are coulomb, associated, box"),
                          HasSubstr("unknown method 'gauss': known are auto"),
                          HasSubstr("-s solver.foo: unknown key"), Not(HasSubstr("did you mean"))));
}

TEST_F(BadInput, OneProblemMustBeGiven) {
  EXPECT_THAT(refused({}), HasSubstr("give one problem"));
  EXPECT_THAT(refused({"p.h5", "--generate", "wall"}), HasSubstr("give one problem"));
  EXPECT_THAT(refused({"--generate", "wal,bodis=3"}), HasSubstr("did you mean wall"));
}

TEST_F(BadInput, FilesThatAreNoProblemAreRefusedByName) {
  place_.write("text.h5", "not HDF5");
  place_.write("cut.h5", place_.read("p.h5").substr(0, 2000));
  write_solution(path("only.h5"), Solution{{0.0}, {0.0}, {}, {}});

  EXPECT_THAT(refused({"absent.h5"}), HasSubstr("absent.h5: no such file"));
  EXPECT_THAT(refused({"text.h5"}), AllOf(HasSubstr("text.h5"), HasSubstr("not an HDF5 file")));
  EXPECT_THAT(refused({"cut.h5"}), AllOf(HasSubstr("cut.h5"), HasSubstr("truncated")));
  EXPECT_THAT(refused({"only.h5"}), AllOf(HasSubstr("only.h5"), HasSubstr("holds no problem")));
  EXPECT_THAT(refused({"."}), HasSubstr("folder"));
}

TEST_F(BadInput, ABadNumberIsNamedWithFileDatasetIndexAndValue) {
  spoil(path("p.h5"), "/contacts/friction", 0, -0.25);

  EXPECT_THAT(refused({"p.h5"}), AllOf(HasSubstr("p.h5"), HasSubstr("friction"), HasSubstr("[0]"),
                                       HasSubstr("-0.25")));
}

TEST_F(BadInput, AMassMatrixThatIsNotPositiveDefiniteIsNamedByRow) {
  GlobalProblem problem;
  problem.dimension = 2;
  problem.M = from_triplets(2, 2, {{0, 0, 2.0}, {1, 1, -2.0}});
  problem.H = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}});
  problem.f = {-1.0, 0.5};
  problem.w = {0.0, 0.0};
  problem.friction = {0.25};
  write_fclib(path("g.h5"), problem);

  EXPECT_THAT(refused({"g.h5"}), HasSubstr("positive definite"));
}

TEST_F(BadInput, VelocitiesThatOverflowAreNamedByContact) {
  BodyProblem problem;
  problem.add_body({0, 0, 1}, 1e10, {1, 0, 0, 1, 0, 1}, {0, 0, -1e300, 0, 0, 0});
  problem.add_body({0, 0, 3}, 0.5, {1, 0, 0, 1, 0, 1}, {0, 0, -1, 0, 0, 0});
  problem.add_contact(no_body, 1, {0, 0, 1}, {0, 0, 2}, 0.5, {});
  problem.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {});
  problem.add_joint_row(0, no_body, {1, 0, 0, 0, 0, 0}, {}, 0.0);
  problem.momentum[0][0] = 1e300;
  write_native(path("fast.h5"), problem);

  const std::string said = refused({"fast.h5"});

  EXPECT_THAT(said,
              AllOf(HasSubstr("fast.h5: contact 1: its velocity without impulses is not finite"),
                    HasSubstr("fast.h5: joint row 0: its velocity without impulses is"),
                    HasSubstr("momenta, forces or inverse masses are too large"),
                    HasSubstr("choose other units")));
  EXPECT_THAT(said, Not(HasSubstr("contact 0")));
  EXPECT_EQ(place_.run({"info", "fast.h5"}).exit_code, 2);
}

TEST_F(BadInput, DiagonalsThatOverflowAreNamedByContact) {
  BodyProblem bodies;
  bodies.add_body({0, 0, 1e200}, 1.0, {1, 0, 0, 1, 0, 1}, {});
  bodies.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {});
  write_native(path("far.h5"), bodies);
  LocalProblem local;
  local.dimension = 2;
  local.W = from_triplets(2, 2, {{0, 0, 1.5e308}, {1, 1, 1.5e308}});
  local.q = {-1.0, 0.0};
  local.friction = {0.5};
  write_fclib(path("stiff.h5"), local);

  EXPECT_THAT(refused({"far.h5"}),
              AllOf(HasSubstr("far.h5: contact 0: its diagonal entry of N is not finite"),
                    HasSubstr("inverse masses, levers")));
  EXPECT_THAT(refused({"stiff.h5"}),
              AllOf(HasSubstr("stiff.h5: contact 0: its mean diagonal entry of N is not finite"),
                    HasSubstr("too large")));
  local.dimension = 2;
  local.W = from_triplets(4, 4, {{0, 0, 1.5e308}, {2, 2, 1.5e308}});
  local.q = {-1.0, 0.0, -1.0, 0.0};
  local.friction = {0.5, 0.5};
  write_fclib(path("both.h5"), local);
  EXPECT_THAT(refused({"both.h5"}),
              HasSubstr("both.h5: all contacts: the mean diagonal entry of N is not finite"));
}

TEST_F(BadInput, AWarmStartMustFit) {
  write_solution(path("long.h5"), Solution{{0, 0, 0}, {0, 0, 0, 0, 0, 0}, {1.0}, {}});
  write_solution(path("nan.h5"), Solution{{0, 0, 0}, {0, 0, 0}, {}, {}});
  spoil(path("nan.h5"), "/solution/r", 1, std::numeric_limits<double>::quiet_NaN());

  const std::string too_long = refused({"p.h5", "--warm-start", "long.h5"});
  EXPECT_THAT(too_long, AllOf(HasSubstr("long.h5"), HasSubstr("solution/r = 6"),
                              HasSubstr("3 contact rows"), HasSubstr("solution/l = 1")));
  EXPECT_THAT(refused({"p.h5", "--warm-start", "nan.h5"}),
              AllOf(HasSubstr("nan.h5"), HasSubstr("/solution/r"), HasSubstr("[1]")));
  EXPECT_THAT(refused({"p.h5", "--warm-start", "p.h5"}), HasSubstr("solution"));
}

TEST_F(BadInput, FoldersOfOutputsMustExistBeforeTheSolve) {
  // The problem does not exist either: had it been looked for, that would have been said.
  const ProgramRun run = place_.run(
      {"solve", "absent.h5", "--output", "no/s.h5", "--report", "no/r.json", "--history", "."});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("--output no/s.h5: the folder no does not exist"),
                    HasSubstr("--report no/r.json"), HasSubstr("--history .: is a folder")));
  EXPECT_THAT(place_.files(), ElementsAre("p.h5"));
}

TEST_F(BadInput, AReportNeverReplacesTheProblemOrTheSolution) {
  const std::string before = place_.read("p.h5");

  const ProgramRun over_problem = place_.run({"solve", "p.h5", "--report", "./p.h5"});
  const ProgramRun over_solution =
      place_.run({"solve", "p.h5", "--output", "s.h5", "--history", "s.h5"});
  const ProgramRun over_report =
      place_.run({"solve", "p.h5", "--report", "r.txt", "--history", "r.txt"});

  EXPECT_EQ(over_problem.exit_code, 2);
  EXPECT_THAT(over_problem.err, HasSubstr("is the file of the problem"));
  EXPECT_EQ(over_solution.exit_code, 2);
  EXPECT_THAT(over_solution.err, HasSubstr("is the file of the solution"));
  EXPECT_EQ(over_report.exit_code, 2);
  EXPECT_THAT(over_report.err, HasSubstr("is the file of the report"));
  EXPECT_TRUE(place_.read("p.h5") == before) << "every byte";
  EXPECT_THAT(place_.files(), ElementsAre("p.h5"));
}

TEST_F(BadInput, ASolutionIsNotAddedToAFileThatIsNotHdf5) {
  place_.write("notes.txt", "do not lose me");

  const ProgramRun run = place_.run({"solve", "absent.h5", "--output", "notes.txt"});

  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--output notes.txt"), HasSubstr("another name")));
  EXPECT_EQ(place_.read("notes.txt"), "do not lose me");
}

TEST_F(BadInput, AGoodAnswerIsNotReplacedByAFailedRun) {
  ASSERT_EQ(place_.run({"solve", "p.h5", "--output", "s.h5", "--report", "r.json"}).exit_code, 0);
  const std::string solution = place_.read("s.h5"), report = place_.read("r.json");
  spoil(path("p.h5"), "/contacts/friction", 0, -1.0);

  refused({"p.h5"});

  EXPECT_TRUE(place_.read("s.h5") == solution) << "every byte";
  EXPECT_EQ(place_.read("r.json"), report);
}

}  // namespace
}  // namespace talus
