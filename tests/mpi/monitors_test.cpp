// Monitors on many ranks: the bits of one, for any owners of the bodies.

#include "simulation/monitors.hpp"

#include "talus/io/state_file.hpp"

#include "mpi/shared_folder.hpp"
#include "partition/state_slice.hpp"
#include "simulation/contact_forces.hpp"
#include "support/cut_world.hpp"
#include "support/pile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus {
namespace {

using Kind = MonitorSettings::Kind;

/// Half way of the body that has moved most in the last step.
Vec3 where_something_passes(const World& world) {
  const auto fastest =
      std::max_element(world.bodies.velocity.begin(), world.bodies.velocity.end(),
                       [](const Vec3& a, const Vec3& b) { return std::abs(a.z) < std::abs(b.z); });
  const auto b = static_cast<std::size_t>(fastest - world.bodies.velocity.begin());
  return world.bodies.position[b] - 0.5 * support::step_of_pile * world.bodies.velocity[b];
}

std::vector<MonitorSettings> all_monitors(const World& world) {
  std::vector<MonitorSettings> all;
  Region region;
  region.low = {-0.2, -0.1, 0.0};
  region.high = {0.2, 0.3, 0.3};
  for (const Kind kind : {Kind::Energy, Kind::Coordination, Kind::SolidFraction, Kind::Stress,
                          Kind::Fabric, Kind::Forces, Kind::Flow, Kind::Load, Kind::Reaction,
                          Kind::Quantiles, Kind::Profile, Kind::Track}) {
    MonitorSettings settings;
    settings.kind = kind;
    settings.name = monitor_kinds[static_cast<std::size_t>(kind)];
    if (kind == Kind::SolidFraction || kind == Kind::Stress) settings.region = region;
    if (kind == Kind::Load) settings.group = world.find_group("floor");
    if (kind == Kind::Track) settings.group = world.find_group("balls");
    settings.joint = "rope";
    settings.bins = 5;
    settings.from = -0.1;
    settings.to = kind == Kind::Profile ? 0.4 : 3.0;
    settings.values = {0.1, 0.5, 0.9};
    settings.at = where_something_passes(world);
    all.push_back(settings);
  }
  return all;
}

/// All lines of all monitors, as bits.
std::vector<std::vector<std::uint64_t>> bits_of(Monitors& monitors, const World& world) {
  const ContactForces forces = contact_forces(world, support::step_of_pile);
  for (int step = 0; step < 3; ++step) monitors.after_step(world, forces, 1);
  std::vector<std::vector<std::uint64_t>> all;
  for (std::size_t m = 0; m < monitors.count(); ++m)
    for (const std::vector<double>& row : monitors.rows(m, world, forces)) {
      all.emplace_back();
      for (const double value : row) all.back().push_back(std::bit_cast<std::uint64_t>(value));
    }
  return all;
}

int scattered(GlobalId id, int ranks) {
  return static_cast<int>(id * 7919 % 101) % ranks;
}

TEST(MonitorsOnRanks, HaveTheBitsOfOneRank) {
  const Communicator world = Communicator::world();
  const World whole = support::settled_pile();
  const std::vector<std::function<int(GlobalId)>> cuts{
      [&](GlobalId id) { return static_cast<int>(id) % world.size(); },
      [&](GlobalId) { return world.size() - 1; },
      [&](GlobalId id) { return scattered(id, world.size()); }};
  Monitors alone(all_monitors(whole), Communicator::self());
  const auto expected = bits_of(alone, whole);
  for (const auto& owner : cuts) {
    const World mine = support::cut_world(whole, owner, world.rank());
    Monitors shared(all_monitors(whole), world);
    auto found = bits_of(shared, mine);
    auto wanted = expected;
    if (world.rank() != 0) wanted.resize(wanted.size() - 24);  // tracks are on rank 0
    EXPECT_EQ(found, wanted);
  }
}

/// Loads and flows of 3 steps; after `stop` of them another begins from what the first remembers.
std::vector<std::vector<double>> lines_of_three_steps(const std::vector<MonitorSettings>& settings,
                                                      const World& mine, const Communicator& comm,
                                                      int stop) {
  const ContactForces forces = contact_forces(mine, support::step_of_pile);
  Monitors before(settings, comm);
  for (int step = 0; step < stop; ++step) before.after_step(mine, forces, 1);
  Monitors after(settings, comm);
  after.recall(before.memory());
  for (int step = stop; step < 3; ++step) after.after_step(mine, forces, 1);
  std::vector<std::vector<double>> rows;
  for (const Kind kind : {Kind::Flow, Kind::Load})
    rows.push_back(after.rows(static_cast<std::size_t>(kind), mine, forces).at(0));
  return rows;
}

TEST(MonitorsOnRanks, GoOnFromWhatTheyRemember) {
  const Communicator world = Communicator::world();
  const World whole = support::settled_pile();
  const World mine = support::cut_world(
      whole, [&](GlobalId id) { return scattered(id, world.size()); }, world.rank());
  const std::vector<MonitorSettings> settings = all_monitors(whole);
  const auto at_once = lines_of_three_steps(settings, mine, world, 0);
  EXPECT_NE(at_once[0][2], 0.0) << "something goes through the plane";
  for (const int stop : {1, 2, 3})
    EXPECT_EQ(lines_of_three_steps(settings, mine, world, stop), at_once) << stop;
  EXPECT_EQ(lines_of_three_steps(settings, whole, Communicator::self(), 2), at_once)
      << "on one rank";
}

TEST(MonitorsOnRanks, SnapshotsHaveTheBytesOfOneRank) {
  const test::SharedFolder folder;
  const World whole = support::settled_pile();
  const double h = support::step_of_pile;
  folder.on_rank_0([&] {
    write_snapshot(folder.file("alone.h5"), whole, contact_forces(whole, h), Communicator::self());
    write_state(folder.file("state.h5"), whole);
  });
  const World mine = support::cut_world(
      whole, [&](GlobalId id) { return scattered(id, folder.world.size()); }, folder.world.rank());
  write_snapshot(folder.file("shared.h5"), mine, contact_forces(mine, h), folder.world);
  const StateSlice slice = state_slice(folder.world, mine.bodies);
  write_state(folder.file("shared_state.h5"), mine, slice.bodies, slice.total, folder.world);
  folder.on_rank_0([&] {
    EXPECT_EQ(test::bytes_of(folder.file("shared.h5")), test::bytes_of(folder.file("alone.h5")));
    EXPECT_EQ(test::bytes_of(folder.file("shared_state.h5")),
              test::bytes_of(folder.file("state.h5")));
    EXPECT_EQ(read_state(folder.file("shared.h5")).bodies.size(), whole.bodies.id.size());
  });
}

}  // namespace
}  // namespace talus
