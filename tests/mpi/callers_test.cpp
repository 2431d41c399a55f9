// What callers do to bodies between steps, on ranks: the same bits as on one.

#include "talus/core/error.hpp"
#include "talus/io/checkpoint_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "generate/random.hpp"
#include "mpi/shared_folder.hpp"
#include "simulation/simulation_parts.hpp"
#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

namespace talus {
namespace {

using support::fault_of;
using support::SmallScene;

/// Balls in a corner of two walls, one that is so large that all ranks have it, and two on a rod.
SmallScene crowd() {
  SmallScene small(2e-3, 0.4, 0.2);
  small.solver.tolerance = 1e-4;
  small.solver.max_iterations = 10;  // bits are those of one rank after any number
  small.add_floor();
  small.add("wall", Motion::Fixed, small.plane({1.0, 0.0, 0.0}), {-0.2, 0.0, 0.0});
  const Index ball = small.sphere(0.05), large = small.sphere(0.4);
  for (int i = 0; i < 48; ++i) {
    const int row = i / 4 % 4, layer = i / 16;
    const Vec3 place{0.1002 * (i % 4) - 0.148, 0.1002 * row, 0.0502 + 0.1002 * layer};
    small.add("ball" + std::to_string(i), Motion::Dynamic, ball, place);
  }
  small.add("large", Motion::Dynamic, large, {0.583, 0.15, 0.401});
  Joint rod;
  rod.name = "rod";
  rod.type = JointType::Distance;
  rod.body_a = 2;  // places in the list of the scene
  rod.body_b = 5;
  rod.length = 0.1002 * 3.0;
  small.scene.world.joints.push_back(rod);
  return small;
}

constexpr GlobalId balls = 48, first_ball = 2, large_ball = first_ball + balls;

Vec3 any_vector(std::int64_t step, GlobalId id, std::uint32_t kind) {
  KeyedRandom random(static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(id), kind);
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

/// Each owned body is pushed, but for every third: their numbers come from id, step and velocity.
void drag(Simulation& simulation, std::int64_t step) {
  const BodySet& bodies = simulation.world().bodies;
  std::vector<Vec3> forces, torques;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    const bool pushes = bodies.id[b] % 3 != 0;
    forces.push_back(pushes ? 20.0 * any_vector(step, bodies.id[b], 1) - 2.0 * bodies.velocity[b]
                            : Vec3{});
    torques.push_back(pushes ? 0.1 * any_vector(step, bodies.id[b], 2) : Vec3{});
  }
  simulation.push_owned(forces, torques);
}

using Act = std::function<void(Simulation&, std::int64_t step)>;

/// Steps with `act` before each: on all ranks, and on each by itself beside it.
void expect_bits_of_one_rank(const SmallScene& scene, int steps, const Act& act) {
  const Communicator comm = Communicator::world();
  BalanceSettings balance;
  balance.by = BalanceSettings::By::Counts;
  for (const OwnerKind kind : {OwnerKind::Random, OwnerKind::Hilbert}) {
    balance.cells.kind = kind;
    balance.every = 3;
    std::int64_t contacts = 0, moved = 0;
    Simulation shared(scene.scene, scene.solver, comm, balance);
    Simulation alone(scene.scene, scene.solver, Communicator::self());
    for (int step = 0; step < steps; ++step) {
      act(shared, step);
      act(alone, step);
      const StepReport report = shared.step(), expected = alone.step();
      contacts += report.contacts;
      moved += report.moved;
      EXPECT_EQ(report.contacts, expected.contacts);
      EXPECT_EQ(report.iterations, expected.iterations);
      EXPECT_EQ(report.energy.forces, expected.energy.forces);
      const std::uint64_t hash = trajectory_hash(shared.world().bodies, comm);
      EXPECT_EQ(hash, trajectory_hash(alone.world().bodies)) << "step " << step;
      if (!comm.all_agree(!testing::Test::HasFailure())) return;
    }
    EXPECT_GT(contacts, 50 * steps);  // else not all was tested
    if (comm.size() > 1 && kind == OwnerKind::Hilbert) {
      EXPECT_GT(moved, 0);
    }
  }
}

TEST(CallersOnRanks, EachRankPushesItsBodies) {
  expect_bits_of_one_rank(crowd(), 12, drag);
}

TEST(CallersOnRanks, AllRanksPushAndHoldBodiesByTheirIds) {
  expect_bits_of_one_rank(crowd(), 13, [](Simulation& simulation, std::int64_t step) {
    const GlobalId one = first_ball + step % balls;
    simulation.push(one, 50.0 * any_vector(step, one, 3), any_vector(step, one, 4));
    simulation.push(large_ball, 500.0 * any_vector(step, 0, 5));
    if (step % 4 == 0) simulation.hold(one, 5.0 * any_vector(step, one, 6));
    if (step == 9) simulation.hold(first_ball, {});
    if (step % 3 == 0) drag(simulation, step);
  });
}

TEST(CallersOnRanks, StepsThatAreComparedSeeWhatIsPushed) {
  SmallScene scene = crowd();
  scene.scene.time.error_share = 10.0;
  int compared = 0;
  expect_bits_of_one_rank(scene, 4, [&](Simulation& simulation, std::int64_t step) {
    drag(simulation, step);
    compared += simulation.parts().comparisons().comparisons > 0 ? 1 : 0;
  });
  EXPECT_GT(compared, 0);
}

/// Numbers that a caller has read, to be compared with those of one rank.
void put(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}
std::vector<double> all_that_is_read(const Simulation& simulation) {
  std::vector<double> numbers;
  for (const GlobalId id : {GlobalId{0}, first_ball, first_ball + 17, large_ball}) {
    const BodyState state = simulation.state_of(id);
    put(numbers, state.position);
    put(numbers, state.velocity);
    put(numbers, state.angular_velocity);
    numbers.push_back(state.orientation.w);
    for (const BodyContact& contact : simulation.contacts_of(id)) {
      numbers.push_back(static_cast<double>(contact.other));
      numbers.push_back(static_cast<double>(contact.state));
      put(numbers, contact.point);
      put(numbers, contact.force);
    }
  }
  const JointState rod = simulation.joint_state("rod");
  numbers.insert(numbers.end(), {rod.way, rod.way_rate, rod.on ? 1.0 : 0.0});
  put(numbers, rod.reaction_force);
  return numbers;
}

TEST(CallersOnRanks, WhatIsReadAndWrittenIsThatOfOneRank) {
  std::vector<std::vector<double>> read;
  expect_bits_of_one_rank(crowd(), 13, [&](Simulation& simulation, std::int64_t step) {
    read.push_back(all_that_is_read(simulation));
    // from one end of the heap to the other, or a push
    const GlobalId one = first_ball + 7 * step % balls;
    BodyState state = simulation.state_of(one);
    if (step % 2 == 0) state.position = {-0.1 + 0.02 * static_cast<double>(step), 0.2, 0.7};
    state.velocity = state.velocity + 0.1 * any_vector(step, one, 7);
    simulation.set_state(one, state);
    state = simulation.state_of(large_ball);
    state.velocity.x -= 0.05;
    simulation.set_state(large_ball, state);
    if (step == 8) simulation.set_on("rod", false);
  });
  for (std::size_t i = 0; i + 1 < read.size(); i += 2) EXPECT_EQ(read[i], read[i + 1]);
  EXPECT_GT(read.back().size(), 100U);  // there were contacts
}

/// Rows of balls that roll through the boundary, over a plane and over a box that all ranks have.
TEST(CallersOnRanks, PointsOfContactsGoThroughPeriodicBoundariesAsOnOneRank) {
  SmallScene scene(1e-2);
  scene.solver.tolerance = 1e-5;
  Domain& domain = scene.scene.world.domain;
  domain.low = {0.0, -1.0, -1.0};
  domain.high = {1.0, 1.0, 1.0};
  domain.periodic = {true, false, false};
  scene.add_floor();
  scene.add("slab", Motion::Fixed, scene.box({1.0, 0.3, 0.2}), {0.5, 0.6, 0.0});
  const Index ball = scene.sphere(0.05);
  for (int i = 0; i < 18; ++i) {
    const double z = i < 9 ? 0.05 : 0.15, y = i < 9 ? 0.0 : 0.6;
    const std::size_t body =
        scene.add("ball" + std::to_string(i), Motion::Dynamic, ball, {0.1 * (i % 9) + 0.06, y, z});
    scene.body(body).velocity = {1.0, 0.0, 0.0};
  }
  const Communicator comm = Communicator::world();
  BalanceSettings balance;
  balance.by = BalanceSettings::By::Counts;
  Simulation shared(scene.scene, scene.solver, comm, balance);
  Simulation alone(scene.scene, scene.solver, Communicator::self());
  std::size_t seen = 0;
  for (int step = 0; step < 25; ++step) {
    shared.step();
    alone.step();
    for (GlobalId id = 2; id < 20; ++id) {
      const std::vector<BodyContact> here = shared.contacts_of(id), there = alone.contacts_of(id);
      ASSERT_EQ(here.size(), there.size());
      const Vec3 at = alone.state_of(id).position;
      for (std::size_t c = 0; c < here.size(); ++c) {
        EXPECT_EQ(length(here[c].point - there[c].point), 0.0) << id << ", step " << step;
        EXPECT_LT(length(there[c].point - at), 0.08) << id << ", step " << step;
      }
      seen += here.size();
    }
  }
  EXPECT_GT(seen, 25U * 30U);
}

TEST(CallersOnRanks, AMotorThatIsSetTurnsAsOnOneRank) {
  SmallScene scene = crowd();
  Joint axle;
  axle.name = "axle";
  axle.type = JointType::Revolute;
  axle.body_a = world_id;
  axle.body_b = large_ball;  // its place in the list
  axle.frame_a.position = {0.583, 0.15, 0.401};
  axle.angle_motor.type = MotorType::Force;
  scene.scene.world.joints.push_back(axle);
  expect_bits_of_one_rank(scene, 8, [](Simulation& simulation, std::int64_t step) {
    // held at a tenth of a rad by what is measured
    const JointState state = simulation.joint_state("axle");
    const auto more = static_cast<double>(step);
    simulation.set_motor("axle", 2000.0 * (0.1 - state.angle) - 50.0 * state.angle_rate + more);
  });
}

TEST(CallersOnRanks, BodiesComeAndGoAsOnOneRank) {
  std::vector<GlobalId> came;
  std::vector<std::vector<double>> read;
  expect_bits_of_one_rank(crowd(), 13, [&](Simulation& simulation, std::int64_t step) {
    BodySpec spec;
    spec.name = "guest" + std::to_string(step);
    spec.material = "stone";
    spec.shape = Sphere{step % 3 == 0 ? 0.6 : 0.05};  // such a large one goes to all ranks
    if (step == 5) spec.motion = Motion::Fixed;
    const auto at = static_cast<double>(step);
    spec.pose.position = step % 3 == 0 ? Vec3{2.0 + at, 0.2, 0.5} : Vec3{0.05 * at, 0.1, 0.5};
    spec.velocity = step == 5 ? Vec3{} : Vec3{0.0, 0.0, -1.0};
    came.push_back(simulation.add(spec));
    if (step < 10) read.push_back(all_that_is_read(simulation));
    if (step > 3) simulation.remove(came[came.size() - 5]);
    if (step % 2 == 1) simulation.remove(first_ball + step);
    if (step == 10) simulation.remove(large_ball);
    drag(simulation, step);
    EXPECT_EQ(simulation.body_count(), 51 + step + 1 - std::max<std::int64_t>(0, step - 3) -
                                           (step + 1) / 2 - (step >= 10 ? 1 : 0));
  });
  for (std::size_t i = 0; i + 1 < read.size(); i += 2) EXPECT_EQ(read[i], read[i + 1]) << i;
}

TEST(CallersOnRanks, ManyBodiesComeAtOnceAsOnOneRank) {
  expect_bits_of_one_rank(crowd(), 12, [](Simulation& simulation, std::int64_t step) {
    if (step % 3 != 0) return;
    std::vector<BodySpec> specs(7);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      specs[i].name = "guest" + std::to_string(step) + "_" + std::to_string(i);
      specs[i].group = "guests";
      specs[i].material = "stone";
      specs[i].shape = Sphere{i == 3 ? 0.6 : 0.04};
      const double along = 0.1 * static_cast<double>(i);
      specs[i].pose.position = {i == 3 ? 3.0 + static_cast<double>(step) : along - 0.1, 0.1, 0.65};
      specs[i].velocity = {0.0, 0.0, -2.0};
    }
    const GlobalId first = simulation.add(specs);
    EXPECT_EQ(simulation.world().groups.back(), "guests");
    EXPECT_NEAR(simulation.state_of(first + 6).position.x, 0.5, 1e-15);
  });
}

/// Of bodies that all ranks have, their owners alone know contacts with others' bodies.
TEST(CallersOnRanks, WhatComesLeavesContactsWithTheirBodies) {
  SmallScene scene(2e-3, 0.4);
  scene.add_floor();
  scene.add("large", Motion::Dynamic, scene.sphere(1.0), {0.0, 0.0, 1.0});  // not of rank 0
  const Index small = scene.sphere(0.05);
  for (int i = 0; i < 48; ++i) {  // the first ones lie in a ring against it
    const int ring = i / 12;
    const double angle = 2.0 * std::numbers::pi / 12.0 * i, far = std::sqrt(0.2) + 0.2 * ring;
    scene.add("ball" + std::to_string(i), Motion::Dynamic, small,
              {far * std::cos(angle), far * std::sin(angle), 0.05});
  }
  const auto read = [](const Simulation& simulation) {
    std::vector<double> numbers;
    for (GlobalId id = 0; id < 50; ++id) {
      for (const BodyContact& contact : simulation.contacts_of(id)) {
        numbers.push_back(static_cast<double>(contact.other));
        put(numbers, contact.point);
        put(numbers, contact.force);
      }
    }
    return numbers;
  };
  for (const Motion motion : {Motion::Fixed, Motion::Dynamic}) {
    Simulation simulation(scene.scene, scene.solver, Communicator::world());
    std::int64_t late = 0;  // bodies that the owner of the large one got with its contacts
    for (int step = 0; step < 4; ++step) {
      simulation.step();
      late += simulation.world().bodies.late;
      const std::vector<double> before = read(simulation);
      BodySpec spec;
      spec.name = "guest" + std::to_string(step);
      spec.motion = motion;
      spec.material = "stone";
      spec.shape = Sphere{1.0};
      spec.pose.position = {5.0 + 3.0 * step, 0.0, 1.0};
      simulation.add(spec);
      EXPECT_EQ(before, read(simulation)) << step;
    }
    EXPECT_GT(simulation.contacts_of(1).size(), 4U);
    if (Communicator::world().rank() == 1) {
      EXPECT_GT(late, 0);
    }
  }
}

TEST(CallersOnRanks, RanksThatDoNotSayTheSameAreToldSo) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = crowd();
  Simulation simulation(scene.scene, scene.solver, comm);
  const double rank = comm.rank();
  const std::string told = fault_of([&] { simulation.push(3, {rank, 0.0, 0.0}); });
  EXPECT_EQ(told, comm.size() == 1 ? ""
                                   : "push: the ranks do not say the same: it is called on "
                                     "all of them, with the same values");
  const auto expect_told = [&](const std::string& call, const std::string& said) {
    if (comm.size() > 1) {
      EXPECT_EQ(said, call +
                          ": the ranks do not say the same: it is called on all of them, with "
                          "the same values");
    }
    EXPECT_EQ(simulation.body_count(), 51);
  };
  const bool is_first = comm.rank() == 0;
  const Vec3 force{1.0, 0.0, 0.0};
  expect_told(is_first ? "push" : "hold",
              fault_of([&] { is_first ? simulation.push(3, force) : simulation.hold(3, force); }));
  expect_told(is_first ? "state_of" : "contacts_of", fault_of([&] {
                if (is_first)
                  simulation.state_of(3);
                else
                  simulation.contacts_of(3);
              }));
  if (comm.size() > 1) {
    expect_told(is_first ? "step" : "push", fault_of([&] {
                  if (is_first)
                    simulation.step();
                  else
                    simulation.push(3, force);
                }));
    expect_told("step", fault_of([&] { simulation.step(1.0 + rank); }));
    EXPECT_EQ(simulation.world().step, 0);
  }
  if (comm.size() > 1)
    for (int what = 0; what < 7; ++what) {
      BodySpec spec;
      spec.name = "guest";
      spec.material = "stone";
      spec.shape = Box{{0.1, 0.1, 0.1}};
      spec.pose.position = {5.0, 0.0, 1.0};
      if (what == 0) spec.inertia = Sym3{1.0 + rank, 0.0, 0.0, 1.0, 0.0, 1.0};
      if (what == 1 && is_first) spec.shape = Sphere{0.1};  // of the same bounds
      if (what == 2) spec.shape = Compound{{{Sphere{0.1}, {}}, {Sphere{0.01 + 0.01 * rank}, {}}}};
      if (what == 5) {  // the parts of one are the begin of the other's
        spec.shape = Compound{{{Sphere{0.1}, {}}}};
        if (is_first) std::get<Compound>(spec.shape).parts.push_back({Sphere{0.1}, {}});
      }
      if (what == 6) {
        expect_told("add", fault_of([&] {
                      simulation.add(std::vector<BodySpec>(is_first ? 2 : 1, spec));
                    }));
        continue;
      }
      if (what == 3 || what == 4) {
        spec.motion = Motion::Kinematic;
        spec.movement.emplace();
        if (what == 3) spec.movement->way[1] = Expression(is_first ? "t" : "2*t", {}, {"t"});
        if (what == 4) spec.movement->through.x = rank;
      }
      SCOPED_TRACE(what);
      expect_told("add", fault_of([&] { simulation.add(spec); }));
    }
  EXPECT_EQ(fault_of([&] { simulation.hold(1000, {}); }),
            "hold: body 1000 is not there: it has gone, or never was");
}

