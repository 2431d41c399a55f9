// Energies of eight contacts at a time against those of one after the other: the same terms on each
// x86-64 level, whatever contacts are.

#include "generate/random.hpp"
#include "simulation/energy_sums.hpp"
#include "support/machine.hpp"

#include <gtest/gtest.h>

namespace talus {
namespace {

constexpr Index bodies = 60, contacts = 80;

enum class Scene { Plain, Everything };

/// Bodies of two materials, contacts anywhere between any two of them. With everything: springs
/// within and cohesion between the materials, images, walls that move.
World some_world(Scene scene) {
  const bool all = scene == Scene::Everything;
  World world;
  world.materials.add({"a", 0.0});
  world.materials.add({"b", 0.0});
  PairProperties soft, sticky;
  if (all) {
    soft.compliance = 1e-5;
    sticky.cohesion = 3.0;
    world.domain.periodic = {true, false, true};
    world.domain.low = {0.0, 0.0, 0.0};
    world.domain.high = {1.0, 2.0, 3.0};
  }
  world.materials.set_pair(0, 0, {});
  world.materials.set_pair(1, 1, soft);
  world.materials.set_pair(0, 1, sticky);
  for (Index b = 0; b < bodies; ++b) {
    KeyedRandom random(1, static_cast<std::uint64_t>(b), 1);
    NewBody body;
    body.id = b;
    body.motion = all && b % 5 == 0 ? Motion::Kinematic : Motion::Dynamic;
    body.material = b % 2;
    body.pose.position = 2.0 * random.direction();
    append(world.bodies, body, 0.5);
  }
  ContactSet& set = world.contacts;
  for (Index c = 0; c < contacts; ++c) {
    KeyedRandom random(2, static_cast<std::uint64_t>(c), 1);
    const auto a = static_cast<Index>(random.below(bodies - 1));
    const Index b =
        a + 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies - 1 - a)));
    ContactName name;
    name.a = a;
    name.b = b;
    if (all) name.image = {static_cast<std::int8_t>(c % 3 - 1), 0, static_cast<std::int8_t>(c % 2)};
    set.name.push_back(name);
    set.body_a.push_back(a);
    set.body_b.push_back(b);
    set.point.push_back(2.0 * random.direction());
    set.normal.push_back(random.direction());
    set.gap.push_back(random.uniform(-1e-3, 1e-3));
    set.impulse.push_back({});
  }
  return world;
}

struct Solved {
  StepPart part;
  ConeProblem problem;
  RowVector impulses, gap;
};

/// Contacts in another order than in the world; some push nothing, some by next to nothing.
Solved some_answer() {
  const std::vector<double> frictions{0.0, 0.3, 1.0, infinity};
  const std::vector<double> sizes{1.0, 1.0, 0.0, 1e-200, 1e3};
  Solved solved;
  ConeCounts counts;
  counts.scalar = 3;
  counts.spatial = contacts;
  solved.problem.cones = make_cone_set(counts);
  ConeSet& cones = solved.problem.cones;
  solved.impulses.assign(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  solved.gap = solved.impulses;
  for (Index cone = 0; cone < contacts; ++cone) {
    KeyedRandom random(3, static_cast<std::uint64_t>(cone), 1);
    const auto i = static_cast<std::size_t>(cone);
    solved.part.contact.push_back((cone * 7 + 3) % contacts);
    set_spatial_friction(cones, cone, frictions[i % frictions.size()], random.direction(), {});
    set_spatial_value(cones, solved.impulses, cone, sizes[i % sizes.size()] * random.direction());
    set_spatial_value(cones, solved.gap, cone, 0.1 * random.direction());
  }
  return solved;
}

Halfway some_velocities(const World& world) {
  Halfway halfway(world.bodies.id.size());
  for (std::size_t b = 0; b < halfway.size(); ++b) {
    KeyedRandom random(4, b, 1);
    const Vec3 &x = world.bodies.position[b], v = random.direction(), w = random.direction();
    halfway[b] = {{x.x, x.y, x.z}, {v.x, v.y, v.z}, {w.x, w.y, w.z}};
  }
  return halfway;
}

std::vector<std::uint64_t> bits_of_sums(EnergySums& sums) {
  std::vector<std::uint64_t> bits;
  for (const LimbSum& sum : sums.sums()) bits.push_back(support::bits_of(sum.value()));
  return bits;
}

TEST(ContactEnergies, OfEightAreThoseOfEach) {
  const Solved solved = some_answer();
  for (const Scene scene : {Scene::Plain, Scene::Everything})
    for (const Law law : {Law::Coulomb, Law::Associated})
      for (const SimdLevel level : support::levels_here()) {
        const support::ForcedLevel forced(level);
        const World world = some_world(scene);
        const SolvedStep step{
            world,           1e-3,      law, {}, {}, {}, {}, solved.part, solved.problem,
            solved.impulses, solved.gap};
        const Halfway halfway = some_velocities(world);
        const ContactEnergies energies(step, halfway);
        ASSERT_TRUE(energies.has_tiles());
        for (Index tile = 0; tile < contacts / lanes; ++tile) {
          EnergySums found, expected;
          energies.add_tile(tile, found);
          for (Index lane = 0; lane < lanes; ++lane) energies.add(tile * lanes + lane, expected);
          EXPECT_EQ(bits_of_sums(found), bits_of_sums(expected))
              << "tile " << tile << ", law " << name_of(law) << ", level " << name_of(level);
        }
      }
}

TEST(ContactEnergies, UnderTheBoxLawAreThoseOfEach) {
  const Solved solved = some_answer();
  const World world = some_world(Scene::Plain);
  const SolvedStep step{world,       1e-3,           Law::Box,        {},        {}, {}, {},
                        solved.part, solved.problem, solved.impulses, solved.gap};
  EXPECT_FALSE(ContactEnergies(step, some_velocities(world)).has_tiles());
}

}  // namespace
}  // namespace talus
