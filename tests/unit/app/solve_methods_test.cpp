// The choice of methods as a user of talus solve meets it.

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(SolveMethods, EveryOptionOfAKrylovMethodReachesIt) {
  const Workplace place;
  for (const std::string method : {"cg", "minres"}) {
    // to the last digit, so that it restarts
    const std::vector<std::string> base{
        "solve", "--generate",       "net,bodies=16", "--method", method,  "--tolerance",
        "0",     "--max-iterations", "1000",          "--report", "r.json"};
    const auto result = [&](const std::vector<std::string>& more) {
      EXPECT_EQ(place.run(with(base, more)).exit_code, 1);
      const json report = json::parse(place.read("r.json"));
      return std::make_pair(report["solution_hash"], report["operator_products"]);
    };
    const auto usual = result({});

    EXPECT_NE(result({"--" + method + ".refresh_every", "5"}), usual) << method;
    EXPECT_NE(result({"--" + method + ".restart_after", "100"}), usual) << method;
  }
}

TEST(SolveMethods, KrylovMethodsSolveJointsAndRefuseContacts) {
  const Workplace place;

  const ProgramRun joints = place.run({"solve", "--generate", "net,bodies=25", "--method", "cg"});
  const ProgramRun contacts = place.run(
      {"solve", "--generate", "stack,bodies=4", "--method", "minres", "--report", "r.json"});

  EXPECT_EQ(joints.exit_code, 0) << joints.err;
  EXPECT_THAT(joints.out,
              AllOf(HasSubstr("converged"), HasSubstr("law, method none (no contacts), cg")));
  EXPECT_EQ(contacts.exit_code, 2);
  EXPECT_THAT(contacts.err, AllOf(HasSubstr("minres solves problems"),
                                  HasSubstr("contacts push and never pull")));
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(SolveMethods, WorkIsOfAllAndSweepsAreCountedAsProducts) {
  const Workplace place;

  const ProgramRun run =
      place.run({"solve", "--generate", "packing,bodies=30", "--methods", "psor,apgd",
                 "--max-iterations", "20", "--tolerance", "1e-12", "--report", "r.json"});

  EXPECT_EQ(run.exit_code, 1) << run.err;
  const auto report = nlohmann::json::parse(place.read("r.json"));
  const auto& candidates = report["candidates"];
  EXPECT_EQ(report["work"], report["operator_products"].get<int>() + 20);
  EXPECT_EQ(report["work"], candidates[0]["work"].get<int>() + candidates[1]["work"].get<int>());
  EXPECT_THAT(run.out, AllOf(HasSubstr("work        of all methods: 40 iterations, " +
                                       report["work"].dump() + " products (20 sweeps counted in)"),
                             HasSubstr("; taken\n")));
}

TEST(SolveMethods, WithoutContactsThereIsNoLaw) {
  const Workplace place;

  const ProgramRun run = place.run(
      {"solve", "--generate", "chain,bodies=4", "--report", "r.json", "--output", "s.h5"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("law, method none (no contacts), auto: minres"),
                             HasSubstr("errors, verified"), HasSubstr("Siconos            - ")));
  EXPECT_TRUE(nlohmann::json::parse(place.read("r.json"))["errors"]["siconos"].is_null());
}

}  // namespace
}  // namespace talus
