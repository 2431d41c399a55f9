// What contacts do to the energies of bodies within a step.

#include "assembly/contact_rows.hpp"
#include "core/in_parallel.hpp"
#include "core/of_level.hpp"
#include "model/body_traits.hpp"
#include "simulation/energy_sums.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

Vec3 speed(const Twist& u, const Vec3& arm) {
  return u.linear + cross(u.angular, arm);
}

double times_finite(double coefficient, double x) {
  return coefficient < infinity ? coefficient * x : 0.0;
}

/// What complementarity leaves over, J: 0 of an exact answer, whatever it is. Together x . w^ of
/// the law (docs/measures.md), where x is the impulse and w^ the velocity that it is set against.
struct Leftover {
  double normal = 0.0, tangential = 0.0, rolling = 0.0;
  double all() const { return normal + tangential + rolling; }
};

/// One contact: impulse with its torque, and gap velocity; lengths as in the stored rows.
struct SolvedContact {
  SixRows impulse, gap;
  RollingFriction friction;
  bool rolls = false;
};

Leftover leftover_of(Law law, const SolvedContact& contact, const ConeSet& cones, Index frame,
                     const Vec3& n) {
  const Vec3 &x = contact.impulse.linear, &w = contact.gap.linear;
  const double xn = dot(x, n), wn = dot(w, n);
  const Vec3 wt = w - wn * n;
  double slip = length(wt);
  if (law == Law::Box) {
    const Vec3 parts = to_contact_frame(cones, frame, w);
    slip = std::abs(parts.y) + std::abs(parts.z);
  }
  const double sliding = xn * times_finite(contact.friction.sliding, slip);
  Leftover left{xn * wn, dot(x, wt) + sliding, 0.0};
  if (contact.rolls) {
    const Vec3 &m = contact.impulse.angular, &turn = contact.gap.angular;
    const double spin = dot(turn, n);
    double across = length(turn - spin * n);
    if (law == Law::Box) {
      const Vec3 parts = to_contact_frame(cones, frame, turn);
      across = std::abs(parts.y) + std::abs(parts.z);
    }
    const double resisted = xn * (times_finite(contact.friction.rolling, across) +
                                  times_finite(contact.friction.spinning, std::abs(spin)));
    left.rolling = dot(m, turn) + resisted;
    if (law == Law::Associated) left.normal -= resisted;
  }
  if (law == Law::Associated) left.normal -= sliding;
  return left;
}

bool is_zero(const SixRows& x) {
  return dot(x.linear, x.linear) == 0.0 && dot(x.angular, x.angular) == 0.0;
}

}  // namespace

ContactEnergies::ContactEnergies(const SolvedStep& step, const Halfway& halfway)
    : step_(step),
      halfway_(halfway),
      cohesive_(step.world.materials.is_cohesive()),
      has_tiles_(step.problem.cones.rolling_count == 0 && step.law != Law::Box) {
  const World& world = step.world;
  const ContactSet& contacts = world.contacts;
  const ConeSet& cones = step.problem.cones;
  const auto count = static_cast<std::size_t>(contacts.count());
  if (!has_tiles_ || count == 0) return;
  const auto fill = [&](auto& list, const auto& of_contact) {
    list.resize(count);
    in_parallel(count, [&](std::size_t c) { list[c] = of_contact(c); });
    return list.data();
  };
  const auto row = static_cast<std::size_t>(cones.spatial_first_row());
  pass_ = {halfway.data(),
           contacts.body_a.data(),
           contacts.body_b.data(),
           &contacts.point.data()->x,
           &contacts.normal.data()->x,
           contacts.gap.data(),
           nullptr,
           nullptr,
           nullptr,
           step.part.contact.data(),
           step.impulses.data() + row,
           step.gap.data() + row,
           cones.friction.data() + cones.spatial_first_slot(),
           step.law == Law::Associated};
  if (world.periodicity().any())
    pass_.point_b = &fill(point_b_, [&](std::size_t c) {
                       return contact_point_on_b(world, static_cast<Index>(c));
                     })->x;
  if (world.materials.is_soft())
    pass_.compliance =
        fill(compliance_, [&](std::size_t c) { return pair_of(world, c).compliance; });
  if (cohesive_)
    pass_.pull = fill(
        pull_, [&](std::size_t c) { return cohesion_pull(world, static_cast<Index>(c), step.h); });
  const std::vector<Motion>& motion = world.bodies.motion;
  moved_walls_ = std::find(motion.begin(), motion.end(), Motion::Kinematic) != motion.end();
}

