// Where an output really goes: never in the place of a pipe, a device or a link.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/report_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace talus {
namespace {

namespace fs = std::filesystem;

class Goal : public testing::Test {
 public:
  ~Goal() override { fs::remove_all(folder_); }

 protected:
  Goal() : folder_(fs::temp_directory_path() / ("talus_goal_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  std::string at(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(Goal, APipeIsRefusedAndStaysAPipe) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);

  EXPECT_THROW(require_writable(at("pipe"), "--report"), InputError);
  EXPECT_THROW(write_text(at("pipe"), "text"), InputError);
  EXPECT_THROW(write_native(at("pipe"), BodyProblem{}), InputError);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(Goal, ALinkKeepsPointingToTheFileThatIsWritten) {
  write_text(at("target"), "old");
  fs::create_symlink(at("target"), at("link"));

  write_text(at("link"), "new");

  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content(at("target")), "new");
}

TEST_F(Goal, NamesThatCannotBeMadeAreFoundOutBefore) {
  EXPECT_THROW(require_writable("", "--report"), InputError);
  EXPECT_THROW(require_writable(at(std::string(252, 'x').c_str()), "--report"), InputError);
  require_writable(at("good"), "--report");
  EXPECT_FALSE(fs::exists(at("good")));  // trying leaves nothing
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace talus
