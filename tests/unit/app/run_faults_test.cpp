// A rank that fails alone in the middle of a simulation: all end within seconds, somebody says
// which rank it was, in which step and at what, and the folder of the run keeps what was whole.

#include "support/on_many_ranks.hpp"
#include "support/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fmt/format.h>
#include <ostream>
#include <set>

namespace talus {
namespace {

using support::ProgramRun;
using support::run_on_ranks;
using support::Workplace;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;

/// Spheres that fall into a box, and roll in it for as long as the test lets them.
constexpr const char* scene = R"yaml(
talus: 1
variables: {d: 0.02}
time: {step: 0.001, end: 1000}
gravity: [1, 0.5, -9.81]
domain: {min: [-0.02, -0.02, -0.02], max: [0.14, 0.14, 0.4], outside: stop}
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: back, motion: fixed, material: bead, shape: {type: plane, normal: [1, 0, 0]}}
  - {name: front, motion: fixed, material: bead, shape: {type: plane, normal: [-1, 0, 0]}, position: [0.12, 0, 0]}
  - {name: left, motion: fixed, material: bead, shape: {type: plane, normal: [0, 1, 0]}}
  - {name: right, motion: fixed, material: bead, shape: {type: plane, normal: [0, -1, 0]}, position: [0, 0.12, 0]}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: "d"}, spacing: "1.1*d", count: 75, seed: 1,
     region: {type: box, min: [0, 0, 0], max: [0.12, 0.12, 0.09]}, jitter: "0.04*d"}
output: {log: {every: 0.001, columns: [step, time, bodies]}}
)yaml";

/// The sanitizers must be loaded before everything else.
bool preloading_works() {
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  return true;
#endif
}

/// Every line of the log has all of its columns, and a line of each step so far stands there.
void expect_whole_log(const std::string& log) {
  ASSERT_THAT(log, Not(IsEmpty()));
  EXPECT_EQ(log.back(), '\n');
  long step = -1;  // the heading
  for (std::size_t from = 0; from < log.size(); ++step) {
    const std::size_t to = log.find('\n', from);
    const std::string line = log.substr(from, to - from);
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 2) << line;
    if (step >= 0) {
      EXPECT_EQ(std::stol(line), step + 1) << line;
    }
    from = to + 1;
  }
}

/// Files of the folder of a run that could be taken for an answer, or that nobody will take away;
/// but for run.lock, which a killed run may leave, and which then keeps nobody out.
std::vector<std::string> leftovers(const Workplace& place) {
  const std::set<std::string> known{"scene.yaml", "log.csv", "run.jsonl", "run.lock"};
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(place.path("out"))) {
    const std::string name = entry.path().filename().string();
    if (known.count(name) == 0) found.push_back(name);
  }
  return found;
}

struct Strike {
  const char* fault;
  const char* told;  // a regular expression
};
// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const Strike& strike, std::ostream* out) {
  *out << strike.fault;
}

class RunFault : public testing::TestWithParam<Strike> {};

TEST_P(RunFault, EndsAllRanksWithRankStepAndPhase) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  const auto& [fault, told] = GetParam();
  const Workplace place;
  place.write("s.yaml", scene);
  using Clock = std::chrono::steady_clock;
  // How long it takes here and now until ranks run and are gone again, and a hundred steps.
  const auto before = Clock::now();
  EXPECT_EQ(
      run_on_ranks(place, 3, "run s.yaml --output first --steps 100 --threads 1 --quiet").exit_code,
      0);
  const auto healthy = Clock::now() - before;
  const auto begin = Clock::now();

  const ProgramRun run =
      run_on_ranks(place, 3, "run s.yaml --output out --threads 1 --balance-every 10",
                   "LD_PRELOAD=" + support::fault_library() + " TALUS_FAULT=" + fault);

  EXPECT_NE(run.exit_code, 0);
  EXPECT_LT(Clock::now() - begin - 2 * healthy, std::chrono::seconds(10)) << "it hung";
  EXPECT_THAT(run.err, ContainsRegex(told));
  EXPECT_TRUE(place.has("out/scene.yaml"));
  expect_whole_log(place.read("out/log.csv"));
  EXPECT_THAT(leftovers(place), IsEmpty());
  EXPECT_EQ(
      place.run({"run", "s.yaml", "--output", "out", "--overwrite", "--steps", "1"}).exit_code, 0);
  EXPECT_FALSE(place.has("out/run.lock"));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RunFault,
    // of the killed rank mpirun speaks; a survivor says in which step that was
    testing::Values(
        Strike{"kill:1:600", "process rank 1 "},
        Strike{"kill:2:600", "talus: rank 0, step [0-9]+, while [a-z ]+: told to end"},
        Strike{"kill:0:601", "talus: rank 1, step [0-9]+, while [a-z ]+: told to end"},
        Strike{"memory:2:602", "talus: rank 2, step [0-9]+, while [a-z ]+: out of memory"},
        Strike{"error:0:603",
               "talus: rank 0, step [0-9]+, while [a-z ]+: MPI_Allreduce failed: MPI_ERR_OTHER"},
        Strike{"truncate:1:60",
               "talus: rank [02], step [0-9]+, while [a-z ]+: rank 1 sent [0-9]+ "
               "numbers where [0-9]+ were expected"},
        Strike{"cut:1:60",
               "talus: rank [02], step [0-9]+, while [a-z ]+: rank 1 sent [0-9]+ bytes "
               "where it had announced [0-9]+"}));

/// One rank of two has a disk that takes no file of more than so many blocks of 512 bytes.
ProgramRun run_on_small_disk(const Workplace& place, int full, int blocks,
                             const std::string& arguments) {
  return support::run_on_two_ranks(place, full, fmt::format("ulimit -f {};", blocks), arguments);
}

TEST(RunFaults, ALogThatTheDiskDoesNotTakeEndsAllRanks) {
  const Workplace place;
  place.write("s.yaml", scene);

  const ProgramRun run = run_on_small_disk(place, 0, 4, "run s.yaml --output out --threads 1");

  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err,
              ContainsRegex("talus: step [0-9]+, t = [0-9.]+ s, while writing what the run "
                            "leaves: rank 0: out/[a-z.]+: cannot be written: File too large"));
  expect_whole_log(place.read("out/log.csv"));
  EXPECT_THAT(leftovers(place), IsEmpty());
}

TEST(RunFaults, AStateThatADiskDoesNotTakeIsOneMessageAndTheLogStays) {
  for (const int full : {0, 1}) {
    const Workplace place;
    place.write("s.yaml", scene);

    const ProgramRun run =
        run_on_small_disk(place, full, 4, "run s.yaml --output out --steps 2 --threads 1 --quiet");

    EXPECT_EQ(run.exit_code, 4);
    const std::string message = "out/state.h5: ";
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_THAT(run.err, HasSubstr("File too large"));
    EXPECT_EQ(run.err.find(message), run.err.rfind(message)) << run.err;
    expect_whole_log(place.read("out/log.csv"));
    // a report where one can be written
    EXPECT_THAT(leftovers(place), IsSubsetOf({"report.html", "report.json"}));
  }
}

}  // namespace
}  // namespace talus
