// Small files that must never be half written, and goals that are checked before long work.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/report_file.hpp"
#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

namespace talus {
namespace {

using test::Folder;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(WriteText, ReplacesAFileAsAWhole) {
  const Folder folder;
  const std::string path = folder.file("r.json");
  write_text(path, "a long first version");

  write_text(path, "short");

  EXPECT_EQ(contents(path), "short");
  EXPECT_EQ(folder.entries(), 1U) << "nothing is left beside it";
}

TEST(WriteText, ADiskThatFillsUpLeavesTheOldFile) {
  const Folder folder;
  const std::string path = folder.file("r.json");
  write_text(path, "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);

  const std::string said =
      message_of<std::runtime_error>([&] { write_text(path, std::string(100'000, 'x')); });

  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(said, AllOf(HasSubstr(path), HasSubstr("File too large"), HasSubstr("untouched")));
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(WriteText, AFolderThatDoesNotExistIsAMessage) {
  const Folder folder;
  EXPECT_THAT(message_of<std::runtime_error>([&] { write_text(folder.file("no/r.json"), "x"); }),
              HasSubstr("No such file"));
}

TEST(WriteText, AFolderInTheWayIsAMessageAndNothingIsLeft) {
  const Folder folder;
  std::filesystem::create_directories(folder.file("taken/inside"));

  EXPECT_THAT(message_of<InputError>([&] { write_text(folder.file("taken"), "x"); }),
              HasSubstr("will not be replaced"));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(RequireWritable, AcceptsANewAndAnOldFileAndABareName) {
  const Folder folder;
  write_text(folder.file("old"), "x");

  EXPECT_NO_THROW(require_writable(folder.file("new"), "--report"));
  EXPECT_NO_THROW(require_writable(folder.file("old"), "--report"));
  EXPECT_NO_THROW(require_writable("bare-name", "--report"));
  EXPECT_EQ(folder.entries(), 1U) << "asking makes nothing";
}

TEST(RequireWritable, NamesOptionAndFolder) {
  const Folder folder;
  EXPECT_THAT(
      message_of<InputError>([&] { require_writable(folder.file("no/r.json"), "--report"); }),
      AllOf(HasSubstr("--report"), HasSubstr(folder.file("no")), HasSubstr("does not exist")));
  EXPECT_THAT(message_of<InputError>([&] { require_writable(folder.file("."), "--history"); }),
              AllOf(HasSubstr("--history"), HasSubstr("is a folder")));
}

TEST(RequireWritable, AFolderWithoutPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Folder folder;
  std::filesystem::permissions(
      folder.file("."), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);

  EXPECT_THAT(message_of<InputError>([&] { require_writable(folder.file("x"), "--output"); }),
              HasSubstr("not writable"));

  std::filesystem::permissions(folder.file("."), std::filesystem::perms::owner_all);
}

TEST(RequireSolutionGoal, ANewNameOrAnHdf5FileWillDo) {
  const Folder folder;
  write_solution(folder.file("s.h5"), {{1.0}, {2.0}, {}, {}});

  EXPECT_NO_THROW(require_solution_goal(folder.file("new.h5"), "--output"));
  EXPECT_NO_THROW(require_solution_goal(folder.file("s.h5"), "--output"));
}

TEST(RequireSolutionGoal, AnythingElseIsSomebodysFile) {
  const Folder folder;
  write_text(folder.file("notes.txt"), "mine");

  EXPECT_THAT(
      message_of<InputError>([&] { require_solution_goal(folder.file("notes.txt"), "--output"); }),
      AllOf(HasSubstr("--output"), HasSubstr("notes.txt"), HasSubstr("another name")));
  EXPECT_THAT(
      message_of<InputError>([&] { require_solution_goal(folder.file("no/s.h5"), "--output"); }),
      HasSubstr("does not exist"));
  EXPECT_EQ(contents(folder.file("notes.txt")), "mine");
}

}  // namespace
}  // namespace talus
