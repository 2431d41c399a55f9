// What is stored and comes back, in the ledger of a run: contacts and joints with compliance, and
// overlaps.

#include "support/small_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace talus {
namespace {

using support::SmallScene;

constexpr double pi = std::numbers::pi;

EnergyLedger ledger_of(Simulation& simulation, int steps) {
  EnergyLedger all;
  for (int i = 0; i < steps; ++i) all.add(simulation.step().energy);
  EXPECT_NEAR(all.unaccounted(), 0.0, 1e-12 * (all.kinetic_start + all.kinetic_end));
  return all;
}

// A contact with compliance is a spring: what it stores and gives back, and what its damper takes.
// An impact takes for good.
TEST(EnergyOfSprings, ContactsWithComplianceAreSprings) {
  constexpr double compliance = 1e-5, h = 1e-4;
  SmallScene small(h);
  small.pair().compliance = compliance;
  small.pair().damping_time = 1e-9;
  small.set_pair();
  small.set_gravity({});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.05), {0.0, 0.0, 0.05});
  small.body(1).velocity = {0.0, 0.0, -1.0};
  small.body(1).mass = 1.0;
  Simulation simulation = small.start();
  const double quarter = 0.5 * pi * std::sqrt(compliance);  // s, of a swing
  const int deepest = static_cast<int>(std::lround(quarter / h));
  EnergyLedger in = ledger_of(simulation, deepest);
  EXPECT_NEAR(in.springs, 0.5, 0.01);
  const EnergyLedger out = ledger_of(simulation, deepest + 10);
  EXPECT_NEAR(out.springs, -0.5, 0.01);
  in.add(out);
  EXPECT_EQ(in.impact, 0.0);
  EXPECT_EQ(in.recovered, 0.0);
}

// So are joints: one that is pulled stores what moved it.
TEST(EnergyOfSprings, JointsWithComplianceAreSprings) {
  constexpr double compliance = 1e-4, h = 1e-4;
  SmallScene small(h);
  small.scene.time.scheme = Scheme::Spook;
  small.scene.time.damping_time = 1e-9;
  small.set_gravity({});
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {});
  small.body(0).mass = 1.0;
  small.body(0).velocity = {1.0, 0.0, 0.0};
  Joint joint;
  joint.name = "held";
  joint.type = JointType::Spherical;
  joint.body_a = world_id;
  joint.body_b = 0;
  joint.compliance = compliance;
  small.scene.world.joints.push_back(joint);
  Simulation simulation = small.start();
  const int quarter = static_cast<int>(std::lround(0.5 * pi * std::sqrt(compliance) / h));
  EnergyLedger ledger = ledger_of(simulation, quarter);
  EXPECT_NEAR(ledger.springs, 0.5, 0.01);
  ledger.add(ledger_of(simulation, quarter));
  EXPECT_NEAR(ledger.springs, 0.0, 0.01);
  EXPECT_EQ(ledger.joints, 0.0);
}

TEST(EnergyOfSprings, SaysWhatRecoveryOfOverlapsGives) {
  SmallScene small(1e-3);
  small.set_gravity({});
  small.add_floor();
  small.add("ball", Motion::Dynamic, small.sphere(0.1), {0.0, 0.0, 0.1 - 1e-3});
  Simulation simulation = small.start();
  const EnergyLedger ledger = ledger_of(simulation, 5);
  // the first step gives it K g / h = 0.2 m/s, and nothing holds it back
  const double kinetic = 0.5 * (4000.0 / 3.0 * pi * 1e-3) * 0.2 * 0.2;
  EXPECT_NEAR(ledger.recovered, kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(ledger.impact, -kinetic, 1e-6 * kinetic);
  EXPECT_NEAR(ledger.kinetic_end, kinetic, 1e-6 * kinetic);
}

}  // namespace
}  // namespace talus