/// Written by all ranks and by one, gone on with on all ranks and on one.
TEST(CallersOnRanks, ACheckpointGoesOnWithTheBitsOfOneRank) {
  const Communicator comm = Communicator::world();
  const test::SharedFolder folder;
  const SmallScene scene = crowd();
  const auto act = [](Simulation& simulation, std::int64_t step) {
    drag(simulation, step);
    if (step == 2) simulation.hold(first_ball + 3, {1.0, 2.0, 0.0});
    if (step == 3) simulation.remove(first_ball + 7);
    simulation.step();
  };
  Simulation shared(scene.scene, scene.solver, comm);
  Simulation alone(scene.scene, scene.solver, Communicator::self());
  for (int step = 0; step < 5; ++step) {
    act(shared, step);
    act(alone, step);
  }
  const std::string of_all = folder.file("of_all.h5"), of_one = folder.file("of_one.h5");
  Checkpoint checkpoint = shared.checkpoint();
  checkpoint.program = {std::byte{7}};
  write_checkpoint(of_all, checkpoint, comm);
  checkpoint = alone.checkpoint();
  checkpoint.program = {std::byte{7}};
  if (comm.rank() == 0) write_checkpoint(of_one, checkpoint, Communicator::self());
  comm.barrier();
  EXPECT_TRUE(test::bytes_of(of_all) == test::bytes_of(of_one));
  Simulation on_all(read_checkpoint(of_one, comm), shared.solver(), comm);
  Simulation on_one(read_checkpoint(of_all, Communicator::self()), shared.solver(),
                    Communicator::self());
  EXPECT_EQ(all_that_is_read(on_all), all_that_is_read(alone));
  for (int step = 5; step < 10; ++step) {
    for (Simulation* simulation : {&alone, &on_all, &on_one}) act(*simulation, step);
    const std::uint64_t hash = trajectory_hash(alone.world().bodies);
    EXPECT_EQ(trajectory_hash(on_all.world().bodies, comm), hash);
    EXPECT_EQ(trajectory_hash(on_one.world().bodies), hash);
  }
}

