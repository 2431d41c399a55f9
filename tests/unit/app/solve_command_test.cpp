// talus solve as a user meets it: laws, methods, files it writes, starts, limits.

#include "talus/io/problem_file.hpp"
#include "talus/metrics/measures.hpp"

#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* small_stack = "stack,bodies=4";

std::vector<std::string> joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Solves the small stack (16 contacts) and returns the report.
json solved(const Workplace& place, const std::vector<std::string>& options, int exit_code = 0) {
  const ProgramRun run =
      place.run(joined({"solve", "--generate", small_stack, "--report", "solved.json"}, options));
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  return json::parse(place.read("solved.json"));
}

struct Pairing {
  std::string method, law;
};

class EveryPairing : public ::testing::TestWithParam<Pairing> {};

TEST_P(EveryPairing, IsSolvedAndSaysSo) {
  const Workplace place;
  ASSERT_EQ(place.run({"generate", "stack", "--bodies", "4", "--output", "p.h5"}).exit_code, 0);

  const ProgramRun run = place.run({"solve", "p.h5", "--method", GetParam().method, "--law",
                                    GetParam().law, "--tolerance", "1e-5", "--report", "r.json"});

  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json report = json::parse(place.read("r.json"));
  EXPECT_EQ(report["status"], "converged");
  EXPECT_EQ(report["method"], GetParam().method);
  EXPECT_EQ(report["law"], GetParam().law);
  EXPECT_LE(report["errors"]["natural_relative"], 1e-5);
  EXPECT_EQ(report["reproducible"], GetParam().method == "psor" ? "same_ranks" : "any_ranks");
  EXPECT_THAT(run.out, AllOf(HasSubstr("converged"), HasSubstr(GetParam().method),
                             HasSubstr(GetParam().law), Not(HasSubstr("ABOVE"))));
}

INSTANTIATE_TEST_SUITE_P(
    SolveCommand, EveryPairing,
    ::testing::Values(Pairing{"jacobi", "associated"}, Pairing{"jacobi", "coulomb"},
                      Pairing{"psor", "associated"}, Pairing{"psor", "coulomb"},
                      Pairing{"psor", "box"}, Pairing{"pspgfb", "associated"},
                      Pairing{"pspgfb", "coulomb"}, Pairing{"apgd", "associated"},
                      Pairing{"apgd", "coulomb"}),
    [](const auto& tested) { return tested.param.method + "_" + tested.param.law; });

// Signorini and Coulomb, written out for the solution file itself: rows (n, t1, t2).
TEST(SolveCommand, TheSolutionFileObeysCoulombsLaw) {
  const Workplace place;
  ASSERT_EQ(
      place.run({"generate", "stack", "--bodies", "4", "--friction", "0.5", "--output", "p.h5"})
          .exit_code,
      0);
  ASSERT_EQ(place.run({"solve", "p.h5", "--tolerance", "1e-10", "--output", "s.h5"}).exit_code, 0);

  const Solution s = read_solution(place.path("s.h5").string());

  ASSERT_EQ(s.r.size(), 48U);
  ASSERT_EQ(s.u.size(), 48U);
  EXPECT_EQ(s.v.size(), 24U);
  // The plates move at 0.01 m/s and weigh 981 N, times h = 5 ms: 4.9 N s on each of 16 contacts.
  // 1e-10 of that, with three digits left for the condition of a stack of four.
  const double fast = 1e-9, large = 1e-5;
  for (std::size_t i = 0; i < s.r.size(); i += 3) {
    const double pressed = s.r[i], shear = std::hypot(s.r[i + 1], s.r[i + 2]);
    const double slip = std::hypot(s.u[i + 1], s.u[i + 2]);
    EXPECT_GE(pressed, -large);
    EXPECT_GE(s.u[i], -fast);
    EXPECT_LE(std::min(pressed / large, s.u[i] / fast), 1.0);  // one of them is zero
    EXPECT_LE(shear, 0.5 * pressed + large);
    if (slip > 100.0 * fast) {
      EXPECT_NEAR(shear, 0.5 * pressed, large);
    }
  }
}