void ContactEnergies::add(Index cone, EnergySums& sums) const {
  const World& world = step_.world;
  const ContactSet& contacts = world.contacts;
  const ConeSet& cones = step_.problem.cones;
  const Index contact = step_.part.contact[cone];
  const auto c = static_cast<std::size_t>(contact);
  const auto a = static_cast<std::size_t>(contacts.body_a[c]),
             b = static_cast<std::size_t>(contacts.body_b[c]);
  const double pull = !cohesive_ ? 0.0 : cohesion_pull(world, contact, step_.h);
  SolvedContact solved;
  solved.rolls = !contacts.angular_impulse.empty();
  if (solved.rolls)
    solved.impulse = rolling_value(cones, step_.impulses, cone);
  else
    solved.impulse.linear = spatial_value(cones, step_.impulses, cone);
  if (pull == 0.0 && is_zero(solved.impulse)) return;

  const Vec3& n = contacts.normal[c];
  const Vec3 arm_a = contacts.point[c] - world.bodies.position[a];
  const Vec3 arm_b = contact_point_on_b(world, contact) - world.bodies.position[b];
  const Twist of_a = twist_of(halfway_[a]), of_b = twist_of(halfway_[b]);
  const Vec3 v = speed(of_b, arm_b) - speed(of_a, arm_a);
  const double vn = dot(v, n);

  const double length = solved.rolls ? cones.rolling_length[cone] : 1.0;
  if (solved.rolls) {
    solved.gap = rolling_value(cones, step_.gap, cone);
    solved.friction = cones.rolling_friction_of(cone);
  } else {
    solved.gap.linear = spatial_value(cones, step_.gap, cone);
    solved.friction.sliding = cones.friction[cones.spatial_slot(cone)];
  }
  const Index frame = solved.rolls ? cones.rolling_frame(cone) : cone;
  const Leftover left = leftover_of(step_.law, solved, cones, frame, n);

  const Vec3& x = solved.impulse.linear;
  const Vec3 torque = length * solved.impulse.angular;
  const double xn = dot(x, n);
  const double taken = 0.5 * left.normal - xn * vn;
  if (pair_of(world, contact).compliance > 0.0) {
    sums.add(EnergyPart::Springs, taken);
  } else {
    sums.add(EnergyPart::Impact, taken);
    if (contacts.gap[c] < 0.0) sums.add(EnergyPart::Recovered, std::max(0.0, -taken));
  }
  sums.add(EnergyPart::Friction, 0.5 * left.tangential - dot(x - xn * n, v));
  sums.add(EnergyPart::Solver, -0.5 * left.all());
  sums.add(EnergyPart::SolverMagnitude, std::abs(0.5 * left.all()));
  if (solved.rolls)
    sums.add(EnergyPart::Rolling, 0.5 * left.rolling - dot(torque, of_b.angular - of_a.angular));
  if (pull != 0.0) sums.add(EnergyPart::Cohesion, pull * vn);
  add_walls(c, x - pull * n, torque, sums);
}

void ContactEnergies::add_walls(std::size_t contact, const Vec3& force, const Vec3& torque,
                                EnergySums& sums) const {
  const BodySet& bodies = step_.world.bodies;
  const auto give = [&](Index body, const Vec3& point, double sign) {
    if (bodies.motion[body] != Motion::Kinematic) return;
    const Twist u = twist_of(halfway_[body]);
    // the body does on its partner what the contact does not do on it
    sums.add(EnergyPart::Walls, -sign * (dot(force, speed(u, point - bodies.position[body])) +
                                         dot(torque, u.angular)));
  };
  const ContactSet& contacts = step_.world.contacts;
  give(contacts.body_a[contact], contacts.point[contact], -1.0);
  give(contacts.body_b[contact], contact_point_on_b(step_.world, static_cast<Index>(contact)), 1.0);
}

void ContactEnergies::add_tile(Index tile, EnergySums& sums) const {
  ContactTileEnergies found;  // NOLINT(cppcoreguidelines-pro-type-member-init): the kernel does
  kernel_(pass_, tile, found);
  if (pass_.compliance != nullptr) sums.add(EnergyPart::Springs, found.springs);
  sums.add(EnergyPart::Impact, found.impact);
  sums.add(EnergyPart::Recovered, found.recovered);
  sums.add(EnergyPart::Friction, found.friction);
  sums.add(EnergyPart::Solver, found.solver);
  sums.add(EnergyPart::SolverMagnitude, found.solver_magnitude);
  if (cohesive_) sums.add(EnergyPart::Cohesion, found.cohesion);
  if (!moved_walls_) return;
  for (Index cone = lanes * tile; cone < lanes * (tile + 1); ++cone) {
    const auto c = static_cast<std::size_t>(step_.part.contact[cone]);
    const double pull = cohesive_ ? pull_[c] : 0.0;
    const Vec3 x = spatial_value(step_.problem.cones, step_.impulses, cone);
    if (pull == 0.0 && dot(x, x) == 0.0) continue;
    add_walls(c, x - pull * step_.world.contacts.normal[c], {}, sums);
  }
}

namespace baseline {
extern ContactTileKernel contact_tile_energies;
}
namespace v3 {
extern ContactTileKernel contact_tile_energies;
}
namespace v4 {
extern ContactTileKernel contact_tile_energies;
}

ContactTileKernel& contact_tile_energies() {
  return of_level(baseline::contact_tile_energies, v3::contact_tile_energies,
                  v4::contact_tile_energies);
}

}  // namespace talus
