// The jobs of scaling studies: from a plan through runs on real ranks to one table.

#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace talus {
namespace {

using support::Workplace;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ScalingStudy : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "scripts that start the program many times: the same without the sanitizers";
#endif
  }

  Workplace place;

  /// Exit code of a script of jobs/scaling; what it said is in said().
  int script(const std::string& words) const {
    return shell(
        fmt::format("python3 -B {}/jobs/scaling/{}", support::source_folder().string(), words));
  }
  /// mpirun waits for nothing when a run has ended above its tolerance, as most here do.
  int shell(const std::string& command) const {
    const int status =
        std::system(fmt::format("cd {} && export ASAN_OPTIONS=detect_leaks=0 "
                                "OMPI_MCA_odls_base_sigkill_timeout=0 && {} > said.txt 2>&1",
                                place.path("").string(), command)
                        .c_str());
    return WEXITSTATUS(status);
  }
  std::string said() const {
    return place.read("said.txt");
  }

  int plan(const std::string& words) const {
    return script(fmt::format("study.py --output study --bodies 60 --methods apgd {}", words));
  }
};

TEST_F(ScalingStudy, RunsOnRanksAndMakesOneTable) {
  ASSERT_EQ(
      plan("strong " + support::program() + " --ranks 1,2,3 --iterations 20 --repeats 2 --cores 2"),
      0)
      << said();

  ASSERT_EQ(shell("bash study/run_all.sh"), 0) << said();
  ASSERT_EQ(script("collect.py study"), 0) << said();

  EXPECT_THAT(said(), HasSubstr("3 lines from 5 runs"));  // of 3 ranks counts only, once
  const std::string table = place.read("study/table.csv");
  EXPECT_THAT(table, StartsWith("scripts_commit,program,machine,"));
  EXPECT_THAT(table, HasSubstr(",talus 0."));
  EXPECT_THAT(table, HasSubstr("strong,apgd,associated,1,1,2,0,60,"));
  EXPECT_THAT(table, HasSubstr("strong,apgd,associated,3,1,1,1,60,"));
}

TEST_F(ScalingStudy, RefusesRunsWhoseAnswersDiffer) {
  ASSERT_EQ(plan("strong " + support::program() + " --ranks 1,2 --iterations 5 --repeats 1"), 0)
      << said();
  ASSERT_EQ(shell("bash study/run_all.sh"), 0) << said();
  ASSERT_EQ(shell("sed -i 's/\"solution_hash\": \"./\"solution_hash\": \"x/' "
                  "study/results/apgd_2x1_1.json"),
            0);

  EXPECT_EQ(script("collect.py study"), 1);

  EXPECT_THAT(said(), HasSubstr("apgd_2x1_1: hash x"));
}

// The order of its sweeps depends on the parts: after as many iterations it is elsewhere.
TEST_F(ScalingStudy, ComparesPsorOnRanksToAToleranceOnly) {
  const std::string words = "strong " + support::program() +
                            " --bodies 60 --methods psor --ranks 1,2 --repeats 1 --cores 1";
  ASSERT_EQ(script("study.py " + words + " --output sweeps --iterations 20"), 0) << said();
  EXPECT_THAT(said(), HasSubstr("the error of psor depends on the ranks"));
  ASSERT_EQ(script("study.py " + words + " --output error --tolerance 1e-2"), 0) << said();
  ASSERT_EQ(shell("bash sweeps/run_all.sh && bash error/run_all.sh"), 0) << said();

  EXPECT_EQ(script("collect.py sweeps"), 1);
  EXPECT_THAT(said(), HasSubstr("psor_2x1_1: error "));
  EXPECT_THAT(said(), HasSubstr("plan the study with --tolerance"));

  EXPECT_EQ(script("collect.py error"), 0) << said();
  EXPECT_THAT(said(), HasSubstr("2 lines from 2 runs"));
}

