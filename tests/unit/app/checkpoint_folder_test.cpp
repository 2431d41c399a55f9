// DIR/checkpoints: which files are checkpoints, which are kept, and which goes on. What is in them:
// tests/mpi/checkpoint_file_test.cpp.

#include "talus/core/error.hpp"

#include "app/run/checkpoints.hpp"
#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace talus {
namespace {

using app::CheckpointFolder;
using app::find_resume_point;
using support::SceneFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CheckpointFolders : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content = "none") const {
    return folder_.write("run/checkpoints/" + name, content);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const std::string& file : checkpoints_.files())
      names.push_back(std::filesystem::path(file).filename().string());
    return names;
  }
  bool has(const std::string& name) const {
    return std::filesystem::exists(folder_.path() / "run" / "checkpoints" / name);
  }
  std::string run() const { return (folder_.path() / "run").string(); }

  SceneFolder folder_;
  CheckpointFolder checkpoints_{(folder_.path() / "run").string()};
};

TEST_F(CheckpointFolders, ListThemByStepTheNewestFirst) {
  EXPECT_THAT(names(), IsEmpty());
  for (const char* name :
       {"checkpoint_000000009.h5", "checkpoint_000000010.h5", "checkpoint_1234567890.h5",
        "checkpoint_.h5", "checkpoint_1x.h5", "checkpoint_000000011.h5.tmp-77",
        "state_000000012.h5", "checkpoint_000000013.h5.old", "mine.h5"})
    write(name);

  EXPECT_THAT(names(), ElementsAre("checkpoint_1234567890.h5", "checkpoint_000000010.h5",
                                   "checkpoint_000000009.h5"));
  EXPECT_EQ(checkpoints_.path_of(10), run() + "/checkpoints/checkpoint_000000010.h5");
}

TEST_F(CheckpointFolders, KeepTheNewestAndDropThoseAfterAStep) {
  for (const char* name : {"checkpoint_000000001.h5", "checkpoint_000000002.h5",
                           "checkpoint_000000003.h5", "checkpoint_000000004.h5", "mine.h5"})
    write(name);

  checkpoints_.keep(3);
  EXPECT_THAT(names(), ElementsAre("checkpoint_000000004.h5", "checkpoint_000000003.h5",
                                   "checkpoint_000000002.h5"));
  checkpoints_.keep(5);
  EXPECT_EQ(names().size(), 3U);
  checkpoints_.drop_after(3);
  EXPECT_THAT(names(), ElementsAre("checkpoint_000000003.h5", "checkpoint_000000002.h5"));
  EXPECT_TRUE(has("mine.h5"));
}

std::string fault_of(const std::string& path) {
  try {
    find_resume_point(path, Communicator::self(), "--resume ");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(CheckpointFolders, WithoutAGoodOneSayWhy) {
  EXPECT_THAT(fault_of(folder_.path().string()), HasSubstr("has no checkpoints"));
  EXPECT_THAT(fault_of((folder_.path() / "none").string()), HasSubstr("no such file"));
  const std::string one = write("checkpoint_000000001.h5"), two = write("checkpoint_000000002.h5");

  EXPECT_THAT(fault_of(run()), AllOf(HasSubstr("none of its checkpoints is good"), HasSubstr(one),
                                     HasSubstr(two), HasSubstr("is no whole checkpoint")));
  EXPECT_THAT(fault_of(two), AllOf(HasSubstr("--resume " + two), Not(HasSubstr("last good"))));
}

}  // namespace
}  // namespace talus
