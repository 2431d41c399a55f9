#include "io/report_file.hpp"

#include "core/simd.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const double nan = std::numeric_limits<double>::quiet_NaN();

// The constants: xxHash's own XXH64, seed 0, over the 32 bytes of {1, 0, 2.5, -3} and the 16 of
// {1, 0}; over nothing it is the published test vector.
constexpr std::uint64_t hash_of_nothing = 0xef46db3751d8e999;
constexpr std::uint64_t hash_of_four = 0x8cd6c75e0e7f7e9f;
constexpr std::uint64_t hash_of_two = 0xdeb0c1c8306ff8bc;

TEST(SolutionHash, IsXxh64OverVelocitiesThenImpulsesThenJoints) {
  EXPECT_EQ(solution_hash({}), hash_of_nothing);
  EXPECT_EQ(solution_hash({{}, {0.0, 2.5}, {-3.0}, {1.0}}), hash_of_four);
  EXPECT_EQ(solution_hash({{}, {0.0}, {}, {1.0}}), hash_of_two);
}

TEST(SolutionHash, TakesGapVelocitiesWhereThereAreNoBodies) {
  EXPECT_EQ(solution_hash({{1.0}, {0.0}, {}, {}}), hash_of_two);
  EXPECT_EQ(solution_hash({{7.0}, {0.0}, {}, {1.0}}), hash_of_two) << "u follows from v";
}

TEST(SolutionHash, TakesMinusZeroForZeroAndSeesTheLastBit) {
  EXPECT_EQ(solution_hash({{}, {-0.0}, {}, {1.0}}), hash_of_two);
  EXPECT_NE(solution_hash({{}, {0.0}, {}, {1.0 + 0x1p-52}}), hash_of_two);
}

TEST(Reproducible, DependsOnTheMethodAndOnTheClock) {
  SolveReport report;
  report.method = Method::Pspgfb;
  EXPECT_EQ(reproducible(report), "any_ranks");
  report.method = Method::Psor;
  EXPECT_EQ(reproducible(report), "same_ranks");
  for (const SolveStatus status : {SolveStatus::TimeLimit, SolveStatus::Interrupted}) {
    report.status = status;
    EXPECT_EQ(reproducible(report), "no");
  }
}

TEST(Reproducible, DependsOnEveryMethodThatRan) {
  SolveReport report;
  report.method = Method::Apgd;
  report.candidates = {{.method = Method::Psor}, {.method = Method::Apgd}};
  EXPECT_EQ(reproducible(report), "same_ranks");
  report.candidates = {{.method = Method::Pspgfb, .status = SolveStatus::TimeLimit},
                       {.method = Method::Apgd}};
  EXPECT_EQ(reproducible(report), "no");
}

SolveReport some_report() {
  SolveReport report;
  report.status = SolveStatus::Stalled;
  report.law = Law::Box;
  report.method = Method::Psor;
  report.measure = Measure::Energy;
  report.tolerance = 1e-9;
  report.error = 0.1 + 0.2;
  report.iterations = 5'000'000'000;
  report.errors.natural = 1.0 / 3.0;
  report.errors.energy = infinity;
  report.errors.objective = nan;
  report.remarks = {"a \"quoted\" remark\nof two lines"};
  return report;
}

TEST(ReportJson, ListsStagesAndCandidates) {
  SolveReport report = some_report();
  report.stages = {{Method::Apgd, false, 120, 0.25, "no gain in 100 iterations"}};
  report.candidates = {{.method = Method::Auto,
                        .status = SolveStatus::Stalled,
                        .error = infinity,
                        .iterations = 7,
                        .operator_products = 9,
                        .seconds = 0.5}};

  const json read = json::parse(report_json(report, {}));

  EXPECT_EQ(read["stages"], json::parse(R"([{"method": "apgd", "metric": "mean diagonal",
      "iterations": 120, "error": 0.25, "reason": "no gain in 100 iterations"}])"));
  EXPECT_EQ(read["candidates"], json::parse(R"([{"method": "auto", "status": "stalled",
      "error": null, "iterations": 7, "operator_products": 9, "work": 9, "seconds": 0.5}])"));
}

