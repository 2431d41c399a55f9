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

struct Study {
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
  std::string said() const { return place.read("said.txt"); }

  int plan(const std::string& words) const {
    return script(fmt::format("study.py {} --output study --bodies 60 --methods apgd", words));
  }
};

TEST(ScalingStudy, RunsOnRanksAndMakesOneTable) {
  const Study study;
  ASSERT_EQ(study.plan("strong " + support::program() +
                       " --ranks 1,2,3 --iterations 20 --repeats 2 --cores 2"),
            0)
      << study.said();

  ASSERT_EQ(study.shell("bash study/run_all.sh"), 0) << study.said();
  ASSERT_EQ(study.script("collect.py study"), 0) << study.said();

  EXPECT_THAT(study.said(), HasSubstr("3 lines from 5 runs"));  // of 3 ranks counts only, once
  const std::string table = study.place.read("study/table.csv");
  EXPECT_THAT(table, HasSubstr("strong,apgd,associated,1,1,2,0,60,"));
  EXPECT_THAT(table, HasSubstr("strong,apgd,associated,3,1,1,1,60,"));
}

TEST(ScalingStudy, RefusesRunsWhoseAnswersDiffer) {
  const Study study;
  ASSERT_EQ(study.plan("strong " + support::program() + " --ranks 1,2 --iterations 5 --repeats 1"),
            0)
      << study.said();
  ASSERT_EQ(study.shell("bash study/run_all.sh"), 0) << study.said();
  ASSERT_EQ(study.shell("sed -i 's/\"solution_hash\": \"./\"solution_hash\": \"x/' "
                        "study/results/apgd_2x1_1.json"),
            0);

  EXPECT_EQ(study.script("collect.py study"), 1);

  EXPECT_THAT(study.said(), HasSubstr("apgd_2x1_1: hash x"));
}

TEST(ScalingStudy, WritesSlurmJobsWithoutPlaceholders) {
  const Study study;
  ASSERT_EQ(
      study.plan(
          "weak " + support::program() +
          " --ranks 4 --threads 2 --repeats 1 --launcher slurm --ranks-per-node 2 --account me"),
      0)
      << study.said();

  const std::string job = study.place.read("study/jobs/apgd_4x2_1.sh");

  EXPECT_THAT(job, HasSubstr("#SBATCH --nodes=2\n"));
  EXPECT_THAT(job, HasSubstr("#SBATCH --account=me\n"));
  EXPECT_THAT(job, HasSubstr("packing,bodies=240"));  // 60 per rank
  EXPECT_EQ(study.shell("! grep -E '@[A-Z_]+@' study/jobs/apgd_4x2_1.sh"), 0) << study.said();
  EXPECT_EQ(study.shell("bash -n study/jobs/apgd_4x2_1.sh && grep -q sbatch study/run_all.sh"), 0);
}

TEST(ScalingStudy, AFolderWithAStudyIsNotOverwritten) {
  const Study study;
  ASSERT_EQ(study.plan("threads " + support::program() + " --threads 1,2"), 0) << study.said();

  EXPECT_EQ(study.plan("threads " + support::program() + " --threads 1,2"), 1);

  EXPECT_THAT(study.said(), HasSubstr("holds a study already"));
}

}  // namespace
}  // namespace talus