TEST_F(ScalingStudy, RefusesRunsThatDidNotGoAsPlanned) {
  ASSERT_EQ(plan("threads " + support::program() + " --tolerance 1e-2 --repeats 2"), 0) << said();
  ASSERT_EQ(shell("bash study/run_all.sh"), 0) << said();
  ASSERT_EQ(script("collect.py study"), 0) << said();
  const std::vector<std::pair<std::string, std::string>> changes{
      {R"(s/"reproducible": .*/"reproducible": "no",/)", "apgd_1x1_2: was interrupted"},
      {R"(s/"ranks": .*/"ranks": 3,/)", "ran on 3 x 1 ranks x threads, planned were 1 x 1"},
      {R"(s/"within_tolerance": .*/"within_tolerance": false,/)", "above the tolerance 0.01"},
      {R"(s/"talus": .*/"talus": "9",/)", "made by talus 9"},
      {R"(s/"error": .*/"error": 0.5,/)", "apgd_1x1_2: error 0.5, but apgd_1x1_1 has"},
      {"5,$ d", "is no report of talus"}};
  for (const auto& [change, message] : changes) {
    ASSERT_EQ(shell("cp study/results/apgd_1x1_1.json study/results/apgd_1x1_2.json && sed -i '" +
                    change + "' study/results/apgd_1x1_2.json"),
              0);

    EXPECT_EQ(script("collect.py study"), 1) << message;

    EXPECT_THAT(said(), HasSubstr(message));
    EXPECT_THAT(said(), Not(HasSubstr("Traceback")));
  }
}

TEST_F(ScalingStudy, TablesThePhasesThatReportsName) {
  ASSERT_EQ(plan("threads " + support::program() + " --iterations 5 --repeats 1"), 0) << said();
  ASSERT_EQ(shell("bash study/run_all.sh && sed -i 's/\"phases\"/\"old\"/; "
                  "0,/{/ s/{/{\"phases\": {\"set_up\": 0.25},/' "
                  "study/results/apgd_1x1_1.json"),
            0)
      << said();

  EXPECT_EQ(script("collect.py study"), 0) << said();

  EXPECT_THAT(place.read("study/table.csv"), HasSubstr("reduction_s,set_up_s,messages_per_rank"));
  EXPECT_THAT(place.read("study/table.csv"), HasSubstr(",0.25,"));
}

TEST_F(ScalingStudy, RefusesPlansWithTheRemedyBeforeAnythingIsWritten) {
  place.write("file", "");
  const std::string strong = "strong " + support::program() + " ";
  const std::vector<std::pair<std::string, std::string>> plans{
      {strong + "--ranks 0", "--ranks 0: give a whole number from 1"},
      {strong + "--ranks 2,x", "--ranks x: give a whole number"},
      {strong + "--ranks 2,2", "--ranks: 2 stands there 2 times; name it once"},
      {strong + "--bodies -5", "--bodies -5: give a whole number"},
      {strong + "--repeats 0", "--repeats 0: give a whole number"},
      {strong + "--tolerance 0", "--tolerance 0: give an error above 0"},
      {strong + "--methods fast", "unknown method 'fast'"},
      {strong + "--problem heap", "kind = \"heap\" is unknown"},
      {strong + "--bodies 1e9", "bodies = 1000000000 must be 1 to"},
      {strong + "--minutes 5", "--minutes: is for --launcher slurm only"},
      {strong + "--output file/study", "give another folder with --output"},
      {strong + "--launcher slurm", "--cores-per-node is missing"},
      {strong + "--launcher slurm --cores-per-node 4 --cores 2", "--cores: leave it out"},
      {strong + "--launcher slurm --cores-per-node 4 --ranks-per-node 4 --threads 2",
       "4 ranks per node x 2 threads are more than the 4 cores"},
      {"threads " + support::program() + " --ranks 2", "a threads study is on one rank"},
      {"strong /bin/ls", "is not the program talus; build it first"}};
  for (const auto& [words, message] : plans) {
    EXPECT_EQ(plan(words), 2) << words;

    EXPECT_THAT(said(), HasSubstr(message)) << words;
    EXPECT_THAT(said(), Not(HasSubstr("Traceback"))) << words;
    EXPECT_FALSE(place.has("study")) << words;
  }
}

// ---- scenes -------------------------------------------------------------------------------------