TEST(SolveCommand, TheReportHasEveryPromisedKeyAndIsJson) {
  const Workplace place;

  const json report = solved(place, {});

  for (const char* key :
       {"status",     "law",       "method",        "iterations",       "operator_products",
        "reductions", "exchanges", "errors",        "objective",        "seconds",
        "ranks",      "threads",   "solution_hash", "reproducible",     "versions",
        "measure",    "tolerance", "error",         "within_tolerance", "options",
        "remarks"})
    EXPECT_TRUE(report.contains(key)) << key;
  for (const char* key : {"natural", "natural_relative", "energy", "fischer_burmeister", "siconos",
                          "siconos_invariant", "bilateral"})
    EXPECT_TRUE(report["errors"][key].is_number()) << key;
  EXPECT_EQ(report["contacts"], 16);
  EXPECT_EQ(report["bodies"], 4);
  EXPECT_EQ(report["ranks"], 1);
  EXPECT_EQ(report["method"], "auto");
  ASSERT_EQ(report["stages"].size(), 1U);
  EXPECT_EQ(report["stages"][0]["method"], "apgd");
  EXPECT_EQ(report["law"], "coulomb");
  EXPECT_EQ(report["tolerance"], 1e-6);
  EXPECT_EQ(report["options"]["apgd.shrink"], 0.98);
  EXPECT_EQ(report["options"]["apgd.restart"], true);
  EXPECT_FALSE(report["options"].contains("psor.relaxation"));
  EXPECT_TRUE(report["versions"]["talus"].is_string());
}

TEST(SolveCommand, StdoutHasTheResultsAndStderrNothing) {
  const Workplace place;

  const ProgramRun run = place.run({"solve", "--generate", small_stack});

  EXPECT_THAT(run.out, StartsWith("problem     stack,bodies=4 (generated): 4 bodies, 16 contacts"));
  EXPECT_THAT(run.out, AllOf(HasSubstr("status      converged"), HasSubstr("hash "),
                             HasSubstr("sqrt(J)"), HasSubstr("e1"), HasSubstr("Fischer")));
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(place.files(), IsEmpty());
}

TEST(SolveCommand, AGeneratedProblemAndItsFileGiveTheSameBits) {
  const Workplace place;
  place.run({"generate", "stack", "--bodies", "4", "--output", "p.h5"});

  const json made = solved(place, {});
  const ProgramRun run = place.run({"solve", "p.h5", "--report", "file.json"});

  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(place.read("file.json"))["solution_hash"], made["solution_hash"]);
}

TEST(SolveCommand, HistoryHasALinePerIterationAndDoesNotChangeTheAnswer) {
  const Workplace place;
  const std::vector<std::string> associated{"--law", "associated", "--tolerance", "1e-4"};

  const json plain = solved(place, associated);
  const json watched = solved(place, joined(associated, {"--history", "h.csv"}));

  std::istringstream lines(place.read("h.csv"));
  std::string header, line, last;
  std::getline(lines, header);
  const auto columns = std::count(header.begin(), header.end(), ',');
  std::int64_t count = 0;
  for (; std::getline(lines, line); last = line, ++count)
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns);
  EXPECT_THAT(header, StartsWith("iteration,products,seconds,error,natural,"));
  EXPECT_EQ(count, watched["iterations"].get<std::int64_t>() + 1);  // the start is the first line
  EXPECT_THAT(last, StartsWith(std::to_string(count - 1) + ","));
  EXPECT_EQ(plain["solution_hash"], watched["solution_hash"]);
  EXPECT_EQ(plain["operator_products"], watched["operator_products"]);
}

