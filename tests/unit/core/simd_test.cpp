#include "core/simd.hpp"

#include "talus/core/error.hpp"

#include "support/machine.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace talus {
namespace {

TEST(SimdLevel, HasTheNamesThatTheEnvironmentUses) {
  EXPECT_EQ(name_of(SimdLevel::Baseline), "baseline");
  EXPECT_EQ(name_of(SimdLevel::V3), "v3");
  EXPECT_EQ(name_of(SimdLevel::V4), "v4");
}

TEST(SimdLevel, IsWhatItIsForcedTo) {
  for (const SimdLevel level : support::levels_here()) {
    const support::ForcedLevel forced(level);
    EXPECT_EQ(simd_level(), level);
  }
}

TEST(SimdLevel, BeyondTheCpuIsRefused) {
  if (best_simd_level() == SimdLevel::V4) GTEST_SKIP() << "this CPU has every level";

  EXPECT_THROW(force_simd_level(SimdLevel::V4), InputError);
}

/// What a new process makes of TALUS_SIMD; the level is chosen once in each.
[[noreturn]] void start_with(const char* wanted) {
  if (wanted == nullptr)
    unsetenv("TALUS_SIMD");
  else
    setenv("TALUS_SIMD", wanted, 1);
  try {
    std::fprintf(stderr, "level %s", name_of(simd_level()).c_str());
  } catch (const InputError& error) {
    std::fprintf(stderr, "refused: %s", error.what());
  }
  std::exit(0);
}

class SimdEnvironmentDeathTest : public testing::Test {
 protected:
  // a new process from the start, not a copy of this one, which has chosen already
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SimdEnvironmentDeathTest, ChoosesTheLevelNamed) {
  EXPECT_EXIT(start_with("baseline"), testing::ExitedWithCode(0), "level baseline");
  if (best_simd_level() >= SimdLevel::V3) {
    EXPECT_EXIT(start_with("v3"), testing::ExitedWithCode(0), "level v3");
  }
}

TEST_F(SimdEnvironmentDeathTest, IsTheBestOfTheCpuWhenNothingIsNamed) {
  const std::string best = "level " + name_of(best_simd_level());

  EXPECT_EXIT(start_with(nullptr), testing::ExitedWithCode(0), best);
  EXPECT_EXIT(start_with(""), testing::ExitedWithCode(0), best);
}

TEST_F(SimdEnvironmentDeathTest, RefusesUnknownNames) {
  EXPECT_EXIT(start_with("avx2"), testing::ExitedWithCode(0),
              "refused: TALUS_SIMD = avx2 is not one of baseline, v3, v4");
}

}  // namespace
}  // namespace talus