/// Few spheres that fall into a box.
std::string falling_spheres() {
  return fmt::format(" --scene {}/jobs/scenes/settle.yaml --set d=0.04 --set fill=0.5 --steps 40",
                     support::source_folder().string());
}

TEST_F(ScalingStudy, SimulatesASceneOnRanksWithOneHash) {
  ASSERT_EQ(script("study.py strong " + support::program() + falling_spheres() +
                   " --set count=60 --output study --ranks 1,2,3 --repeats 1 --cores 3"),
            0)
      << said();
  ASSERT_EQ(shell("bash study/run_all.sh"), 0) << said();
  EXPECT_FALSE(place.has("study/results/auto_2x1_1"));  // of the run only its report is kept

  ASSERT_EQ(script("collect.py study"), 0) << said();

  EXPECT_THAT(said(), HasSubstr("3 lines from 3 runs"));
  const std::string table = place.read("study/table.csv");
  EXPECT_THAT(table, HasSubstr("strong,auto,coulomb,1,1,1,0,65,"));  // five walls
  EXPECT_THAT(table, HasSubstr("strong,auto,coulomb,3,1,1,0,65,"));
  EXPECT_THAT(table, HasSubstr(",share_s,"));
  EXPECT_THAT(table, HasSubstr(",solve_most_s,"));
  EXPECT_THAT(table, HasSubstr(",steps,step_s,imbalance_of_steps,bodies_moved,balances,"));

  ASSERT_EQ(shell("sed -i 's/\"trajectory_hash\": \"./\"trajectory_hash\": \"x/' "
                  "study/results/auto_2x1_1.json"),
            0);
  EXPECT_EQ(script("collect.py study"), 1);
  EXPECT_THAT(said(), HasSubstr("auto_2x1_1: hash x"));
}

TEST_F(ScalingStudy, AWeakStudyOfASceneGrowsWithTheRanks) {
  ASSERT_EQ(script("study.py weak " + support::program() + falling_spheres() +
                   " --set 'count=20*{ranks}' --output study --ranks 1,2 --repeats 1 --cores 2 "
                   "--methods apgd,pspgfb --tolerance 1e-3"),
            0)
      << said();
  ASSERT_EQ(shell("bash study/run_all.sh"), 0) << said();

  ASSERT_EQ(script("collect.py study"), 0) << said();

  const std::string table = place.read("study/table.csv");
  EXPECT_THAT(table, HasSubstr("weak,pspgfb,coulomb,1,1,1,0,25,"));
  EXPECT_THAT(table, HasSubstr("weak,pspgfb,coulomb,2,1,1,0,45,"));
  EXPECT_THAT(table, HasSubstr("weak,apgd,coulomb,2,1,1,0,45,"));
}

TEST_F(ScalingStudy, RefusesScenesWithTheRemedyBeforeAnythingIsWritten) {
  const std::string strong = "strong " + support::program() + falling_spheres() + " ";
  const std::vector<std::pair<std::string, std::string>> plans{
      {strong + "--bodies 60", "--bodies: leave it out, the scene says it"},
      {strong + "--iterations 60", "--iterations: leave it out"},
      {strong + "--set 'count=20*{ranks}'", "{ranks} is for weak studies"},
      {strong + "--set hight=2", "unknown variable: known are d, width, fill"},
      {strong + "--methods fast", "method = 'fast' must be one of"},
      {strong + "--steps 0", "--steps 0: give a whole number"},
      {"weak " + support::program() + falling_spheres(), "a weak study needs what grows"},
      {"strong " + support::program() + " --scene nowhere.yaml", "nowhere.yaml: is no file"},
      {"strong " + support::program() + " --set count=3", "--set: is for --scene only"}};
  for (const auto& [words, message] : plans) {
    EXPECT_EQ(script("study.py " + words + " --output study"), 2) << words;

    EXPECT_THAT(said(), HasSubstr(message)) << words;
    EXPECT_THAT(said(), Not(HasSubstr("Traceback"))) << words;
    EXPECT_FALSE(place.has("study")) << words;
  }
}

