// talus plot as a user sees it; what is on the page, and in tests/report what a browser sees.

#include "support/png_reader.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace talus {
namespace {

using support::ProgramRun;
using support::Workplace;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* scene = R"yaml(
talus: 1
title: two <boxes>
time: {step: 0.01, end: 0.2}
gravity: [0, 0, -9.81]
materials: {stone: {density: 1000}}
pairs: [{between: [stone, stone], friction: 0.5}]
bodies:
  - {name: floor, motion: fixed, material: stone, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: low, motion: dynamic, material: stone, shape: {type: box, size: [0.2, 0.2, 0.2]}, position: [0, 0, 0.1]}
  - {name: high, motion: dynamic, material: stone, shape: {type: box, size: [0.1, 0.1, 0.1]}, position: [0, 0, 0.3]}
output: {log: {every: 0.01}}
)yaml";

bool has_matplotlib() {
  for (const char* python : {"/usr/bin/python3", "python3"})
    if (std::system((std::string(python) + " -c 'import matplotlib' > /dev/null 2>&1").c_str()) ==
        0)
      return true;
  return false;
}

class PlotCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    place.write("s.yaml", scene);
    ASSERT_EQ(place.run({"run", "s.yaml", "--output", "d", "--no-report"}).exit_code, 0);
    of_run = files("d");
  }
  /// What is in the folder now, and was not there when the run ended.
  std::vector<std::string> added() const {
    std::vector<std::string> names = files("d");
    std::erase_if(names, [&](const std::string& name) {
      return std::find(of_run.begin(), of_run.end(), name) != of_run.end();
    });
    return names;
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(place.path(folder)))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string report() {
    const ProgramRun run = place.run({"plot", "d", "--report-only"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return place.read("d/report.html");
  }
  Workplace place;
  std::vector<std::string> of_run;
};

TEST_F(PlotCommand, DrawsWhatTheLogHas) {
  if (!has_matplotlib()) GTEST_SKIP() << "no python3 with matplotlib: python3-matplotlib";
  const ProgramRun run = place.run({"plot", "d"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(files("d/plots"), ElementsAre("contacts.png", "energy.png", "error.png",
                                            "iterations.png", "penetration.png", "seconds.png"));
  for (const std::string& name : files("d/plots")) {
    EXPECT_THAT(run.out, HasSubstr("d/plots/" + name));
    EXPECT_GT(support::decoded_png(place.read("d/plots/" + name)).width, 400);
  }
  EXPECT_THAT(added(), ElementsAre("plots", "report.html")) << "and nothing beside them";
  place.write("d/plots/mine.png", "mine");
  EXPECT_EQ(place.run({"plot", "d"}).exit_code, 0) << "again";
  EXPECT_EQ(place.read("d/plots/mine.png"), "mine");
}

TEST_F(PlotCommand, WithoutMatplotlibThePackageIsNamedAndNothingWritten) {
  const ProgramRun run = place.run({"plot", "d"}, {{"TALUS_PYTHON", "/nowhere/python3"}});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("python3-matplotlib"), HasSubstr("TALUS_PYTHON")));
  EXPECT_THAT(added(), IsEmpty());
  EXPECT_EQ(
      place.run({"plot", "d", "--report-only"}, {{"TALUS_PYTHON", "/nowhere/python3"}}).exit_code,
      0);
}

TEST_F(PlotCommand, AFailureOfThePythonLeavesNoHalfOfIt) {
  place.write("python",
              "#!/bin/sh\ncase \"$*\" in *--check*) exit 0 ;; esac\necho oh >&2\nexit 3\n");
  std::filesystem::permissions(place.path("python"), std::filesystem::perms::owner_all);
  const ProgramRun run =
      place.run({"plot", "d"}, {{"TALUS_PYTHON", place.path("python").string()}});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, AllOf(HasSubstr("oh"), HasSubstr("d/plots: could not be drawn")));
  EXPECT_THAT(added(), ElementsAre("report.html"));
}

