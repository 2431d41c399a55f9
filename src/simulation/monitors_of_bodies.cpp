// Monitors that look at bodies: energies, volume in a region, loads, joints, tracks.

#include "talus/model/joint.hpp"

#include "generate/scene_parts.hpp"
#include "simulation/contact_forces.hpp"
#include "simulation/monitor_parts.hpp"
#include "simulation/monitors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace talus {
namespace monitors {
namespace {

/// 1/2 w . I w, in the axes of the body.
double rotation_energy(const BodySet& bodies, std::size_t b) {
  if (!std::isfinite(bodies.inertia[b].xx)) return 0.0;  // nothing turns it
  const Vec3 w = rotate_back(bodies.orientation[b], bodies.angular_velocity[b]);
  return 0.5 * dot(w, bodies.inertia[b] * w);
}

/// Translation, rotation, potential. Prescribed motions have an infinite mass: no energy.
Row energies(const Communicator& comm, const World& world,
             const std::function<bool(std::size_t)>& watched) {
  const BodySet& bodies = world.bodies;
  const Vec3 gravity = constant_gravity(world);
  return exact_sums(comm, 3, [&](const Add& add) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (bodies.motion[b] != Motion::Dynamic || !watched(b)) continue;
      add(0, 0.5 * bodies.mass[b] * dot(bodies.velocity[b], bodies.velocity[b]));
      add(1, rotation_energy(bodies, b));
      add(2, -bodies.mass[b] * dot(gravity, bodies.position[b]));
    }
  });
}

// ---- volume in a region -------------------------------------------------------------------------

/// Points in the unit cube, evenly spread: Halton's sequence of bases 2, 3, 5 [Halton60].
const std::vector<Vec3>& spread_points() {
  static const std::vector<Vec3> points = [] {
    constexpr int count = 2000;
    const auto fraction = [](int i, int base) {
      double value = 0.0, digit = 1.0;
      for (; i > 0; i /= base) {
        digit /= base;
        value += digit * (i % base);
      }
      return value;
    };
    std::vector<Vec3> made;
    for (int i = 1; i <= count; ++i)
      made.push_back({fraction(i, 2), fraction(i, 3), fraction(i, 5)});
    return made;
  }();
  return points;
}

/// Points evenly in a convex part, in its frame.
std::vector<Vec3> points_in(const Sphere& sphere) {
  std::vector<Vec3> points;
  for (const Vec3& u : spread_points()) {
    const Vec3 x = 2.0 * u - Vec3{1.0, 1.0, 1.0};
    if (dot(x, x) <= 1.0) points.push_back(sphere.radius * x);
  }
  return points;
}
std::vector<Vec3> points_in(const Box& box) {
  std::vector<Vec3> points;
  for (const Vec3& u : spread_points())
    points.push_back({(2.0 * u.x - 1.0) * box.half.x, (2.0 * u.y - 1.0) * box.half.y,
                      (2.0 * u.z - 1.0) * box.half.z});
  return points;
}

/// A convex part of a shape, and its share of the region by fixed points.
struct SolidPart {
  double volume = 0.0;       ///< m3, at scale 1
  Vec3 centre;               ///< in the frame of the body
  double reach = 0.0;        ///< of it, about its centre
  std::vector<Vec3> points;  ///< in the frame of the body
};

template <class Part>
SolidPart solid_part(const Part& part, const Pose& pose) {
  SolidPart solid{mass_properties(Shape(part)).volume, pose.position, reach_of(Shape(part), 1.0),
                  points_in(part)};
  for (Vec3& point : solid.points) point = to_world(pose, point);
  return solid;
}

/// Of a mesh the whole volume stands at its centre; planes have none.
std::vector<SolidPart> solid_parts(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return {solid_part(*sphere, {})};
  if (const auto* box = std::get_if<Box>(&shape)) return {solid_part(*box, {})};
  if (std::holds_alternative<Mesh>(shape))
    return {{mass_properties(shape).volume, {}, 0.0, {Vec3{}}}};
  std::vector<SolidPart> parts;
  if (const auto* compound = std::get_if<Compound>(&shape))
    for (const Compound::Part& part : compound->parts)
      parts.push_back(std::visit([&](const auto& convex) { return solid_part(convex, part.pose); },
                                 part.shape));
  return parts;
}

/// 1 where a ball lies inside, 0 outside, -1 where its points must be asked.
int ball_inside(const Region& region, const Bounds& bounds, const Vec3& centre, double radius) {
  const Vec3 r{radius, radius, radius};
  if (!overlap(bounds, {centre - r, centre + r})) return 0;
  if (radius == 0.0) return contains(region, centre) ? 1 : 0;
  const Vec3 nearest = nearest_inside(region, radius, centre);
  const Vec3 way = nearest - centre;
  return directions_with_room(region, radius) == 3 && dot(way, way) == 0.0 ? 1 : -1;
}