TEST_F(ScalingStudy, WritesSlurmJobsOfScenes) {
  ASSERT_EQ(script("study.py strong " + support::program() + falling_spheres() +
                   " --set count=60 --output study --ranks 4 --repeats 1 --launcher slurm "
                   "--cores-per-node 4"),
            0)
      << said();

  const std::string job = place.read("study/jobs/auto_4x1_1.sh");

  EXPECT_THAT(job, HasSubstr(" run "));
  EXPECT_THAT(job, HasSubstr("mv results/auto_4x1_1/report.json results/auto_4x1_1.json"));
  EXPECT_EQ(shell("! grep -E '@[A-Z_]+@' study/jobs/auto_4x1_1.sh"), 0) << said();
  EXPECT_EQ(shell("bash -n study/jobs/auto_4x1_1.sh"), 0) << said();
}

TEST_F(ScalingStudy, CollectAndPlotSayWhatTheyWereNotGiven) {
  place.write("junk.csv", "a,b\n\xff,2\n");
  place.write("other.csv", "a,b\n1,2\n");
  const std::vector<std::pair<std::string, std::string>> calls{
      {"collect.py nowhere", "give the folder that study.py made"},
      {"plot.py nowhere.csv --output p.png", "give tables of collect.py"},
      {"plot.py junk.csv --output p.png", "is no table of collect.py"},
      {"plot.py other.csv --output p.png", "it has no column machine"},
      {"plot.py other.csv --output p", "give it a suffix"}};
  for (const auto& [words, message] : calls) {
    EXPECT_EQ(script(words), 2) << words;

    EXPECT_THAT(said(), HasSubstr(message)) << words;
    EXPECT_THAT(said(), Not(HasSubstr("Traceback"))) << words;
  }
}

TEST_F(ScalingStudy, DrawsTheCommittedTablesAndKnowsItsSuffixes) {
  if (std::system("/usr/bin/python3 -c 'import matplotlib' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no matplotlib: python3-matplotlib";
  const std::string table = support::source_folder().string() + "/docs/scaling/weak.csv";

  EXPECT_EQ(script("plot.py " + table + " --output p.svg"), 0) << said();
  EXPECT_THAT(place.read("p.svg"), HasSubstr("90,559 contacts per rank, 100 iterations"));

  EXPECT_EQ(script("plot.py " + table + " --output p.heap"), 2);
  EXPECT_THAT(said(), HasSubstr("Format 'heap' is not supported"));
}

TEST_F(ScalingStudy, WritesSlurmJobsWithoutPlaceholders) {
  ASSERT_EQ(
      plan("weak " + support::program() +
           " --ranks 4 --threads 2 --repeats 1 --launcher slurm --cores-per-node 4 --account me"),
      0)
      << said();

  const std::string job = place.read("study/jobs/apgd_4x2_1.sh");

  EXPECT_THAT(job, HasSubstr("#SBATCH --nodes=2\n"));  // two ranks of two threads on four cores
  EXPECT_THAT(job, HasSubstr("#SBATCH --exclusive\n"));
  EXPECT_THAT(job, HasSubstr("#SBATCH --cpus-per-task=2\n"));
  // mpirun would wait so long, twice, after every run of a fixed number of iterations
  EXPECT_THAT(job, Not(HasSubstr("sigkill_timeout")));
  EXPECT_THAT(job, HasSubstr("#SBATCH --account=me\n"));
  EXPECT_THAT(job, HasSubstr("packing,bodies=240"));  // 60 per rank
  EXPECT_EQ(shell("! grep -E '@[A-Z_]+@' study/jobs/apgd_4x2_1.sh"), 0) << said();
  EXPECT_EQ(shell("bash -n study/jobs/apgd_4x2_1.sh && grep -q sbatch study/run_all.sh"), 0);
}

TEST_F(ScalingStudy, AFolderWithAStudyIsNotOverwritten) {
  ASSERT_EQ(plan("threads " + support::program() + " --threads 1,2"), 0) << said();

  EXPECT_EQ(plan("threads " + support::program() + " --threads 1,2"), 2);

  EXPECT_THAT(said(), HasSubstr("holds a study already"));
}

}  // namespace
}  // namespace talus
