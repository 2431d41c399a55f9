// The jobs of scaling studies: from a plan through runs on real ranks to one table.

#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace talus {
namespace {

using support::Workplace;
using ::testing::HasSubstr;

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
  int shell(const std::string& command) const {
    const int status =
        std::system(fmt::format("cd {} && export ASAN_OPTIONS=detect_leaks=0 && {} > said.txt 2>&1",
                                place.path("").string(), command)
                        .c_str());
    return WEXITSTATUS(status);
  }
  std::string said() const {
    return place.read("said.txt");
  }

  int plan(const std::string& words) const {
    return script(fmt::format("study.py {} --output study --bodies 60 --methods apgd", words));
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

TEST_F(ScalingStudy, WritesSlurmJobsWithoutPlaceholders) {
  ASSERT_EQ(
      plan("weak " + support::program() +
           " --ranks 4 --threads 2 --repeats 1 --launcher slurm --ranks-per-node 2 --account me"),
      0)
      << said();

  const std::string job = place.read("study/jobs/apgd_4x2_1.sh");

  EXPECT_THAT(job, HasSubstr("#SBATCH --nodes=2\n"));
  EXPECT_THAT(job, HasSubstr("#SBATCH --account=me\n"));
  EXPECT_THAT(job, HasSubstr("packing,bodies=240"));  // 60 per rank
  EXPECT_EQ(shell("! grep -E '@[A-Z_]+@' study/jobs/apgd_4x2_1.sh"), 0) << said();
  EXPECT_EQ(shell("bash -n study/jobs/apgd_4x2_1.sh && grep -q sbatch study/run_all.sh"), 0);
}

TEST_F(ScalingStudy, AFolderWithAStudyIsNotOverwritten) {
  ASSERT_EQ(plan("threads " + support::program() + " --threads 1,2"), 0) << said();

  EXPECT_EQ(plan("threads " + support::program() + " --threads 1,2"), 1);

  EXPECT_THAT(said(), HasSubstr("holds a study already"));
}

}  // namespace
}  // namespace talus