TEST(ReportJson, CountsSweepsAsWork) {
  SolveReport report = some_report();
  report.iterations = 100;
  report.operator_products = 12;
  EXPECT_EQ(json::parse(report_json(report, {}))["work"], 112);
  report.candidates = {{.method = Method::Psor, .iterations = 100, .operator_products = 12},
                       {.method = Method::Apgd, .iterations = 50, .operator_products = 60}};
  report.operator_products = 72;

  const json read = json::parse(report_json(report, {}));

  EXPECT_EQ(read["operator_products"], 72);
  EXPECT_EQ(read["work"], 172);
  EXPECT_EQ(read["candidates"][0]["work"], 112);
  EXPECT_EQ(read["candidates"][1]["work"], 60);
}

TEST(ReportJson, KeepsEveryNumberExactly) {
  RunFacts facts;
  facts.problem = "p.h5";
  facts.solution_hash = 0xabc;

  const json read = json::parse(report_json(some_report(), facts));

  EXPECT_EQ(read["status"], "stalled");
  EXPECT_EQ(read["law"], "box");
  EXPECT_EQ(read["measure"], "energy");
  EXPECT_EQ(read["error"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(read["errors"]["natural"].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(read["iterations"].get<std::int64_t>(), 5'000'000'000);
  EXPECT_EQ(read["solution_hash"], "0000000000000abc");
  EXPECT_EQ(read["within_tolerance"], false);
  EXPECT_EQ(read["remarks"][0], "a \"quoted\" remark\nof two lines");
  EXPECT_EQ(read["versions"]["simd"], name_of(simd_level()));
}

TEST(ReportJson, WhatIsNotFiniteBecomesNullBecauseJsonHasNoNumberForIt) {
  const json read = json::parse(report_json(some_report(), {}));

  EXPECT_TRUE(read["errors"]["energy"].is_null());
  EXPECT_TRUE(read["objective"].is_null());
}

TEST(ReportJson, OptionsKeepTheirTypes) {
  RunFacts facts;
  facts.options = {{"psor.relaxation", "1e-09"},
                   {"psor.check_every", "10"},
                   {"psor.symmetric", "true"},
                   {"time_limit", "inf"}};

  const json options = json::parse(report_json(some_report(), facts))["options"];

  EXPECT_EQ(options["psor.relaxation"].get<double>(), 1e-9);
  EXPECT_TRUE(options["psor.check_every"].is_number_integer());
  EXPECT_EQ(options["psor.symmetric"], true);
  EXPECT_EQ(options["time_limit"], "inf");
}

TEST(HistoryCsv, HasAHeaderAndALinePerEntryWithAsManyFields) {
  SolveReport report;
  HistoryEntry entry;
  entry.iteration = 12;
  entry.products = 34;
  entry.seconds = 0.5;
  entry.error = 1e-3;
  ErrorReport all;
  all.objective = -1.0 / 3.0;
  entry.all = std::make_shared<ErrorReport>(all);
  report.history = {entry, entry};

  std::istringstream text(history_csv(report));

  std::string header, line;
  std::getline(text, header);
  int lines = 0;
  for (; std::getline(text, line); ++lines) {
    EXPECT_THAT(line, ::testing::StartsWith("12,34,0.500000,1.000000000e-03,"));
    EXPECT_EQ(std::count(line.begin(), line.end(), ','),
              std::count(header.begin(), header.end(), ','));
    // fifteen digits: differences of objectives are looked at
    EXPECT_NEAR(std::stod(line.substr(line.rfind(',') + 1)), -1.0 / 3.0, 1e-15);
  }
  EXPECT_EQ(lines, 2);
  EXPECT_THAT(header, HasSubstr(",objective"));
}

}  // namespace
}  // namespace talus
