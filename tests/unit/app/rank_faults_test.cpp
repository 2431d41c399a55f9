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
  using Clock = std::chrono::steady_clock;
  // How long it takes here and now until ranks run and are gone again, and with nothing to do.
  const auto before = Clock::now();
  EXPECT_EQ(run_on_ranks(place, 3, "solve --generate stack,bodies=2 --quiet").exit_code, 0);
  const auto start_up = Clock::now() - before;
  const auto begin = Clock::now();

  const ProgramRun run =
      run_on_ranks(place, 3, std::string(long_solve) + " --output s.h5", with_fault(fault));

  EXPECT_NE(run.exit_code, 0);
  EXPECT_LT(Clock::now() - begin - start_up, std::chrono::seconds(10)) << "it hung";
  EXPECT_THAT(run.err, HasSubstr(told));
  EXPECT_TRUE(place.files().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RankFault,
    // of the killed rank mpirun speaks, which knows of no phase
    testing::Values(std::pair{"kill:1:60", "process rank 1 "},
                    std::pair{"kill:0:60", "process rank 0 "},
                    std::pair{"memory:2:60", "talus: rank 2, while solving: out of memory"},
                    std::pair{"error:0:60", "talus: rank 0, while solving: MPI_Allreduce failed"},
                    std::pair{"truncate:1:1",
                              "talus: rank 0, while solving: rank 1 sent 25 numbers "
                              "where 24 were expected"}));

/// The run in an environment where messages go otherwise, which has one rank's answer.
ProgramRun expect_same_answer(const std::string& environment) {
  const Workplace place;
  const std::string words = "solve --generate wall,bodies=20 --max-iterations 60 --tolerance 0";
  const ProgramRun alone = run_on_ranks(place, 1, words);

  const ProgramRun run = run_on_ranks(place, 3, words, environment);

  const auto hash = [](const std::string& out) { return out.substr(out.find("hash ")); };
  EXPECT_EQ(run.exit_code, alone.exit_code) << run.err;
  EXPECT_THAT(alone.out, HasSubstr("hash "));
  EXPECT_EQ(hash(run.out), hash(alone.out));
  return run;
}

TEST(RankFaults, DelaysChangeNoBit) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  expect_same_answer(with_fault("delay"));
}

TEST(RankFaults, MessagesOutOfOrderChangeNoBit) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  EXPECT_THAT(expect_same_answer(with_fault("reorder")).err, HasSubstr("exchanges out of order"));
}

/// 64 bytes, of which MPI's header takes more than a message of one body leaves, is the least that
/// Open MPI's ob1 takes: every message waits until its receiver asks for it.
TEST(RankFaults, MessagesThatAreNeverEagerChangeNoBit) {
  expect_same_answer(
      "OMPI_MCA_pml=ob1 OMPI_MCA_btl=vader,self OMPI_MCA_btl_vader_eager_limit=64 "
      "OMPI_MCA_btl_vader_rndv_eager_limit=64");
}

}  // namespace
}  // namespace talus
