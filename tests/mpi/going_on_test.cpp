// What goes on from a checkpoint on ranks: with the bits of one, and only from what they say alike.

#include "talus/core/error.hpp"
#include "talus/simulation/simulation.hpp"

#include "mpi/shared_folder.hpp"
#include "support/fault_of.hpp"
#include "support/small_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace talus {
namespace {

using support::fault_of;
using support::SmallScene;
using test::agreed_message;
using ::testing::HasSubstr;

constexpr int pairs = 12;

/// Pairs of balls that fly side by side, so fast that their contacts are looked for far away; with
/// so many contacts gravity turns over.
SmallScene flying_pairs() {
  SmallScene small(1e-2, 0.4);
  const Index ball = small.sphere(0.05);
  for (int i = 0; i < pairs; ++i)
    for (const double y : {0.0, 0.16}) {
      const std::string name = "ball" + std::to_string(small.scene.bodies.size());
      const std::size_t body = small.add(name, Motion::Dynamic, ball, {5.0 * i, y, 0.0});
      small.body(body).velocity = {10.0, 0.0, 0.0};
    }
  small.set_gravity({});
  Event flip;
  flip.kind = Event::Kind::Gravity;
  flip.when = Expression("contacts == " + std::to_string(pairs), {}, event_variables);
  flip.gravity[2] = Expression(9.81);
  small.scene.events.push_back(flip);
  return small;
}

/// After a step; then all stand still, and contacts are of bodies far apart for what they do now.
Checkpoint of_standing_pairs(const SmallScene& scene, const Communicator& comm) {
  Simulation simulation(scene.scene, scene.solver, comm);
  simulation.step();
  for (GlobalId id = 0; id < 2 * pairs; ++id) {
    BodyState state = simulation.state_of(id);
    state.velocity = {};
    simulation.set_state(id, state);
  }
  return simulation.checkpoint();
}

TEST(GoingOn, ContactsOfBodiesThatAreFarApartByNowAreThoseOfOneRank) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = flying_pairs();
  Simulation alone(of_standing_pairs(scene, Communicator::self()), scene.solver,
                   Communicator::self());
  BalanceSettings balance;
  balance.by = BalanceSettings::By::Counts;
  for (const OwnerKind kind : {OwnerKind::Random, OwnerKind::Hilbert, OwnerKind::Metis}) {
    balance.cells.kind = kind;
    Simulation shared(of_standing_pairs(scene, comm), scene.solver, comm, balance);
    Simulation one = alone;
    EXPECT_EQ(shared.checkpoint().total_contacts, pairs);
    for (GlobalId id = 0; id < 2 * pairs; ++id) {
      const std::vector<BodyContact> here = shared.contacts_of(id), there = one.contacts_of(id);
      EXPECT_EQ(here.size(), 1U) << id;
      EXPECT_EQ(there.size(), 1U) << id;
      if (here.size() != 1 || there.size() != 1) continue;
      EXPECT_EQ(here[0].other, there[0].other);
      EXPECT_EQ(here[0].state, there[0].state);
      EXPECT_EQ(length(here[0].point - there[0].point), 0.0);
    }
    for (int step = 0; step < 3; ++step) {
      shared.step();
      one.step();
      EXPECT_EQ(trajectory_hash(shared.world().bodies, comm), trajectory_hash(one.world().bodies));
    }
    EXPECT_GT(one.state_of(0).velocity.z, 0.2);  // the event saw the contacts
    EXPECT_EQ(one.state_of(0).velocity.z, shared.state_of(0).velocity.z);
  }
}

/// Its partner is there, or not, or one that all ranks have.
TEST(GoingOn, AContactOfABodyThatNobodyHasIsRefused) {
  const Communicator comm = Communicator::world();
  SmallScene scene = flying_pairs();
  scene.add("floor", Motion::Fixed, scene.plane({0.0, 0.0, 1.0}), {0.0, 0.0, -10.0});
  constexpr GlobalId last_ball = 2 * pairs - 1, floor = 2 * pairs, nobody = floor + 7;
  for (const GlobalId partner : {last_ball - 1, nobody - 1, floor}) {
    Checkpoint forged = of_standing_pairs(scene, comm);
    for (StoredContact& contact : forged.contacts)
      if (contact.name.b == last_ball) {
        contact.name.a = partner;
        contact.name.b = nobody;
      }
    EXPECT_THAT(fault_of([&] { Simulation(forged, scene.solver, comm); }),
                HasSubstr("has a contact of a body that it has not: it is damaged"));
  }
}

