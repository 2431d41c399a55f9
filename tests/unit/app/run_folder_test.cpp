// The folder of a run belongs to one run at a time, and only what a run leaves is removed.

#include "app/run/run_folder.hpp"

#include "talus/core/error.hpp"

#include "support/scene_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

namespace talus::app {
namespace {

using support::SceneFolder;

class RunFolder : public ::testing::Test {
 protected:
  std::string folder() const { return (place_.path() / "out").string(); }
  void write(const std::string& name) const { place_.write("out/" + name, "x"); }
  bool has(const std::string& name) const {
    return std::filesystem::exists(place_.path() / "out" / name);
  }

  SceneFolder place_;
  CommonOptions common;
};

TEST_F(RunFolder, OnlyWhatAKilledRunHasLeftHalfWrittenIsRemovedWhenItGoesOn) {
  const std::vector<std::string> unfinished{
      "report.json.tmp-12", "checkpoints/checkpoint_000000002.h5.tmp-12",
      "paraview/bodies_000000002.vtp.tmp-5", "paraview/run.pvd.tmp-5",
      "snapshots/state_000000007.h5.tmp-12"};
  const std::vector<std::string> others{"log.csv",
                                        "mine.tmp-12",
                                        "checkpoints/checkpoint_000000001.h5",
                                        "checkpoints/checkpoint_000000003.h5.old",
                                        "checkpoints/mine.h5.tmp-12",
                                        "paraview/bodies_000000002.vtp",
                                        "paraview/mine.pvsm"};
  for (const auto* list : {&unfinished, &others})
    for (const std::string& name : *list) write(name);

  remove_unfinished(folder());

  for (const std::string& name : unfinished) EXPECT_FALSE(has(name)) << name;
  for (const std::string& name : others) EXPECT_TRUE(has(name)) << name;

  clear_run_folder(folder());

  EXPECT_FALSE(has("log.csv"));
  EXPECT_FALSE(has("checkpoints/checkpoint_000000001.h5"));
  EXPECT_FALSE(has("snapshots")) << "an empty folder of its own";
  EXPECT_TRUE(has("checkpoints/checkpoint_000000003.h5.old"));
  EXPECT_TRUE(has("paraview/mine.pvsm"));
  EXPECT_TRUE(has("mine.tmp-12"));
}

TEST_F(RunFolder, BelongsToOneRunUntilThisEnds) {
  make_run_folder(folder());
  std::optional<FolderLock> first;
  first.emplace(folder(), common);
  EXPECT_TRUE(has(lock_name));
  EXPECT_NO_THROW(require_run_folder(folder(), false)) << "the lock is nothing that could be lost";
  try {
    const FolderLock second(folder(), common);
    ADD_FAILURE() << "two at once";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("another run is writing into it"));
  }
  first.reset();
  EXPECT_FALSE(has(lock_name));
  const FolderLock third(folder(), common);
  EXPECT_TRUE(has(lock_name));
}

TEST_F(RunFolder, IsFreeAsSoonAsTheRunBeforeIsGone) {
  make_run_folder(folder());
  auto first = std::make_unique<FolderLock>(folder(), common);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    first.reset();
  });
  EXPECT_NO_THROW(FolderLock(folder(), common));
  ends.join();
}

TEST_F(RunFolder, OfAKilledRunKeepsNobodyOut) {
  write(lock_name);
  { const FolderLock lock(folder(), common); }
  EXPECT_FALSE(has(lock_name));
}

TEST_F(RunFolder, ThatCannotBeMadeIsToldWithTheReason) {
  place_.write("out", "a file");
  try {
    make_run_folder(folder());
    ADD_FAILURE() << "a file became a folder";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("out: cannot be made: "));
  }
}

}  // namespace
}  // namespace talus::app
