#include "core/regular_file.hpp"

#include "talus/core/error.hpp"

#include "unit/io/file_surgery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace talus {
namespace {

using test::Folder;
using ::testing::HasSubstr;

TEST(RegularFile, WhatIsNoneIsToldWithoutWaiting) {
  const Folder folder;
  const std::string pipe = folder.file("pipe"), loop = folder.file("loop");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(::symlink(loop.c_str(), loop.c_str()), 0);
  EXPECT_EQ(why_unreadable(pipe), "is not an ordinary file, but a pipe");
  EXPECT_EQ(why_unreadable("/dev/zero"), "is not an ordinary file, but a device");
  EXPECT_EQ(why_unreadable(folder.file("")), "is a folder; name a file in it");
  EXPECT_THAT(why_unreadable(loop), HasSubstr("symbolic links"));
  EXPECT_THAT(why_unreadable(std::string(5000, 'a')), HasSubstr("name too long"));
  EXPECT_THAT(why_unreadable(folder.file("none")), HasSubstr("no such file"));
  EXPECT_LT(open_regular(pipe), 0);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_LT(open_to_append(pipe, false), 0);
  EXPECT_THROW(require_readable(pipe, "give a file"), InputError);
  EXPECT_THROW(require_regular_or_none(pipe), InputError);
  EXPECT_NO_THROW(require_regular_or_none(folder.file("none")));
}

TEST(RegularFile, APipeThatIsHandedOverIsReadOnceAndKept) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], "talus: 1\n", 9), 9);
    ::close(ends[1]);
  });
  std::string reason;
  EXPECT_EQ(text_of_source(name, reason), "talus: 1\n");
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(text_of_source(name, reason), "talus: 1\n") << "a pipe gives its text once";
}

TEST(RegularFile, ATextWithoutAnEndIsRefused) {
  const Folder folder;
  const std::string path = folder.file("long.yaml");
  std::ofstream(path) << "talus: 1\n";
  ASSERT_EQ(::truncate(path.c_str(), (off_t{64} << 20) + 1), 0);
  std::string reason;
  EXPECT_FALSE(text_of_source(path, reason).has_value());
  EXPECT_THAT(reason, HasSubstr("is longer than 64 MiB"));
}

TEST(RegularFile, CopiesAreWholeAndMayBeWrittenTo) {
  const Folder folder;
  const std::string from = folder.file("from"), to = folder.file("to");
  std::ofstream(from) << std::string(3 << 20, 'x');
  ASSERT_EQ(::chmod(from.c_str(), 0444), 0);
  EXPECT_EQ(copy_regular(from, to), 0);
  struct stat facts {};
  ASSERT_EQ(::stat(to.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_size, 3 << 20);
  EXPECT_NE(facts.st_mode & S_IWUSR, 0U);
  EXPECT_EQ(copy_regular(folder.file("none"), to), ENOENT);
  EXPECT_EQ(copy_regular(from, "/dev/full"), ENOSPC);
}

}  // namespace
}  // namespace talus
