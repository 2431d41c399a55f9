// What one rank says, all know: faults, stop flags, piggybacked words.

#include "talus/parallel/agreement.hpp"

#include "talus/parallel/exact_sum.hpp"

#include <gtest/gtest.h>

#include <new>

namespace talus {
namespace {

double any_reduction(const Communicator& world) {
  const std::vector<double> one{1.0};
  return exact_sum(world, one);
}

TEST(Agreement, WhatNoRankFindsWrongIsReturned) {
  const Communicator world = Communicator::world();

  EXPECT_EQ(agreed(world, [&] { return world.rank() + 10; }), world.rank() + 10);
}

TEST(Agreement, AllRanksThrowWhatOneHasFound) {
  const Communicator world = Communicator::world();
  try {
    agree(world, [&] {
      if (world.rank() == world.size() - 1)
        throw InputError(std::vector<std::string>{"first fault", "second fault"});
    });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.messages(), (std::vector<std::string>{"first fault", "second fault"}));
  }
}

TEST(Agreement, OfManyFaultsThatOfTheLowestRankIsThrown) {
  const Communicator world = Communicator::world();
  try {
    agree(world, [&] { throw InputError("seen by rank " + std::to_string(world.rank())); });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "seen by rank 0");
  }
}

TEST(Agreement, OtherFailuresNameTheRank) {
  const Communicator world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "one rank throws what it has found itself";
  const auto message_of = [&](const auto& fail) -> std::string {
    try {
      agree(world, [&] {
        if (world.rank() == 1) fail();
      });
    } catch (const AgreedFailure& failure) {
      return failure.what();
    }
    return "";
  };

  EXPECT_EQ(message_of([] { throw std::runtime_error("the disk is full"); }),
            "rank 1: the disk is full");
  EXPECT_EQ(message_of([] { throw std::bad_alloc(); }).rfind("rank 1: out of memory", 0), 0U);
}

TEST(StopFlags, OfOneRankReachAllWithTheNextReduction) {
  const Communicator world = Communicator::world();
  const bool is_last = world.rank() == world.size() - 1;
  world.clear_stop_flags();

  const std::uint32_t before = world.stop_flags(is_last ? 2U : 0U);
  any_reduction(world);
  const std::uint32_t after = world.stop_flags(world.rank() == 0 ? 1U : 0U);
  any_reduction(world);

  // alone, a stop flag is known at once
  EXPECT_EQ(before, world.size() == 1 ? 2U : 0U);
  EXPECT_EQ(after, world.size() == 1 ? 1U : 2U);
  EXPECT_EQ(world.stop_flags(0), world.size() == 1 ? 0U : 1U);
  world.clear_stop_flags();
  EXPECT_EQ(world.stop_flags(0), 0U);
}

TEST(PiggybackedWords, AreAddedModuloTwoToThe64) {
  const Communicator world = Communicator::world();

  world.board(world.rank() == 0 ? 5U : ~std::uint64_t{0});  // 5, and -1 of every other rank
  any_reduction(world);

  EXPECT_EQ(world.words(), 5U - static_cast<std::uint64_t>(world.size() - 1));
  world.board(0);
  any_reduction(world);
  EXPECT_EQ(world.words(), 0U);
}

}  // namespace
}  // namespace talus
