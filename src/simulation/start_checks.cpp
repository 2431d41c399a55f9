#include "simulation/start_checks.hpp"

#include "talus/core/error.hpp"

#include "model/body_traits.hpp"
#include "model/meetings.hpp"
#include "model/row_owners.hpp"
#include "simulation/start_values.hpp"
#include "stepping/integrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace talus {
namespace {

std::string group_of(const World& world, std::size_t b) {
  const Index group = world.bodies.group[b];
  return group >= 0 ? world.groups[group] : "?";
}

std::string named(const World& world, std::size_t b) {
  return fmt::format("body {} ({})", world.bodies.id[b], group_of(world, b));
}

/// Ends count as inside; by `reserve` it may be outside.
bool is_inside(const Domain& domain, const Vec3& x, const Vec3& reserve) {
  const Vec3 low = domain.low - reserve, high = domain.high + reserve;
  return low.x <= x.x && x.x <= high.x && low.y <= x.y && x.y <= high.y && low.z <= x.z &&
         x.z <= high.z;
}

std::string numbers(const Vec3& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z);
}

}  // namespace

std::string describe(const World& world, std::size_t body) {
  const BodySet& bodies = world.bodies;
  std::string text = fmt::format("{}, position {} m, velocity {} m/s", named(world, body),
                                 numbers(bodies.position[body]), numbers(bodies.velocity[body]));
  std::vector<std::string> partners;
  const ContactSet& contacts = world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const ContactName& name = contacts.name[c];
    const bool is_a = name.a == bodies.id[body];
    if (!is_a && name.b != bodies.id[body]) continue;
    const Index other = is_a ? contacts.body_b[c] : contacts.body_a[c];
    partners.push_back(fmt::format("{} (gap {:.3g} m)",
                                   other < 0 ? fmt::format("body {}", is_a ? name.b : name.a)
                                             : named(world, static_cast<std::size_t>(other)),
                                   contacts.gap[c]));
  }
  if (partners.empty()) return text + ", no contacts in the last step";
  constexpr std::size_t most = 4;
  const std::size_t shown = std::min(most, partners.size());
  const std::vector<std::string> first(partners.begin(),
                                       partners.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format(
      "{}, last contacts: {}{}", text, fmt::join(first, ", "),
      partners.size() > most ? fmt::format(" and {} more", partners.size() - most) : "");
}

std::string text_of_largest(const Communicator& comm, double key, const std::string& text) {
  std::array<double, 1> largest{key};
  comm.largest(largest);
  const std::vector<std::int64_t> candidates = of_all_ranks(
      comm,
      std::vector<std::int64_t>{key == largest[0] && !text.empty() ? comm.rank() : comm.size()});
  const auto speaker = static_cast<int>(*std::min_element(candidates.begin(), candidates.end()));
  if (speaker == comm.size()) return text;
  return broadcast_text(comm, text, speaker);
}

Overlaps overlaps_of(const World& world) {
  Overlaps overlaps;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c) {
    const double depth = -world.contacts.gap[c];
    overlaps.deepest = std::max(overlaps.deepest, depth);
    // what springs is meant to overlap, and not to pass through
    constexpr double most_of_springs = 0.5;
    const double share =
        depth / smaller_size(world, world.contacts.body_a[c], world.contacts.body_b[c]);
    if (share > overlaps.share && (share > most_of_springs || pair_of(world, c).compliance == 0.0))
      overlaps.share = share;
  }
  return overlaps;
}

void refuse_overlaps(const Scene& scene, const World& world, const Communicator& comm) {
  std::int64_t count = 0;
  double worst = scene.max_overlap;
  std::string where;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c) {
    const Index a = world.contacts.body_a[c], b = world.contacts.body_b[c];
    const double share = -world.contacts.gap[c] / smaller_size(world, a, b);
    if (share <= scene.max_overlap || !speaks_for(world.bodies, a, b)) continue;
    ++count;
    if (share <= worst) continue;
    worst = share;
    where =
        fmt::format("the worst by {:.3g} ({:.3g} m) between {} and {} at {} m", share,
                    -world.contacts.gap[c], named(world, static_cast<std::size_t>(a)),
                    named(world, static_cast<std::size_t>(b)), numbers(world.contacts.point[c]));
  }
  std::array<std::int64_t, 1> counts{count};
  comm.sum(counts);
  if (counts[0] == 0) return;
  throw InputError(fmt::format(
      "{}: {} contacts overlap at the start by more than max_overlap = {:g} of the smaller body; "
      "{}: move them apart, or raise max_overlap",
      scene.file, counts[0], scene.max_overlap, text_of_largest(comm, worst, where)));
}