double volume_inside(const Region& region, const Bounds& bounds, const SolidPart& part,
                     double scale, const Pose& pose) {
  const double volume = part.volume * scale * scale * scale;
  const int all =
      ball_inside(region, bounds, to_world(pose, scale * part.centre), scale * part.reach);
  if (all >= 0) return all * volume;
  const auto inside = std::count_if(part.points.begin(), part.points.end(), [&](const Vec3& p) {
    return contains(region, to_world(pose, scale * p));
  });
  return volume * static_cast<double>(inside) / static_cast<double>(part.points.size());
}

}  // namespace

Row energy(const View& view) {
  Row row = energies(view.comm, view.world,
                     [&](std::size_t b) { return is_watched(view.settings, view.world, b); });
  row.push_back(row[0] + row[1] + row[2]);
  return row;
}

Row solid_fraction(const View& view) {
  const BodySet& bodies = view.world.bodies;
  const Region& region = *view.settings.region;
  const Bounds bounds = bounds_of(region);
  const std::vector<Vec3> shifts = images_of({}, view.world.periodicity());
  std::map<Index, std::vector<SolidPart>> parts;
  const Row sum = exact_sums(view.comm, 1, [&](const Add& add) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (!is_watched(view.settings, view.world, b)) continue;
      const auto [of_shape, is_new] = parts.try_emplace(bodies.shape[b]);
      if (is_new) of_shape->second = solid_parts(view.world.shapes[bodies.shape[b]]);
      for (const Vec3& shift : shifts)
        for (const SolidPart& part : of_shape->second)
          add(0, volume_inside(region, bounds, part, bodies.scale[b],
                               {bodies.position[b] + shift, bodies.orientation[b]}));
    }
  });
  return {sum[0] / volume_of(region), sum[0]};
}

void add_load(const View& view, const Add& add) {
  const World& world = view.world;
  const ContactSet& contacts = world.contacts;
  const auto is_member = [&](Index body) {
    return world.bodies.group[body] == view.settings.group;
  };
  const auto add_three = [&](std::size_t first, const Vec3& v) {
    add(first, v.x);
    add(first + 1, v.y);
    add(first + 2, v.z);
  };
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    if (view.forces.owned[c] == 0) continue;
    const bool on_a = is_member(contacts.body_a[c]), on_b = is_member(contacts.body_b[c]);
    if (on_a == on_b) continue;  // inner forces, or others'
    const double sign = on_b ? 1.0 : -1.0;
    const Vec3 force = sign * view.forces.force[c];
    // `point` is where A is; B is touched at an image of it
    const Vec3 arm = on_a ? contacts.point[c] - view.settings.at
                          : lever(world, view.forces.h, contacts.body_b[c], contacts.point[c]) +
                                world.bodies.position[contacts.body_b[c]] - view.settings.at;
    add_three(0, force);
    add_three(3, cross(arm, force));
    if (!view.forces.torque.empty()) add_three(3, sign * view.forces.torque[c]);
  }
}

Row reaction(const View& view) {
  const World& world = view.world;
  return exact_sums(view.comm, 7, [&](const Add& add) {
    for (const Joint& joint : world.joints) {
      if (joint.name != view.settings.joint || !owns(world, joint)) continue;
      const Vec3 &f = joint.reaction_force, &m = joint.reaction_torque;
      const std::array<double, 7> values{f.x, f.y, f.z, m.x, m.y, m.z, joint.angle};
      for (std::size_t k = 0; k < values.size(); ++k) add(k, values[k]);
    }
  });
}

std::vector<Row> track(const View& view) {
  const BodySet& bodies = view.world.bodies;
  constexpr std::size_t hub = 14;
  std::vector<double> mine;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (!is_watched(view.settings, view.world, b)) continue;
    const Vec3 &x = bodies.position[b], &v = bodies.velocity[b], &w = bodies.angular_velocity[b];
    const Quaternion& q = bodies.orientation[b];
    mine.insert(mine.end(), {static_cast<double>(bodies.id[b]), x.x, x.y, x.z, q.w, q.x, q.y, q.z,
                             v.x, v.y, v.z, w.x, w.y, w.z});
  }
  std::vector<Row> rows;
  for (const Bytes& bytes : view.comm.gather(to_bytes(mine), 0)) {
    const std::vector<double> numbers = from_bytes<double>(bytes);
    for (std::size_t at = 0; at < numbers.size(); at += hub)
      rows.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(at),
                        numbers.begin() + static_cast<std::ptrdiff_t>(at + hub));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a[0] < b[0]; });
  return rows;
}

}  // namespace monitors

Energies energies_of(const World& world, const Communicator& comm) {
  const monitors::Row sums = monitors::energies(comm, world, [](std::size_t) { return true; });
  return {sums[0] + sums[1], sums[2]};
}

}  // namespace talus
