// A chain with a ball of many times the mass of a link at its end, released from horizontal: what
// potential energy it loses is all that it may have.

#include "assembly/geometric_stiffness.hpp"
#include "core/elementary.hpp"
#include "simulation/monitors.hpp"
#include "support/small_scene.hpp"
#include "support/truth_page.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace talus {
namespace {

constexpr double g = 9.81;

struct Chain {
  int links = 20;
  double h = 1e-3, ratio = 1000.0;
  JointType type = JointType::Revolute;
  double swirl = 0.0;  ///< rad/s about the vertical through its first joint, at the start
  double length = 0.1, width = 0.03, ball = 0.3;  // m

  Simulation start() const {
    support::SmallScene small(h);
    small.solver.method = Method::Auto;
    small.solver.tolerance = 0.01 * g * h;  // the default of a run
    const Index link = small.box({length, width, width}), sphere = small.sphere(ball);
    const double mass = 1000.0 * length * width * width;
    for (int i = 0; i <= links; ++i) {
      const bool last = i == links;
      const double x = last ? links * length + ball : (i + 0.5) * length;
      const std::size_t place = small.add(last ? "ball" : "link" + std::to_string(i),
                                          Motion::Dynamic, last ? sphere : link, {x, 0.0, 0.0});
      SceneBody& body = small.body(place);
      body.velocity = {0.0, swirl * x, 0.0};
      body.angular_velocity = {0.0, 0.0, swirl};
      if (last) {
        const double moment = 0.4 * ratio * mass * ball * ball;
        body.mass = ratio * mass;
        body.inertia = Sym3{moment, 0.0, 0.0, moment, 0.0, moment};
      }
    }
    for (int i = 0; i <= links; ++i) {
      Joint joint;
      joint.name = "joint" + std::to_string(i);
      joint.type = type;
      joint.body_a = i - 1;  // world_id of the first
      joint.body_b = i;
      // frames whose x axis is y of the world: that of hinges
      joint.frame_a.orientation = joint.frame_b.orientation = rotation_by({0.0, 0.0, 0.5 * pi});
      if (i > 0) joint.frame_a.position = {0.5 * length, 0.0, 0.0};
      joint.frame_b.position = {i == links ? -ball : -0.5 * length, 0.0, 0.0};
      small.scene.world.joints.push_back(joint);
    }
    return small.start();
  }
};

struct Swing {
  double drift = 0.0;  ///< largest change of the energy, as a share of what has been lost in height
  double gap = 0.0, angle = 0.0, step_angle = 0.0, unaccounted = 0.0;
  std::int64_t unconverged = 0, stiff_warnings = 0;
};

Swing swing_of(const Chain& chain, double end) {
  Simulation simulation = chain.start();
  const double start = energies_of(simulation.world()).kinetic;  // at height 0
  Swing swing;
  double deepest = 0.0, off = 0.0;
  EnergyLedger ledger;
  while (simulation.world().time < end - 0.5 * chain.h) {
    const StepReport report = simulation.step();
    const Energies now = energies_of(simulation.world());
    deepest = std::max(deepest, -now.potential);
    off = std::max(off, std::abs(now.kinetic + now.potential - start));
    swing.gap = std::max(swing.gap, report.largest_joint_gap);
    swing.angle = std::max(swing.angle, report.largest_joint_angle);
    swing.step_angle = std::max(swing.step_angle, report.step_angle);
    swing.unconverged += report.status == SolveStatus::Converged ? 0 : 1;
    for (const StepWarning& warning : report.warnings)
      swing.stiff_warnings += warning.kind == "stiff" ? 1 : 0;
    ledger.add(report.energy);
  }
  swing.drift = off / deepest;
  swing.unaccounted = std::abs(ledger.unaccounted()) / deepest;
  return swing;
}

/// The case: energy was multiplied by 16, joints opened by half a link.
void expect_sound(const Swing& swing) {
  EXPECT_LT(swing.drift, 0.02);
  EXPECT_LT(swing.gap, 1e-3);
  EXPECT_LT(swing.angle, 1e-2);
  EXPECT_EQ(swing.unconverged, 0);
  EXPECT_LT(swing.unaccounted, 1e-10);
}

TEST(HeavyChain, KeepsItsEnergyAndItsJointsAtAStepThatCannotFollowItsLinks) {
  // without added inertia joints are open by more than a link after a second
  Chain chain;
  chain.h = 2e-3;
  const Swing swing = swing_of(chain, 1.0);
  expect_sound(swing);
  EXPECT_GT(swing.step_angle, 4.0);
  EXPECT_GT(swing.stiff_warnings, 300);
}

// Bodies fall ahead by half a step's velocity: of first order, what added inertia leaves is less.
TEST(TruthOfChains, HeavyEndKeepsItsEnergy) {
  support::expect_on_page(support::measured(
      "Chain of 20 links, its end 1000 times heavier: energy after 0.5 s, of the height lost", 1.0,
      2e-3, [](double h) {
        Chain chain;
        chain.h = h;
        Simulation simulation = chain.start();
        while (simulation.world().time < 0.5 - 0.5 * h) simulation.step();
        const Energies end = energies_of(simulation.world());
        return end.kinetic / -end.potential;
      }));
}

TEST(HeavyChain, IsWarnedOfBeforeItsFirstStep) {
  const Simulation simulation = Chain{}.start();
  // three times the weight of ball and links on the first link's two joints
  const double moment = (0.1 * 0.1 + 0.03 * 0.03) / 12.0;
  const double expected = 1e-3 * std::sqrt(3.0 * g * (1020.0 + 1019.0) * 0.05 / moment);
  EXPECT_GT(expected, 1.5);
  EXPECT_THAT(simulation.warnings(),
              testing::Contains(testing::AllOf(
                  testing::HasSubstr("joint 'joint0'"),
                  testing::HasSubstr(fmt::format("h sqrt(T l / I) = {:.3g}", expected)),
                  testing::HasSubstr(fmt::format("{:.2g} s", 1e-3 / expected)))));
}

TEST(HeavyChain, WithoutTheHeavyEndNothingIsAdded) {
  Chain chain;
  chain.ratio = 1.0;
  chain.ball = 0.05;
  EXPECT_TRUE(chain.start().warnings().empty());
  const Swing swing = swing_of(chain, 0.3);
  EXPECT_LT(swing.step_angle, 0.5 * followed_angle);
  EXPECT_EQ(swing.stiff_warnings, 0);
}

TEST(NightlyHeavyChain, KeepsItsEnergyOverThreeSecondsAtThreeSteps) {
  for (const double h : {5e-4, 1e-3, 2e-3}) {
    Chain chain;
    chain.h = h;
    const Swing swing = swing_of(chain, 3.0);
    SCOPED_TRACE(h);
    expect_sound(swing);
    RecordProperty("drift_" + std::to_string(h), std::to_string(swing.drift));
  }
}

TEST(NightlyHeavyChain, OfBallJointsThatSwirlKeepsItsEnergyToo) {
  Chain chain;
  chain.type = JointType::Spherical;
  chain.swirl = 1.0;
  expect_sound(swing_of(chain, 3.0));
}

}  // namespace
}  // namespace talus
