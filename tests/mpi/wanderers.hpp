#pragma once
// Spheres that wander at random through a box, some of them large, fixed for a while or as crowded
// as hub bodies: where each is, is a formula of (id, step), so that every rank can follow all of
// them without a message, beside the world that is shared.

#include "talus/model/world.hpp"

#include "generate/random.hpp"

#include <algorithm>
#include <compare>
#include <vector>

namespace talus {

struct Wanderer {
  GlobalId id = 0;
  double radius = 0.0, mass = 1.0;
  bool fixed = false;
  Vec3 position, velocity, spin;
  Quaternion orientation;
};

/// x and y repeat themselves with period 1, z is from 0 to 1.
class Wanderers {
 public:
  static constexpr std::size_t spheres = 130;
  static constexpr double large_reach = 0.1, margin = 0.006;

  Wanderers() {
    for (std::size_t i = 0; i < spheres; ++i) {
      KeyedRandom random(21, i, 0);
      Wanderer one;
      one.id = static_cast<GlobalId>(i + 1);
      one.radius = i % 40 == 10 ? random.uniform(0.11, 0.13) : random.uniform(0.02, 0.06);
      one.mass = random.uniform(0.5, 2.0);
      one.position = {random.uniform(), random.uniform(), random.uniform()};
      all.push_back(one);
    }
  }

  /// What everybody does in a step. Every so often one body stands still for thirty steps.
  void walk(std::int64_t step) {
    for (Wanderer& one : all) walk(one, step);
  }
  static void walk(Wanderer& one, std::int64_t step) {
    if (one.fixed) return;
    KeyedRandom random(static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(one.id), 1);
    const bool jumps = random.chance(1e-3);
    one.velocity = (jumps ? 0.3 : 2e-3) * random.direction();
    one.spin = random.direction();
    one.orientation = {random.uniform(), random.uniform(), random.uniform(), random.uniform()};
    one.position = one.position + one.velocity;
    // back from the floor and the ceiling
    if (one.position.z < 0.0) one.position.z = -one.position.z;
    if (one.position.z > 1.0) one.position.z = 2.0 - one.position.z;
  }
  /// Into the cell again, as the world does after each step.
  static void bring_back(Wanderer& one) {
    for (double* x : {&one.position.x, &one.position.y}) {
      if (*x < 0.0) *x += 1.0;
      if (*x >= 1.0) *x -= 1.0;
    }
  }
  void bring_back() {
    for (Wanderer& one : all) bring_back(one);
  }

  std::vector<Wanderer> all;
};

/// Two that touch: the second moved by `x` and `y` periods.
struct Touch {
  GlobalId a = 0, b = 0;
  int x = 0, y = 0;
  auto operator<=>(const Touch&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// All pairs of all bodies, and all bodies with the floor, whose id is 0: the plain way.
inline std::vector<Touch> touches_of(const Wanderers& crowd) {
  std::vector<Touch> found;
  for (const Wanderer& one : crowd.all)
    if (!one.fixed && one.position.z - one.radius <= Wanderers::margin)
      found.push_back({0, one.id, 0, 0});
  for (std::size_t i = 0; i < crowd.all.size(); ++i)
    for (std::size_t j = i + 1; j < crowd.all.size(); ++j) {
      const Wanderer &a = crowd.all[i], &b = crowd.all[j];
      if (a.fixed && b.fixed) continue;
      const double near = a.radius + b.radius + (a.fixed ? 0.0 : Wanderers::margin) +
                          (b.fixed ? 0.0 : Wanderers::margin);
      const Vec3 way = b.position - a.position;
      for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y) {
          const Vec3 d{way.x + x, way.y + y, way.z};
          if (dot(d, d) <= near * near) found.push_back({a.id, b.id, x, y});
        }
    }
  std::sort(found.begin(), found.end());
  return found;
}

/// The same bodies as those of a world: rank r of `ranks` has every so many of them.
inline World world_of(const Wanderers& crowd, int rank, int ranks) {
  World world;
  world.shapes = {Sphere{1.0}, Plane{{0.0, 0.0, 1.0}}};
  world.materials.set_pair(world.materials.add({"stone", 1.0}), 0, {});
  world.domain.low = {0.0, 0.0, -10.0};
  world.domain.high = {1.0, 1.0, 10.0};
  world.domain.periodic = {true, true, false};
  world.bodies.rank = rank;
  const auto put = [&](const NewBody& body) {
    append(world.bodies, body,
           reach_of(world.shapes[static_cast<std::size_t>(body.shape)], body.scale));
  };
  NewBody floor;
  floor.shape = 1;
  floor.motion = Motion::Fixed;
  if (rank == 0) put(floor);
  for (const Wanderer& one : crowd.all) {
    if (one.id % ranks != rank) continue;
    NewBody body;
    body.id = one.id;
    body.scale = one.radius;
    body.mass = one.mass;
    body.inertia = {one.mass, 0.0, 0.0, one.mass, 0.0, one.mass};
    body.pose = {one.position, one.orientation};
    put(body);
  }
  for (std::size_t j = 0; j < 40; ++j) {
    KeyedRandom random(22, j, 0);
    const auto any = [&] { return crowd.all[random.below(crowd.all.size())].id; };
    Joint joint;
    joint.type = JointType::Spring;
    joint.body_a = j % 8 == 0 ? world_id : any();
    joint.body_b = any();
    if (joint.body_a != joint.body_b) world.joints.push_back(joint);
  }
  return world;
}

}  // namespace talus