/// What one rank says otherwise: law, tolerance, ..., and what the checkpoint says.
TEST(GoingOn, RanksSayTheSame) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = flying_pairs();
  const Checkpoint good = of_standing_pairs(scene, comm);
  const bool is_last = comm.size() > 1 && comm.rank() == comm.size() - 1;
  const std::vector<std::function<void(Checkpoint&, SolveOptions&)>> otherwise = {
      [](Checkpoint&, SolveOptions& solver) { solver.law = Law::Associated; },
      [](Checkpoint& from, SolveOptions& solver) {
        solver.law = Law::Associated;
        from.law = name_of(solver.law);
      },
      [](Checkpoint&, SolveOptions& solver) { solver.tolerance = 1e-5; },
      [](Checkpoint& from, SolveOptions&) { from.tolerance = 1e-5; },
      [](Checkpoint& from, SolveOptions&) { ++from.total_bodies; },
      [](Checkpoint& from, SolveOptions&) { ++from.total_contacts; },
      [](Checkpoint& from, SolveOptions&) { ++from.world.step; },
      [](Checkpoint& from, SolveOptions&) { from.settings.h *= 0.5; },
      [](Checkpoint& from, SolveOptions&) { ++from.world.removed; },
      [](Checkpoint& from, SolveOptions&) { from.scene.events.clear(); }};
  for (std::size_t k = 0; k < otherwise.size(); ++k) {
    Checkpoint from = good;
    SolveOptions solver = scene.solver;
    if (is_last) otherwise[k](from, solver);
    EXPECT_EQ(agreed_message(comm, [&] { Simulation(from, solver, comm); }),
              comm.size() == 1 ? ""
                               : "going on: the ranks do not say the same: it is called on all of "
                                 "them, with the same values")
        << k;
  }
}

TEST(GoingOn, WhatOneRankHasDamagedAllRefuse) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = flying_pairs();
  Checkpoint from = of_standing_pairs(scene, comm);
  if (comm.rank() == comm.size() - 1) {
    PairProperties pair = from.world.materials.pair(0, 0);
    pair.friction = -0.5;
    from.world.materials.set_pair(0, 0, pair);
  }
  EXPECT_THAT(agreed_message(comm, [&] { Simulation(from, scene.solver, comm); }),
              HasSubstr("the pair stone - stone: friction = -0.5"));
  from = of_standing_pairs(scene, comm);
  if (comm.rank() == comm.size() - 1) from.simulation.pop_back();
  EXPECT_THAT(agreed_message(comm, [&] { Simulation(from, scene.solver, comm); }),
              HasSubstr("the checkpoint's part of the simulation ends too early"));
}

/// Each of them as many as it should.
TEST(GoingOn, SlicesThatOverlapOrAreMixedUpAreRefused) {
  const Communicator comm = Communicator::world();
  const SmallScene scene = flying_pairs();
  const Checkpoint good = of_standing_pairs(scene, comm),
                   whole = of_standing_pairs(scene, Communicator::self());
  Checkpoint bodies = good, contacts = good;
  std::copy_n(whole.bodies.begin(), bodies.bodies.size(), bodies.bodies.begin());
  std::copy_n(whole.contacts.begin(), contacts.contacts.size(), contacts.contacts.begin());
  if (comm.size() == 1) {
    std::swap(bodies.bodies[3], bodies.bodies[4]);
    contacts.contacts[3] = contacts.contacts[4];
  }
  const auto told = [&](const Checkpoint& from) {
    return agreed_message(comm, [&] { Simulation(from, scene.solver, comm); });
  };
  EXPECT_EQ(told(good), "");
  EXPECT_THAT(told(bodies), HasSubstr("the bodies of the ranks' slices do not follow each other"));
  EXPECT_THAT(told(contacts),
              HasSubstr("the contacts of the ranks' slices do not follow each other"));
  Checkpoint more = good;  // what one has too many another one lacks
  if (comm.rank() == 0) more.contacts.push_back(whole.contacts.back());
  if (comm.rank() == comm.size() - 1) more.contacts.pop_back();
  EXPECT_THAT(told(more), comm.size() == 1
                              ? testing::Matcher<std::string>(testing::IsEmpty())
                              : HasSubstr("the checkpoint has 24 bodies and 12 contacts, the "
                                          "slices of the ranks have 24 and 12"));
}

}  // namespace
}  // namespace talus