TEST_F(PlotCommand, ThePageHasTheNumbersOfTheRun) {
  const std::string page = report();
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>two &lt;boxes&gt;</h1>"),
                          HasSubstr("0 of 20 steps above the tolerance"),
                          HasSubstr("<td>bodies at the end</td><td>3</td>"),
                          HasSubstr("data:image/png;base64,iVBORw0KGgo"), HasSubstr("Energies")));
  EXPECT_EQ(report(), page) << "the same page of the same run";
}

// Keys of objects in objects; the last line is half written.
TEST_F(PlotCommand, ReadsJsonLinesAndMonitors) {
  std::filesystem::create_directory(place.path("d/monitors"));
  place.write("d/run.jsonl",
              R"({"step": 1, "time": 0.01, "imbalance": 1.5, "seconds": {"solve": 0.25}}
{"step": 2, "time": 0.02, "imbalance": 1.25, "seconds": {"solve": 0.5}, "late": 3}
{"step": 3, "ti)");
  place.write("d/monitors/front.csv",
              "time,\"q 0.5\",q 0.9\n0.1,0.5,0.75\n0.2,0.6,\n0.3,0.7,0.9\n");
  std::string header = "time,mean,q0.5,q0.9", row = ",1,2,3";
  for (int bin = 0; bin < 12; ++bin) {
    header += ",bin" + std::to_string(bin) + "_count";
    row += "," + std::to_string(0.1 * bin);
  }
  place.write("d/monitors/histogram.csv", header + "\n0.5" + row + "\n1.5" + row + "\n");
  place.write("d/monitors/load.csv",
              "time,a,b,c,d,e,f,g,h\n0,1,2,3,4,5,6,7,8\n1,1,2,3,4,5,6,7,8\n");
  place.write("d/monitors/balls.csv", "time,id,z\n0,7,1\n0,9,2\n1,7,3\n1,9,4\n");
  const std::string page = report();
  EXPECT_THAT(page, AllOf(HasSubstr("Imbalance of ranks"), HasSubstr(">solving<"),
                          HasSubstr("<title>front</title>"), HasSubstr(">q 0.9<")));
  EXPECT_THAT(page,
              AllOf(HasSubstr("<title>histogram: bin_count</title>"), HasSubstr(">t = 1.5 s<"),
                    HasSubstr("<title>histogram</title>"), HasSubstr(">q0.9<")));
  EXPECT_THAT(page, AllOf(HasSubstr("<title>load (2 of 2)</title>"), HasSubstr(">body 9<")));
}

TEST_F(PlotCommand, ARunThatStillGoesOnHasAPageToo) {
  std::filesystem::remove(place.path("d/report.json"));
  std::filesystem::remove(place.path("d/state.h5"));
  const std::string page = report();
  EXPECT_THAT(page, AllOf(HasSubstr("The run has left no report"), HasSubstr("Energies"),
                          Not(HasSubstr("<img"))));
}

TEST_F(PlotCommand, FaultsAreToldWithTheirPlace) {
  const auto refused = [&](const std::vector<std::string>& words) {
    const ProgramRun run = place.run(words);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_FALSE(place.has("d/report.html"));
    return run.err;
  };
  EXPECT_THAT(refused({"plot"}), HasSubstr("give the folder of a run"));
  EXPECT_THAT(refused({"plot", "none"}), HasSubstr("none: is no folder of talus run"));
  place.write("d/log.csv", "time,energy\n1,2\n1,2,3\n");
  place.write("d/run.jsonl", "{}\n[1]\n");
  place.write("d/report.json", "nothing");
  EXPECT_THAT(refused({"plot", "d", "--report-only"}),
              AllOf(HasSubstr("d/log.csv:3: has 3 values: its header names 2"),
                    HasSubstr("d/run.jsonl:2: is no JSON object"),
                    HasSubstr("d/report.json: is no JSON object")));
}

}  // namespace
}  // namespace talus