TEST(CallersOnRanks, ACheckpointIsReadByTheRanksThatGoOn) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = crowd();
  Simulation alone(scene.scene, scene.solver, Communicator::self());
  const Checkpoint whole = alone.checkpoint();
  const std::string told = fault_of([&] { Simulation(whole, alone.solver(), comm); });
  EXPECT_EQ(told.empty(), comm.size() == 1);
  if (comm.size() > 1) {
    EXPECT_THAT(told, testing::HasSubstr("the checkpoint has 51 bodies and 0 contacts"));
  }
}

TEST(CallersOnRanks, ACheckpointHasWhatTheLedgerIsToTell) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = crowd();
  Simulation shared(scene.scene, scene.solver, comm);
  Simulation alone(scene.scene, scene.solver, Communicator::self());
  double brought = 0.0;  // J
  for (Simulation* simulation : {&shared, &alone}) {
    simulation->step();
    BodyState state = simulation->state_of(first_ball);
    state.velocity = {0.0, 0.0, 3.0};
    simulation->set_state(first_ball, state);
    simulation->remove(large_ball);
    Simulation resumed(simulation->checkpoint(), simulation->solver(), simulation->communicator());
    const EnergyLedger ledger = resumed.step().energy;
    EXPECT_EQ(ledger.bodies, simulation->step().energy.bodies);
    if (simulation == &alone) {
      EXPECT_EQ(ledger.bodies, brought);
    }
    brought = ledger.bodies;
  }
  EXPECT_NE(brought, 0.0);
}