void refuse_events(const Scene& scene, const World& world) {
  InputErrors errors;
  const std::set<std::string> to_release = groups_to_release(scene);
  // What an event adds is made of the shapes and materials that there are.
  World trial;
  trial.shapes = world.shapes;
  trial.materials = world.materials;
  trial.groups = world.groups;
  trial.domain = world.domain;
  for (const Event& event : scene.events)
    for (const SceneBody& body : event.added)
      collect(errors, [&] {
        add_body(trial, body);
        const std::size_t b = trial.bodies.id.size() - 1;
        for (const std::string& fault : faults_of_body(trial, b, to_release))
          errors.add(fmt::format("{}: {}: {}", body.place, body.name, fault));
      });
  const auto check = [&](const Event& event, const BodySet& bodies) {
    const Index group = world.find_group(event.target);
    for (std::size_t b = 0; b < bodies.id.size(); ++b) {
      const std::string fault = fault_of_release(bodies, b);
      if (bodies.group[b] != group || fault.empty()) continue;
      errors.add(fmt::format("{}: target = '{}' {}", event.place, event.target, fault));
      return;
    }
  };
  for (const Event& event : scene.events) {
    if (event.kind != Event::Kind::Release) continue;
    check(event, world.bodies);
    check(event, trial.bodies);
  }
  errors.throw_if_any();
}

void refuse_outside(const Scene& scene, const World& world, const Communicator& comm) {
  if (world.domain.outside != Outside::Stop) return;
  const Outcome outcome = outcome_of(world, 0.0);
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(outcome.lost.size())};
  comm.sum(count);
  if (count[0] == 0) return;
  std::string words;
  double id = infinity;
  if (!outcome.lost.empty()) {
    const std::size_t first = outcome.lost.front();
    id = static_cast<double>(world.bodies.id[first]);
    words = fmt::format("{} at {} m", named(world, first), numbers(world.bodies.position[first]));
  }
  throw InputError(
      fmt::format("{}: {} bodies are outside the domain at the start, the first: {}: move them in, "
                  "make the domain larger, or say domain.outside: remove",
                  scene.file, count[0], text_of_largest(comm, -id, words)));
}

// ---- one body -----------------------------------------------------------------------------------

namespace {

/// Along each periodic axis that it leans along.
std::vector<std::string> faults_of_plane(const World& world, std::size_t b) {
  constexpr double hair = 1e-9;
  const auto* plane = std::get_if<Plane>(&world.shapes[world.bodies.shape[b]]);
  if (plane == nullptr) return {};
  const Vec3 n = rotate(world.bodies.orientation[b], plane->normal);
  const std::array<double, 3> parts{n.x, n.y, n.z};
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < 3; ++k)
    if (world.domain.periodic[k] && std::abs(parts[k]) > hair)
      faults.push_back(fmt::format(
          "its normal {} leans along {}, which is periodic: what crosses the boundary would meet "
          "another plane; turn it, or make the axis not periodic",
          numbers(n), "xyz"[k]));
  return faults;
}

/// So light that what is computed from its mass is no number.
std::vector<std::string> faults_of_lightness(const World& world, std::size_t b) {
  constexpr double least = 1e-100;  // kg, kg m2; squares of inverses are numbers still
  const double mass = world.bodies.mass[b];
  const Sym3& i = world.bodies.inertia[b];
  const double turning = std::min({i.xx, i.yy, i.zz});
  if (mass >= least && turning >= least) return {};
  return {
      fmt::format("its mass of {:g} kg and inertia of {:g} kg m2 must be at least {:g}: make its "
                  "density larger, or check its units",
                  mass, turning, least)};
}

bool is_within(const Vec3& v) {
  return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) <= most_of_bodies;
}

bool is_within(const Region& region) {
  return is_within(region.low) && is_within(region.high) && is_within(region.centre) &&
         is_within(Vec3{region.radius, region.height, 0.0});
}

std::string beyond() {
  return fmt::format(
      "its place, its size or its motion is beyond {:g} (m, m/s, rad/s): check its units",
      most_of_bodies);
}

/// Beyond what can be computed with, or too long or too far away for an axis that is periodic.
std::vector<std::string> faults_of_distance(const World& world, std::size_t b) {
  const double reach = world.bodies.reach[b];
  if (!can_go_on(world.bodies, b) || (std::isfinite(reach) && reach > most_of_bodies))
    return {beyond()};
  constexpr double most = 50.0;  // periods; detection counts images up to 63
  if (!std::isfinite(world.bodies.reach[b])) return {};
  const Domain& domain = world.domain;
  const std::array<double, 3> low{domain.low.x, domain.low.y, domain.low.z},
      high{domain.high.x, domain.high.y, domain.high.z};
  const Bounds bounds = bounds_of(world.shapes[world.bodies.shape[b]], world.bodies.scale[b],
                                  {world.bodies.position[b], world.bodies.orientation[b]});
  const std::array<double, 3> from{bounds.low.x, bounds.low.y, bounds.low.z},
      to{bounds.high.x, bounds.high.y, bounds.high.z};
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < 3; ++k) {
    const double period = high[k] - low[k];
    if (!domain.periodic[k] ||
        (from[k] >= low[k] - most * period && to[k] <= high[k] + most * period))
      continue;
    faults.push_back(fmt::format(
        "reaches from {:g} to {:g} m along {}, which is periodic with a period of {:g} m: at most "
        "{} periods from the domain; move it in, make it shorter (a body meets all images of "
        "another), or make the axis not periodic",
        from[k], to[k], "xyz"[k], period, most));
  }
  return faults;
}

