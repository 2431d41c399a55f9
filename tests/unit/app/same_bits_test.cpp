// The promise of the hash: the same bits for any number of threads and on every x86-64 level.

#include "support/machine.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;

struct Case {
  std::string method, problem;
};

class SameBits : public ::testing::TestWithParam<Case> {
 protected:
  /// Hash after 200 iterations.
  std::string hash(const std::string& law, int threads, const std::string& level) const {
    const ProgramRun run =
        place_.run({"solve", "--generate", GetParam().problem, "--method", GetParam().method,
                    "--law", law, "--tolerance", "0", "--max-iterations", "200", "--threads",
                    std::to_string(threads), "--report", "r.json", "--quiet"},
                   {{"TALUS_SIMD", level}});
    EXPECT_EQ(run.exit_code, 1) << run.err;
    const json report = json::parse(place_.read("r.json"));
    EXPECT_EQ(report["iterations"], 200);
    EXPECT_EQ(report["threads"], threads);
    EXPECT_EQ(report["versions"]["simd"], level);
    return report["solution_hash"];
  }

  Workplace place_;
};

// At least 1000 contacts: more tiles than one thread takes at a time, so that four really share.
TEST_P(SameBits, ForEveryNumberOfThreadsAndEveryLevel) {
  std::set<std::string> hashes;
  for (const int threads : {1, 2, 3, 4})
    hashes.insert(hash("associated", threads, name_of(best_simd_level())));
  for (const SimdLevel level : support::levels_here())
    hashes.insert(hash("associated", 2, name_of(level)));

  EXPECT_EQ(hashes.size(), 1U);
}

TEST_P(SameBits, UnderCoulombsLawToo) {
  std::set<std::string> hashes;
  for (const SimdLevel level : support::levels_here())
    for (const int threads : {1, 4}) hashes.insert(hash("coulomb", threads, name_of(level)));

  EXPECT_EQ(hashes.size(), 1U);
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& tested) {
  return tested.param.method + "_" + tested.param.problem.substr(0, tested.param.problem.find(','));
}

constexpr const char* packing = "packing,bodies=400";
constexpr const char* wall = "wall,bodies=101";

INSTANTIATE_TEST_SUITE_P(SolveCommand, SameBits,
                         ::testing::Values(Case{"jacobi", packing}, Case{"jacobi", wall},
                                           Case{"pspgfb", packing}, Case{"pspgfb", wall},
                                           Case{"apgd", packing}, Case{"apgd", wall}),
                         name_of_case);

TEST(SameBitsOfPsor, HoldForAnyThreadsOnOneRank) {
  const Workplace place;
  std::set<json> hashes;
  for (const char* threads : {"1", "2", "4"}) {
    place.run({"solve", "--generate", "packing,bodies=100", "--method", "psor", "--max-iterations",
               "50", "--tolerance", "0", "--threads", threads, "--report", "r.json"});
    hashes.insert(json::parse(place.read("r.json"))["solution_hash"]);
  }

  EXPECT_EQ(hashes.size(), 1U);
}

}  // namespace
}  // namespace talus