TEST(SolveCommand, AboveToleranceTheBestIsWrittenAndTheExitCodeIsOne) {
  const Workplace place;

  const ProgramRun run = place.run({"solve", "--generate", "wall,bodies=10", "--max-iterations",
                                    "5", "--output", "s.h5", "--report", "r.json"});

  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("iteration limit"), HasSubstr("ABOVE TOLERANCE")));
  const json report = json::parse(place.read("r.json"));
  EXPECT_EQ(report["within_tolerance"], false);
  EXPECT_LT(report["error"], 1.0);  // of the start from zero
  EXPECT_FALSE(read_solution(place.path("s.h5").string()).r.empty());
}

TEST(SolveCommand, ATimeLimitEndsTheSolveAndIsNotReproducible) {
  const Workplace place;

  // apgd: auto would find on a fast machine that nothing is left to gain
  const json report =
      solved(place,
             {"--method", "apgd", "--tolerance", "0", "--stall-iterations", "1000000000",
              "--max-iterations", "1000000000", "--time-limit", "0.05"},
             1);

  EXPECT_EQ(report["status"], "time limit");
  EXPECT_EQ(report["reproducible"], "no");
  EXPECT_EQ(report["options"]["time_limit"], 0.05);
}

TEST(SolveCommand, ATimeLimitThatIsNotReachedChangesNothing) {
  const Workplace place;

  const json without = solved(place, {});
  const json with = solved(place, {"--time-limit", "3600"});

  EXPECT_EQ(with["solution_hash"], without["solution_hash"]);
  EXPECT_EQ(with["reproducible"], "any_ranks");
}

TEST(SolveCommand, AnOptionCanBeGivenInEveryWay) {
  const Workplace place;

  const json dotted = solved(place, {"--apgd.shrink", "0.9", "--tolerance", "1e-3"});
  const json set = solved(place, {"-s", "solver.apgd.shrink=0.9", "-s", "solver.tolerance=1e-3"});
  const json usual = solved(place, {"--tolerance", "1e-3"});

  EXPECT_EQ(dotted["options"]["apgd.shrink"], 0.9);
  EXPECT_EQ(set["options"], dotted["options"]);
  EXPECT_EQ(set["tolerance"], 1e-3);
  EXPECT_EQ(set["solution_hash"], dotted["solution_hash"]);
  EXPECT_NE(set["solution_hash"], usual["solution_hash"]);
}

TEST(SolveCommand, SetTakesOneValueAndLeavesTheProblemAlone) {
  const Workplace place;
  place.run({"generate", "stack", "--bodies", "4", "--output", "p.h5"});

  const ProgramRun run = place.run({"solve", "-s", "solver.tolerance=1e-3", "p.h5"});

  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("wanted 1.0e-03"));
}

TEST(SolveCommand, EveryOptionOfAMethodReachesIt) {
  const Workplace place;
  // with a monotone search (gll_history 0) the line search has something to do
  const std::vector<std::string> monotone{"--pspgfb.gll_history", "0"};
  struct Change {
    std::string method, option, value;
    std::vector<std::string> base = {};
  };
  const std::vector<Change> changes{{"jacobi", "relaxation", "0.5"},
                                    {"jacobi", "lambda_margin", "1.5"},
                                    {"jacobi", "lambda_iterations", "3"},
                                    {"psor", "relaxation", "1.3"},
                                    {"psor", "symmetric", "true"},
                                    {"psor", "exact_local", "off"},
                                    {"psor", "check_every", "7"},
                                    {"psor", "accelerate", "true"},
                                    {"psor", "sweeps", "2", {"--psor.accelerate", "true"}},
                                    {"pspgfb", "precondition", "no"},
                                    {"pspgfb", "alpha_min", "0.4"},
                                    {"pspgfb", "alpha_max", "0.5"},
                                    {"pspgfb", "fallback", "0"},
                                    {"pspgfb", "refresh_every", "2"},
                                    {"pspgfb", "gll_history", "0"},
                                    {"pspgfb", "armijo", "0.45"},
                                    {"pspgfb", "sigma_min", "0.45", monotone},
                                    {"pspgfb", "sigma_max", "0.4", monotone},
                                    {"apgd", "shrink", "0.9"},
                                    {"apgd", "grow", "3"},
                                    {"apgd", "restart", "false"},
                                    {"apgd", "refresh_every", "2"},
                                    {"apgd", "precondition", "false"}};
  for (const Change& change : changes) {
    SCOPED_TRACE(change.method + "." + change.option);
    const std::vector<std::string> base = joined({"--law", "associated", "--method", change.method,
                                                  "--max-iterations", "200", "--tolerance", "0"},
                                                 change.base);

    const json usual = solved(place, base, 1);
    const json changed =
        solved(place, joined(base, {"--" + change.method + "." + change.option, change.value}), 1);

    EXPECT_NE(changed["options"], usual["options"]);
    EXPECT_NE(std::make_pair(changed["solution_hash"], changed["operator_products"]),
              std::make_pair(usual["solution_hash"], usual["operator_products"]));
  }
}

