// The job that makes the page of all files and methods: from files to tables, and on where it
// stopped.

#include "talus/io/problem_file.hpp"

#include "generate/generate.hpp"
#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace talus {
namespace {

using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* python = "/usr/bin/python3";  // the one that Debian's h5py belongs to

class FclibTable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system((std::string(python) + " -c 'import h5py' > /dev/null 2>&1").c_str()) != 0)
      GTEST_SKIP() << "no python3 with h5py: python3-h5py";
    std::filesystem::create_directories(place.path("all/sub"));
    write_fclib(path("all/sub/stack.hdf5"), generate(parse_generate("stack,bodies=4")));
    const support::ProgramRun solved =
        place.run({"solve", "all/sub/stack.hdf5", "--law", "coulomb", "--tolerance", "1e-8",
                   "--output", "all/sub/stack.hdf5"});
    EXPECT_EQ(solved.exit_code, 0) << solved.err;
  }
  std::string path(const std::string& name) const { return place.path(name).string(); }

  /// The page, and what was said on the way.
  int make(const std::string& more = "") const {
    const std::string job = (support::source_folder() / "jobs/fclib_table.py").string();
    const std::string command = "cd " + path(".") + " && " + python + " -B " + job + " " +
                                support::program() + " all --results kept --output page.md " +
                                more + " 2> said.txt";
    return std::system(command.c_str());
  }

  Workplace place;
};

TEST_F(FclibTable, ShowsEveryFileAndCountsWhatIsSolved) {
  ASSERT_EQ(make(), 0) << place.read("said.txt");

  EXPECT_THAT(place.read("page.md"),
              AllOf(HasSubstr("## Law `coulomb`"), HasSubstr("## Law `associated`"),
                    HasSubstr("| `stack` | 16 |"), HasSubstr("| 3-D, apgd | 1 | 1 | 1 | 1 |"),
                    HasSubstr("| 3-D, best of all | 1 | 1 | 1 | 1 |"), HasSubstr("talus 0.")));
  EXPECT_TRUE(place.has("kept/coulomb/sub__stack.hdf5.json"));
}

TEST_F(FclibTable, GoesOnWhereItStoppedUnlessItIsToldToBeginAnew) {
  ASSERT_EQ(make("--laws coulomb --methods apgd"), 0);
  EXPECT_THAT(place.read("said.txt"), HasSubstr("stack.hdf5"));
  const std::string first = place.read("page.md");

  ASSERT_EQ(make("--laws coulomb --methods apgd"), 0);
  EXPECT_THAT(place.read("said.txt"), Not(HasSubstr("stack.hdf5"))) << "nothing was left to do";
  EXPECT_EQ(place.read("page.md"), first);

  ASSERT_EQ(make("--laws coulomb --methods apgd --redo"), 0);
  EXPECT_THAT(place.read("said.txt"), HasSubstr("stack.hdf5"));
}

TEST_F(FclibTable, AMethodAboveTheToleranceIsShownWithItsError) {
  ASSERT_EQ(make("--laws associated --methods jacobi --max-iterations 1"), 0);

  EXPECT_THAT(place.read("page.md"),
              AllOf(HasSubstr("| `stack` | 16 | ("), HasSubstr("at most 20 s and 1 iter")));
}

}  // namespace
}  // namespace talus