/// Of a body that moves: longer than a period it meets itself, of which detection knows nothing.
std::vector<std::string> faults_of_length(const World& world, std::size_t b) {
  const Periodicity periodicity = world.periodicity();
  if (!periodicity.any() || !std::isfinite(world.bodies.reach[b])) return {};
  const Bounds bounds = bounds_of(world.shapes[world.bodies.shape[b]], world.bodies.scale[b],
                                  {world.bodies.position[b], world.bodies.orientation[b]});
  const Vec3 length = bounds.high - bounds.low;
  const std::array<double, 3> lengths{length.x, length.y, length.z},
      periods{periodicity.period.x, periodicity.period.y, periodicity.period.z};
  constexpr double rounding = 1.0 + 1e-9;
  std::vector<std::string> faults;
  for (std::size_t k = 0; k < 3; ++k)
    if (periodicity.axis[k] && lengths[k] > rounding * periods[k])
      faults.push_back(fmt::format(
          "is {:g} m long along {}, which is periodic with a period of {:g} m: it would meet "
          "itself; make it shorter, or the domain longer",
          lengths[k], "xyz"[k], periods[k]));
  return faults;
}

/// Of its place and length; of a body that moves, now or one day, whether it would meet itself.
std::vector<std::string> faults_of_reach(const World& world, std::size_t b, bool moves) {
  std::vector<std::string> faults = faults_of_distance(world, b);
  return faults.empty() && moves ? faults_of_length(world, b) : faults;
}

/// InputError with what `faults_of` says of each body.
template <class FaultsOf>
void refuse_bodies(const Scene& scene, const World& world, const FaultsOf& faults_of) {
  InputErrors errors;
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    for (const std::string& fault : faults_of(b))
      errors.add(fmt::format("{}: {}: {}", scene.file, named(world, b), fault));
  errors.throw_if_any();
}

}  // namespace

std::vector<std::string> faults_of_body(const World& world, std::size_t body,
                                        const std::set<std::string>& to_release) {
  std::vector<std::string> faults = faults_of_plane(world, body);
  const BodySet& bodies = world.bodies;
  const bool moves = moves_one_day(world, bodies.motion[body], bodies.group[body], to_release);
  if (moves)
    for (const std::string& fault : faults_of_lightness(world, body)) faults.push_back(fault);
  for (const std::string& fault : faults_of_reach(world, body, moves)) faults.push_back(fault);
  return faults;
}

std::string fault_of_place(const Domain& domain, const Vec3& place) {
  if (is_inside(domain, brought_back(domain, place), {})) return "";
  return fmt::format("at {} m is outside the domain: place it inside, or make the domain larger",
                     numbers(place));
}

std::string fault_of_motion(const Vec3& position, const Vec3& velocity,
                            const Vec3& angular_velocity) {
  return is_within(position) && is_within(velocity) && is_within(angular_velocity) ? "" : beyond();
}

std::string fault_of_release(const BodySet& bodies, std::size_t body) {
  return std::isfinite(bodies.mass[body])
             ? ""
             : "cannot be released: its mass is not known: give mass (and inertia), or its "
               "material a density";
}

void refuse_broken_planes(const Scene& scene, const World& world) {
  refuse_bodies(scene, world, [&](std::size_t b) { return faults_of_plane(world, b); });
}

void refuse_light_bodies(const Scene& scene, const World& world) {
  const std::set<std::string> to_release = groups_to_release(scene);
  refuse_bodies(scene, world, [&](std::size_t b) {
    return moves_one_day(world, world.bodies.motion[b], world.bodies.group[b], to_release)
               ? faults_of_lightness(world, b)
               : std::vector<std::string>{};
  });
}

void refuse_far_bodies(const Scene& scene, const World& world) {
  const std::set<std::string> to_release = groups_to_release(scene);
  refuse_bodies(scene, world, [&](std::size_t b) {
    return faults_of_reach(
        world, b, moves_one_day(world, world.bodies.motion[b], world.bodies.group[b], to_release));
  });
  InputErrors errors;
  for (const Generator& one : scene.generators)
    if (!(is_within(one.velocity) && is_within(one.angular_velocity) && is_within(one.region)))
      errors.add(fmt::format("{}: {}: {}", scene.file, one.name, beyond()));
  errors.throw_if_any();
}

