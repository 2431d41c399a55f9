// Other libraries in the process may change how the processor rounds: the answers are the same, and
// who calls the library has his own mode again.

#include "support/other_arithmetic.hpp"

#include "generate/generate.hpp"
#include "support/on_many_ranks.hpp"
#include "support/places.hpp"
#include "support/small_scene.hpp"
#include "support/solved.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace talus {
namespace {

using nlohmann::json;
using support::flushes;
using support::OtherArithmetic;
using support::run_on_ranks;
using support::SmallScene;
using support::SpoiltThreads;
using support::Workplace;

/// Enough spheres that every loop over bodies and contacts is shared by threads, and one that is
/// too slow to be seen with FTZ or DAZ.
constexpr const char* scene = R"yaml(
talus: 1
time: {step: 0.001, end: 0.02}
gravity: [0, 0, -9.81]
materials: {bead: {density: 2500}}
pairs: [{between: [bead, bead], friction: 0.3}]
bodies:
  - {name: floor, motion: fixed, material: bead, shape: {type: plane, normal: [0, 0, 1]}}
  - {name: slow, motion: dynamic, material: bead, shape: {type: sphere, diameter: 0.02}, position: [5, 0, 5],
     angular_velocity: [1.0e-310, 0, 0]}
generators:
  - {name: beads, type: lattice, material: bead, shape: {type: sphere, diameter: 0.02}, spacing: 0.0202, count: 1300, seed: 1,
     region: {type: box, min: [0, 0, 0], max: [0.27, 0.27, 0.3]}, velocity: [0.3, 0, -1]}
)yaml";

class Preloaded : public testing::TestWithParam<const char*> {
 protected:
  std::string environment() const {
    return "LD_PRELOAD=" + support::arithmetic_library() + " TALUS_ARITHMETIC=" + GetParam();
  }
};

bool preloading_works() {
#ifdef __SANITIZE_ADDRESS__
  return false;
#else
  return true;
#endif
}

std::string hash_in(const Workplace& place, const std::string& file, const char* name) {
  return json::parse(place.read(file))[name];
}

TEST_P(Preloaded, ALibraryChangesNoTrajectory) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  const Workplace place;
  place.write("s.yaml", scene);
  for (const int ranks : {1, 2}) {
    const auto run = [&](const std::string& folder, const std::string& environment) {
      const auto done = run_on_ranks(
          place, ranks,
          fmt::format("run s.yaml --output {} --threads 3 --no-report --quiet", folder),
          environment);
      EXPECT_EQ(done.exit_code, 0) << done.err;
      return hash_in(place, folder + "/report.json", "trajectory_hash");
    };
    EXPECT_EQ(run(fmt::format("changed{}", ranks), environment()),
              run(fmt::format("clean{}", ranks), ""))
        << ranks << " ranks";
  }
}

TEST_P(Preloaded, ALibraryChangesNoAnswer) {
  if (!preloading_works()) GTEST_SKIP() << "nothing can be preloaded before the sanitizers";
  const Workplace place;
  for (const char* method : {"apgd", "psor"}) {
    const auto hash = [&](const std::map<std::string, std::string>& environment) {
      const auto run =
          place.run({"solve", "--generate", "packing,bodies=1500", "--method", method,
                     "--max-iterations", "30", "--threads", "3", "--report", "r.json", "--quiet"},
                    environment);
      EXPECT_EQ(run.exit_code, 1) << run.err;
      return hash_in(place, "r.json", "solution_hash");
    };
    const std::map<std::string, std::string> changed{{"LD_PRELOAD", support::arithmetic_library()},
                                                     {"TALUS_ARITHMETIC", GetParam()}};
    EXPECT_EQ(hash(changed), hash({})) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Preloaded, testing::Values("main", "ftz", "threads", "sometimes"),
                         [](const auto& test) { return std::string(test.param); });

/// A pile that falls apart: what any difference in rounding changes.
SmallScene pile() {
  SmallScene small(1e-3, 0.3, 0.4);
  small.set_gravity({0.1, 0.0, -9.81});
  small.add_floor();
  const Index box = small.box({0.1, 0.1, 0.1});
  for (int k = 0; k < 5; ++k)
    small.add("box", Motion::Dynamic, box, {0.03 * k, 0.01 * k, 0.051 + 0.101 * k});
  small.solver.tolerance = 1e-6;
  return small;
}

std::uint64_t hash_of_a_run(const SmallScene& small) {
  Simulation simulation = small.start();
  for (int k = 0; k < 60; ++k) simulation.step();
  return trajectory_hash(simulation.world().bodies);
}

TEST(CallersArithmetic, ChangesNoRunAndIsGivenBack) {
  const SmallScene small = pile();  // whose numbers are the caller's own
  const std::uint64_t plain = hash_of_a_run(small);
  const OtherArithmetic of_the_caller;

  EXPECT_EQ(hash_of_a_run(small), plain);

  EXPECT_TRUE(flushes());
}

TEST(CallersArithmetic, IsGivenBackByARunThatFails) {
  SmallScene small(1e-3);
  small.set_gravity({0.0, 0.0, -9.81});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.0});
  small.scene.world.domain.low = {-1.0, -1.0, -0.001};
  const OtherArithmetic of_the_caller;
  Simulation simulation = small.start();

  EXPECT_THROW(support::run_until(simulation, 1.0), RunFailure);

  EXPECT_TRUE(flushes());
}

TEST(CallersArithmetic, ChangesNoAnswerAndIsGivenBack) {
  const ProblemData data = generate(parse_generate("packing,bodies=600"));
  for (const Method method :
       {Method::Jacobi, Method::Psor, Method::Pspgfb, Method::Apgd, Method::Auto}) {
    SolveOptions options;
    options.method = method;
    options.max_iterations = 30;
    const support::Solved plain = support::solved(data, options);
    const SpoiltThreads spoilt(3);
    const OtherArithmetic of_the_caller;

    const support::Solved again = support::solved(data, options);

    EXPECT_EQ(again.impulses, plain.impulses) << name_of(method);
    EXPECT_EQ(again.report.error, plain.report.error) << name_of(method);
    EXPECT_EQ(again.report.errors.objective, plain.report.errors.objective) << name_of(method);
    EXPECT_EQ(again.solution.v, plain.solution.v) << name_of(method);
    EXPECT_TRUE(flushes());
    EXPECT_EQ(spoilt.still_spoilt(), 3) << "with the calling one";
  }
}

}  // namespace
}  // namespace talus
