// What is said of where a rank was when it failed.

#include "talus/parallel/communicator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace talus {
namespace {

std::string written_place(const char* before, const char* after) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  Phase::write_place(ends[1], before, after);
  ::close(ends[1]);
  std::array<char, 1024> text{};
  const ssize_t length = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

class PlaceOfFailure : public testing::Test {
 protected:
  PlaceOfFailure() { Phase::set_step(0); }  // tests before may have left theirs
  void TearDown() override { Phase::set_step(0); }
};

TEST_F(PlaceOfFailure, NamesTheStepAndTheInnermostPhaseThatAnExceptionHasLeft) {
  Phase::set_step(12);
  try {
    const Phase outer("integrating");
    const Phase inner("fetching ghosts");
    throw std::runtime_error("lost");
  } catch (const std::exception&) {
    EXPECT_EQ(Phase::place_of_failure(), ", step 12, while fetching ghosts");
  }
}

TEST_F(PlaceOfFailure, LeavesOutWhatIsNotKnown) {
  const Phase solving("solving");
  EXPECT_EQ(Phase::place_of_failure(), ", while solving");
  EXPECT_EQ(written_place("rank 1", ": told to end\n"), "rank 1, while solving: told to end\n");
}

TEST_F(PlaceOfFailure, IsWrittenFromWithinAHandlerInTheSameWords) {
  Phase::set_step(9007199254740993);
  const Phase outer("detecting contacts");
  EXPECT_EQ(written_place("rank 0", "\n"),
            "rank 0, step 9007199254740993, while detecting contacts\n");
}

TEST_F(PlaceOfFailure, OfNamesTooLongForALineTheBeginningIsWritten) {
  const std::string name(2000, 'x');
  const Phase phase(name.c_str());
  EXPECT_EQ(written_place("rank 0", "\n"), "rank 0, while " + std::string(1010, 'x'));
}

}  // namespace
}  // namespace talus