TEST(SolveCommand, AnOptionOfAMethodThatDoesNotRunIsNoted) {
  const Workplace place;

  const ProgramRun run =
      place.run({"solve", "--generate", small_stack, "--psor.relaxation", "1.2"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("psor.relaxation was given, but the method is auto"));
}

TEST(SolveCommand, VerboseSaysWhatIsDoneAndWithWhichSettings) {
  const Workplace place;

  const ProgramRun run = place.run(
      {"solve", "--generate", small_stack, "--method", "psor", "--verbose", "--threads", "1"});

  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("threads: 1"), HasSubstr("solver.psor.relaxation = 1"),
                    HasSubstr("48 rows, mean diagonal of N "), HasSubstr("files written")));
}

TEST(SolveCommand, StopsByEveryMeasure) {
  const Workplace place;
  const std::map<std::string, std::string> units{
      {"natural", " sqrt(J)"},      {"natural_velocity", " m/s"}, {"energy", " J"},
      {"fischer_burmeister", " J"}, {"penalised_gap", " J"},      {"bilateral", " m/s"},
      {"natural_local", " m/s"}};
  for (const std::string& measure : measure_names()) {
    SCOPED_TRACE(measure);
    const char* problem = measure == "bilateral" ? "chain,bodies=4" : small_stack;

    const ProgramRun run = place.run({"solve", "--generate", problem, "--measure", measure,
                                      "--tolerance", "1e-5", "--report", "r.json"});

    EXPECT_EQ(run.exit_code, 0) << run.err;
    const json report = json::parse(place.read("r.json"));
    EXPECT_EQ(report["measure"], measure);
    EXPECT_LE(report["error"], 1e-5);
    EXPECT_LE(report["errors"][measure], report["error"]);
    const std::string unit = units.count(measure) ? units.at(measure) : "";
    EXPECT_THAT(run.out, HasSubstr("wanted 1.0e-05" + unit + "\n"));
  }
}

TEST(SolveCommand, JointsHaveALineOfTheirOwn) {
  const Workplace place;

  const ProgramRun chain = place.run({"solve", "--generate", "chain,bodies=4"});
  const ProgramRun stack = place.run({"solve", "--generate", small_stack});

  EXPECT_THAT(chain.out, HasSubstr("\n  bilateral "));
  EXPECT_THAT(stack.out, Not(HasSubstr("bilateral")));
}

TEST(SolveCommand, TheSolutionCanBeAddedToTheProblemFile) {
  const Workplace place;
  place.run({"generate", "stack", "--bodies", "4", "--output", "p.h5"});

  const ProgramRun run = place.run({"solve", "p.h5", "--output", "p.h5"});
  const ProgramRun info = place.run({"info", "p.h5", "--json"});

  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(info.out)["solutions"], json::array({"solution"}));
  EXPECT_EQ(json::parse(info.out)["contacts"], 16);
  EXPECT_THAT(place.files(), ElementsAre("p.h5"));
}

}  // namespace
}  // namespace talus
