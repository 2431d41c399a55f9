// A rank that fails alone: all end within seconds, and somebody says which rank it was and what it
// did. Delays change nothing.

#include "support/on_many_ranks.hpp"
#include "support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace talus {
namespace {

using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;

const char* const long_solve =
    "solve --generate wall,bodies=40 --tolerance 0 --max-iterations 2000000 --time-limit 100";

std::string with_fault(const std::string& fault) {
  return "LD_PRELOAD=" + support::fault_library() + " TALUS_FAULT=" + fault;
}

class RankFault : public testing::TestWithParam<std::pair<const char*, const char*>> {};

/// The sanitizers must be loaded before everything else.
bool preloading_works() {
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  return true;
#endif
}

TEST_P(RankFault, EndsAllRanksAndIsNamed) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  const auto& [fault, told] = GetParam();
  const Workplace place;
  const auto begin = std::chrono::steady_clock::now();

  const ProgramRun run =
      run_on_ranks(place, 3, std::string(long_solve) + " --output s.h5", with_fault(fault));

  EXPECT_NE(run.exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << "it hung";
  EXPECT_THAT(run.err, HasSubstr(told));
  EXPECT_TRUE(place.files().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RankFault,
    testing::Values(std::pair{"kill:1:60", "rank 1"},
                    std::pair{"memory:2:60", "talus: rank 2, while solving: out of memory"},
                    std::pair{"error:0:60", "talus: rank 0, while solving: MPI_Allreduce failed"},
                    std::pair{"truncate:1:1",
                              "talus: rank 0, while setting up the rows: rank 1 sent 25 numbers "
                              "where 24 were expected"}));

TEST(RankFaults, DelaysChangeNoBit) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  const Workplace place;
  const std::string words = "solve --generate wall,bodies=20 --max-iterations 60 --tolerance 1e-3";
  const ProgramRun alone = run_on_ranks(place, 1, words);

  const ProgramRun delayed = run_on_ranks(place, 3, words, with_fault("delay"));

  const auto hash = [](const std::string& out) { return out.substr(out.find("hash ")); };
  EXPECT_EQ(delayed.exit_code, alone.exit_code) << delayed.err;
  EXPECT_EQ(hash(delayed.out), hash(alone.out));
}

}  // namespace
}  // namespace talus