// ---- a step -------------------------------------------------------------------------------------

bool can_go_on(const BodySet& bodies, std::size_t body) {
  const Vec3 &x = bodies.position[body], &v = bodies.velocity[body],
             &w = bodies.angular_velocity[body];
  const Quaternion& q = bodies.orientation[body];
  const double sum = x.x + x.y + x.z + v.x + v.y + v.z + w.x + w.y + w.z + q.w + q.x + q.y + q.z;
  return std::isfinite(sum) && is_within(x) && is_within(v) && is_within(w);
}

Outcome outcome_of(const World& world, double h) {
  const BodySet& bodies = world.bodies;
  const Domain& domain = world.domain;
  Outcome outcome;
  outcome.stays.assign(bodies.id.size(), 1);
  // Along a periodic axis bodies have come back in; only what is absurdly far has not.
  const Vec3 reserve = world.periodicity().period;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const Vec3& x = bodies.position[b];
    const bool finite = can_go_on(bodies, b);
    if (finite && h * length(bodies.velocity[b]) > size_of_body(world, b))
      outcome.fast.push_back(b);
    // What is led where it goes may leave; a plane is everywhere.
    const bool is_led = bodies.motion[b] != Motion::Dynamic || !std::isfinite(bodies.reach[b]);
    const bool inside = is_led || is_inside(domain, x, reserve);
    if (finite && inside) continue;
    if (finite && domain.outside == Outside::Remove)
      outcome.stays[b] = 0;
    else
      outcome.lost.push_back(b);
  }
  return outcome;
}

double largest_gravity(const Scene& scene, const World& world) {
  double largest = 0.0;
  const auto look = [&](const std::array<Expression, 3>& gravity) {
    const bool varies = gravity[0].varies() || gravity[1].varies() || gravity[2].varies();
    largest = std::max(
        largest, largest_value(scene, varies, [&](double t) {
          return length(Vec3{gravity[0].sampled(t), gravity[1].sampled(t), gravity[2].sampled(t)});
        }));
  };
  look(world.gravity);
  for (const Event& event : scene.events)
    if (event.kind == Event::Kind::Gravity) look(event.gravity);
  return largest;
}

namespace {

/// How far something can fall in the domain; infinite along a periodic axis too.
double extent_along(const Domain& domain, const Vec3& g) {
  const auto along = [&](std::size_t axis, double pull, double low, double high) {
    if (pull == 0.0) return 0.0;
    return domain.periodic[axis] ? infinity : std::abs(pull) * (high - low);
  };
  const double sum = along(0, g.x, domain.low.x, domain.high.x) +
                     along(1, g.y, domain.low.y, domain.high.y) +
                     along(2, g.z, domain.low.z, domain.high.z);
  return sum > 0.0 ? sum / length(g) : 0.0;
}

}  // namespace

std::vector<std::string> step_warnings(const World& world, double h, const Communicator& comm) {
  const BodySet& bodies = world.bodies;
  double fastest = 0.0, smallest = infinity;
  std::string which;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const double size = size_of_body(world, b);
    smallest = std::min(smallest, size);
    const double share = h * length(bodies.velocity[b]) / size;
    if (share <= fastest) continue;
    fastest = share;
    which = fmt::format(
        "{} moves {:.3g} of its size in a step of {:g} s and may pass through "
        "others: {}",
        named(world, b), fastest, h, describe(world, b));
  }
  std::array<double, 1> least{smallest}, most_share{fastest};
  comm.smallest(least);
  comm.largest(most_share);
  which = text_of_largest(comm, fastest, which);
  fastest = most_share[0];
  smallest = least[0];
  std::vector<std::string> warnings;
  constexpr double most = 0.5;  // of its size per step
  if (fastest > most)
    warnings.push_back(fmt::format("{}; a step below {:.2g} s would keep it below {:g}", which,
                                   h * most / fastest, most));
  // What falls from one side of the domain to the other arrives with this speed.
  const Vec3 g = value_at(world.gravity, 0.0);
  const double height = extent_along(world.domain, g);
  const double fall = std::sqrt(2.0 * length(g) * height);
  if (height < infinity && h * fall > smallest)
    warnings.push_back(
        fmt::format("time.step = {:g} s: a fall through the domain ({:.3g} m) ends with {:.3g} "
                    "m/s, which is {:.3g} times the smallest body ({:.3g} m) per step: it may pass "
                    "through walls; a step below {:.2g} s would not let it",
                    h, height, fall, h * fall / smallest, smallest, smallest / fall));
  return warnings;
}

}  // namespace talus
