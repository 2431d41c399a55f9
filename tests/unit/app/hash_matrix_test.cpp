// The promise of the hash through the whole program: the same bits for any number of ranks and
// threads, on a problem that is large enough for threads to share and messages to be polled.

#include "support/on_many_ranks.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;

/// Of apgd and pspgfb after 200 iterations on a packing of 2890 contacts.
std::vector<std::string> hashes(const Workplace& place, int ranks, int threads) {
  SCOPED_TRACE(testing::Message() << ranks << " ranks of " << threads << " threads");
  const ProgramRun run = run_on_ranks(
      place, ranks,
      fmt::format("compare --generate packing,bodies=900 --methods apgd,pspgfb --law associated "
                  "--tolerances 1e-30 --max-iterations 200 --threads {} --output c.json",
                  threads));
  EXPECT_EQ(run.exit_code, 1) << run.err;
  const json compared = json::parse(place.read("c.json"));
  EXPECT_EQ(compared["threads"], threads);
  EXPECT_GE(compared["problems"][0]["contacts"], 2500);
  std::vector<std::string> found;
  for (const json& method : compared["problems"][0]["runs"]) {
    EXPECT_EQ(method["iterations"], 200);
    found.push_back(method["solution_hash"]);
  }
  return found;
}

void expect_same_hashes(const std::vector<int>& all_ranks, int repeats) {
  const Workplace place;
  const std::vector<std::string> first = hashes(place, 1, 1);
  EXPECT_EQ(first.size(), 2U);
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (const int ranks : all_ranks)
      for (const int threads : {1, 2}) {
        if (repeat == 0 && ranks * threads == 1) continue;  // that was the first
        EXPECT_EQ(hashes(place, ranks, threads), first)
            << ranks << " ranks of " << threads << " threads";
      }
}

TEST(HashMatrix, IsOfOneHashPerMethod) {
  expect_same_hashes({1, 2, 3}, 1);
}

TEST(NightlyHashMatrix, IsOfOneHashPerMethodInTwentyRuns) {
  expect_same_hashes({1, 2, 3, 4, 8}, 20);
}

}  // namespace
}  // namespace talus
