// The mode of the processor: set, and given back to whoever had another one.

#include "core/arithmetic.hpp"

#include "support/other_arithmetic.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <xmmintrin.h>

namespace talus {
namespace {

using support::flushes;
using support::OtherArithmetic;

// Not folded by the compiler: computed in the mode of this moment.
double third() {
  const volatile double one = 1.0, three = 3.0;
  return one / three;
}
double half_of_smallest_normal() {
  const volatile double smallest = 0x1p-1022, half = 0.5;
  return smallest * half;
}
double twice_a_subnormal() {
  const volatile double subnormal = 0x1p-1023, two = 2.0;
  return subnormal * two;
}
long double long_third() {
  const volatile long double one = 1.0L, three = 3.0L;
  return one / three;
}

TEST(StandardArithmetic, RoundsToNearestAndKeepsSubnormalNumbers) {
  const OtherArithmetic of_the_caller;
  EXPECT_EQ(third(), 0x1.5555555555556p-2) << "upward";
  EXPECT_EQ(half_of_smallest_normal(), 0.0) << "FTZ";
  EXPECT_EQ(twice_a_subnormal(), 0.0) << "DAZ";

  const StandardArithmetic standard;

  EXPECT_EQ(third(), 0x1.5555555555555p-2);
  EXPECT_EQ(half_of_smallest_normal(), 0x1p-1023);
  EXPECT_EQ(twice_a_subnormal(), 0x1p-1022);
  EXPECT_EQ(long_third(), 0xa.aaaaaaaaaaaaaabp-5L);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(StandardArithmetic, GivesTheCallersModeBack) {
  const OtherArithmetic of_the_caller;
  const unsigned vector_mode = _mm_getcsr();
  const long double in_that_mode = long_third();
  {
    const StandardArithmetic standard;
    { const StandardArithmetic within; }
    EXPECT_FALSE(flushes()) << "the one within has given back what the outer one had set";
  }
  EXPECT_EQ(_mm_getcsr() & ~0x3FU, vector_mode & ~0x3FU);  // but for flags that were raised
  EXPECT_EQ(long_third(), in_that_mode);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

TEST(StandardArithmetic, LeavesAloneWhatTrapsAndWhatWasRaised) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const unsigned before = _mm_getcsr();
  constexpr unsigned traps_on_overflow = 0x0400;  // the bit masks it
  _mm_setcsr(before & ~traps_on_overflow);
  {
    const StandardArithmetic standard;
    EXPECT_EQ(_mm_getcsr() & traps_on_overflow, 0U);
    std::feraiseexcept(FE_INEXACT);
  }
  EXPECT_EQ(_mm_getcsr() & traps_on_overflow, 0U);
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  _mm_setcsr(before);
}

// Both forms in which our parallel regions stand.
TEST(StandardArithmetic, IsThatOfEachThreadOfATeamWhileItWorks) {
  const support::SpoiltThreads spoilt(3);
  ASSERT_EQ(spoilt.still_spoilt(), 2);
  const StandardArithmetic arithmetic;
  int in_region = 0, in_loop = 0;
#pragma omp parallel num_threads(3) default(none) firstprivate(arithmetic) reduction(+ : in_region)
  in_region += flushes() ? 1 : 0;
#pragma omp parallel for num_threads(3) schedule(static) default(none) firstprivate(arithmetic) \
    reduction(+ : in_loop)
  for (int k = 0; k < 30; ++k) in_loop += flushes() ? 1 : 0;

  EXPECT_EQ(in_region, 0);
  EXPECT_EQ(in_loop, 0);
  EXPECT_EQ(spoilt.still_spoilt(), 2) << "threads of the caller's teams have their own mode again";
}

}  // namespace
}  // namespace talus