TEST(CallersOnRanks, WhatOneRankHasPushedIsInNoCheckpoint) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = crowd();
  Simulation simulation(scene.scene, scene.solver, comm);
  const auto owned = static_cast<std::size_t>(simulation.world().bodies.owned);
  if (comm.rank() == comm.size() - 1) simulation.push_owned(std::vector<Vec3>(owned));
  const std::string told = fault_of([&] { simulation.checkpoint(); });
  EXPECT_THAT(told, testing::HasSubstr("checkpoint: bodies are pushed in the next step"));
  simulation.step();
  EXPECT_EQ(simulation.checkpoint().total_bodies, 51);
}

/// What one rank says wrong all are told, and nobody waits.
TEST(CallersOnRanks, WhatOneRankPushesWronglyAllAreToldByTheStep) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) return;  // there push_owned says it
  const SmallScene scene = crowd();
  Simulation simulation(scene.scene, scene.solver, comm);
  simulation.step();
  if (comm.rank() == comm.size() - 1) {
    simulation.push_owned(std::vector<Vec3>(1000));
    simulation.push_owned(std::vector<Vec3>(2000));
    simulation.push_owned(
        std::vector<Vec3>(static_cast<std::size_t>(simulation.world().bodies.owned)));
  }
  EXPECT_THAT(fault_of([&] { simulation.step(); }),
              testing::AllOf(testing::HasSubstr("push_owned: 1000 forces for "),
                             testing::HasSubstr("push_owned: 2000 forces for ")));
  Simulation other(scene.scene, scene.solver, comm);
  const auto owned = static_cast<std::size_t>(other.world().bodies.owned);
  std::vector<Vec3> forces(owned);
  if (owned > 0) forces.back().z = std::numeric_limits<double>::infinity();
  other.push_owned(forces);
  EXPECT_THAT(fault_of([&] { other.step(); }), testing::HasSubstr("must be finite"));
}

}  // namespace
}  // namespace talus
