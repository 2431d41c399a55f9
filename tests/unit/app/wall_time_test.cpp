// --wall-time: a time on the clock, as batch systems write it.

#include "talus/core/error.hpp"

#include "app/run/run_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using app::parse_wall_time;
using app::wall_time_text;
using ::testing::HasSubstr;

double seconds(const std::string& text) {
  return parse_wall_time("--wall-time", text);
}

TEST(WallTime, IsWrittenAsBatchSystemsDo) {
  EXPECT_EQ(seconds("1:30:00"), 5400.0);
  EXPECT_EQ(seconds("24:00:00"), 86400.0);
  EXPECT_EQ(seconds("100:00:01"), 360001.0);
  EXPECT_EQ(seconds("2-00:00:00"), 172800.0);
  EXPECT_EQ(seconds("1-23:59:59"), 172799.0);
  EXPECT_EQ(seconds("00:10"), 10.0);
  EXPECT_EQ(seconds("90:00"), 5400.0);
  EXPECT_EQ(seconds("90"), 90.0);
  EXPECT_EQ(seconds("0.5"), 0.5);
  EXPECT_EQ(seconds("1e3"), 1000.0);
}

TEST(WallTime, IsRefusedByName) {
  for (const char* text :
       {"", "0", "0:00:00", "-5", "-1:00", "1:60", "1:60:00", "1-24:00:00", "1:2", "1:00:00:00",
        "inf", "nan", "1h", "1:00 ", ":30", "1-30", "1e999"}) {
    try {
      ADD_FAILURE() << "'" << text << "' is " << seconds(text) << " s";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("--wall-time = '") + text + "' must be"));
    }
  }
}

TEST(WallTime, IsToldAsItIsRead) {
  for (const double time : {1.0, 59.0, 60.0, 3599.0, 5400.0, 360001.0})
    EXPECT_EQ(seconds(wall_time_text(time)), time);
  EXPECT_EQ(wall_time_text(5400.0), "1:30:00");
}

}  // namespace
}  // namespace talus
