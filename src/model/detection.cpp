#include "model/detection.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "core/caught.hpp"
#include "core/in_parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace talus {
namespace {

// Of the size of a body: what it may move before candidates are searched again. More makes searches
// rarer and lists longer.
constexpr double skin_of_size = 0.1;
// All bodies move about as fast, and the first that has moved too far makes all be searched: much
// more skin than the smallest body has would be for nothing.
constexpr double largest_of_smallest = 4.0;
// Of a period: a body that was wrapped has moved too far, so that images are searched again.
constexpr double skin_of_period = 0.25;
// Of the size of a body, and part of its skin: kept for bodies that are hit within the step. A
// body of the size of the smallest has it in full.
constexpr double reserve_of_size = 0.03;
// Of the skin: what is left of it where all else is only as good as rounding.
constexpr double rounding = 1e-6;
constexpr std::size_t most_parts = 64;
constexpr std::size_t least_in_part = 512;

Bounds enlarged(const Bounds& b, double by) {
  const Vec3 corner{by, by, by};
  return {b.low - corner, b.high + corner};
}

using IdPair = std::array<GlobalId, 2>;

std::vector<IdPair> jointed_pairs(const std::vector<Joint>& joints) {
  std::vector<IdPair> pairs;
  for (const Joint& joint : joints)
    if (!lets_touch(joint) && joint.body_a != world_id && joint.body_b != world_id)
      pairs.push_back({std::min(joint.body_a, joint.body_b), std::max(joint.body_a, joint.body_b)});
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// No point of the body is farther from where it was because of turning. A turn by an angle t moves
/// points by up to 2 reach sin(t/2), and unit quaternions are 2 sin(t/4) apart.
double way_by_turning(const Quaternion& before, const Quaternion& now, double reach) {
  const auto apart = [&](double sign) {
    const double w = now.w - sign * before.w, x = now.x - sign * before.x;
    const double y = now.y - sign * before.y, z = now.z - sign * before.z;
    return w * w + x * x + y * y + z * z;
  };
  const double squared = std::min(apart(1.0), apart(-1.0));        // q and -q turn alike
  return squared == 0.0 ? 0.0 : 2.0 * reach * std::sqrt(squared);  // planes reach to infinity
}

}  // namespace

DetectionCounts Detection::find(const World& world, const std::vector<double>& margin,
                                ContactSet& contacts) {
  TALUS_ASSERT(margin.size() == world.bodies.id.size());
  const bool known = searched_ && same_bodies(world);
  see(world, margin, known ? id_.size() : 0);
  DetectionCounts counts;
  counts.searched = !known || too_far(world, margin, seen_);
  if (counts.searched) search(world, margin);
  counts.candidates = static_cast<std::int64_t>(candidates_.size());
  collide_all(world, margin, candidates_, contacts);
  contacts.impulse.resize(contacts.gap.size());
  contacts.angular_impulse.resize(world.materials.can_roll() ? contacts.gap.size() : 0);
  return counts;
}

void Detection::find_near(const World& world, const std::vector<double>& margin,
                          const std::vector<std::uint8_t>& marks, ContactSet& contacts) {
  // late ghosts have come since: their contacts are their owners' to find
  TALUS_ASSERT(searched_ && id_.size() <= world.bodies.id.size() &&
               std::equal(id_.begin(), id_.end(), world.bodies.id.begin()));
  see(world, margin, id_.size());
  std::vector<CandidatePair> marked;
  std::copy_if(candidates_.begin(), candidates_.end(), std::back_inserter(marked),
               [&](const CandidatePair& pair) { return marks[pair.a] != 0 || marks[pair.b] != 0; });
  collide_all(world, margin, marked, contacts);
}

double Detection::reserve_of(const World& world, std::size_t body) const {
  if (world.bodies.motion[body] != Motion::Dynamic) return 0.0;
  const double size = size_of(world.shapes[world.bodies.shape[body]], world.bodies.scale[body]);
  return reserve_of_size * std::min(size, largest_of_smallest * smallest_);
}

bool Detection::must_search(const World& world, const std::vector<double>& margin) {
  if (!searched_ || !same_bodies(world)) return true;
  see(world, margin, id_.size());
  // find() may have searched anew since others were told: what they were told counts
  return promised_.place.size() != static_cast<std::size_t>(world.bodies.owned) ||
         too_far(world, margin, promised_);
}

std::vector<Bounds> Detection::search_bounds(const World& world,
                                             const std::vector<double>& margin) {
  see(world, margin, 0);
  choose_skins(world);
  std::vector<Bounds> found(static_cast<std::size_t>(world.bodies.owned));
  promised_.resize(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = enlarged(view(world, margin).bounds_of(i), skin_[i]);
    remember(world, i, margin[i], promised_);
  }
  return found;
}

/// The body as it is now, with what it may do until candidates must be searched anew.
void Detection::remember(const World& world, std::size_t body, double margin, Seen& seen) const {
  seen.place[body] = {world.bodies.position[body],
                      margin + (1.0 - rounding) * (skin_[body] - reserve_of(world, body))};
  seen.orientation[body] = world.bodies.orientation[body];
}

/// No rank needs a pair of two ghosts, and a body that is everywhere meets another where that is
/// owned.
bool Detection::is_for_others(const World& world, const CandidatePair& pair) {
  const BodySet& bodies = world.bodies;
  const auto is_mine = [&](Index body) { return bodies.is_owned(body) && bodies.is_local(body); };
  return !is_mine(pair.a) && !is_mine(pair.b) &&
         (bodies.is_local(pair.a) || bodies.is_local(pair.b));
}

void Detection::forget() {
  searched_ = false;
}

bool Detection::same_bodies(const World& world) const {
  return id_ == world.bodies.id && motion_ == world.bodies.motion &&
         jointed_ == jointed_pairs(world.joints);
}

CandidateContacts Detection::view(const World& world, const std::vector<double>& margin) const {
  return {world, margin, place_, bounds_, world.periodicity().period};
}

/// Where bodies are now. Those before `known` are still what they were.
void Detection::see(const World& world, const std::vector<double>& margin, std::size_t known) {
  const BodySet& bodies = world.bodies;
  measured_.resize(known);
  measured_.resize(bodies.id.size());
  bounds_.resize(bodies.id.size());
  place_.resize(bodies.id.size());
  no_spheres_.erase(std::lower_bound(no_spheres_.begin(), no_spheres_.end(), known),
                    no_spheres_.end());
  for (std::size_t i = known; i < place_.size(); ++i) {
    const Sphere* sphere = std::get_if<Sphere>(&world.shapes[bodies.shape[i]]);
    place_[i].radius = sphere != nullptr ? bodies.scale[i] * sphere->radius : -1.0;
    if (sphere == nullptr) no_spheres_.push_back(i);
  }
  in_parallel(place_.size(), [&](std::size_t i) {
    const Vec3& x = bodies.position[i];
    place_[i] = {x.x, x.y, x.z, place_[i].radius};
  });
  in_parallel(no_spheres_.size(), [&](std::size_t k) {
    const std::size_t i = no_spheres_[k];
    bounds_[i] = enlarged(measure(world, i), margin[i]);
  });
}

/// Bounds of a body, computed where it is not in the very place where they were computed last.
const Bounds& Detection::measure(const World& world, std::size_t body) {
  const Vec3& x = world.bodies.position[body];
  const Quaternion& q = world.bodies.orientation[body];
  Measured& last = measured_[body];
  const Vec3& x0 = last.pose.position;
  const Quaternion& q0 = last.pose.orientation;
  if (last.known && x.x == x0.x && x.y == x0.y && x.z == x0.z && q.w == q0.w && q.x == q0.x &&
      q.y == q0.y && q.z == q0.z)
    return last.bounds;
  const Shape& shape = world.shapes[world.bodies.shape[body]];
  last = {true, {x, q}, bounds_of(shape, world.bodies.scale[body], {x, q})};
  return last.bounds;
}

/// One of the first bodies is no longer inside the bounds that it was seen with.
bool Detection::too_far(const World& world, const std::vector<double>& margin,
                        const Seen& before) const {
  const BodySet& bodies = world.bodies;
  const auto n = static_cast<std::int64_t>(before.place.size());
  int outside = 0;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (n > 1000) default(none) firstprivate(arithmetic) \
    shared(bodies, margin, before, n) reduction(max                                            \
                                                : outside)
  for (std::int64_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const auto& [position, allowance] = before.place[i];
    const Vec3 way = bodies.position[i] - position;
    double needed = margin[i] + std::sqrt(dot(way, way));
    if (place_[i].radius < 0.0)
      needed += way_by_turning(before.orientation[i], bodies.orientation[i], bodies.reach[i]);
    if (!(needed <= allowance)) outside = 1;  // also where it is not a number
  }
  return outside != 0;
}

void Detection::search(const World& world, const std::vector<double>& margin) {
  const BodySet& bodies = world.bodies;
  choose_skins(world);
  enlarged_.resize(bodies.id.size());
  moves_.resize(bodies.id.size());
  seen_.resize(bodies.id.size());
  half_spaces_.clear();
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    enlarged_[i] = enlarged(view(world, margin).bounds_of(i), skin_[i]);
    // two ghosts are for others
    const auto body = static_cast<Index>(i);
    const bool for_others = bodies.is_local(body) && !bodies.is_owned(body);
    moves_[i] = bodies.motion[i] == Motion::Dynamic && !for_others ? 1 : 0;
    remember(world, i, margin[i], seen_);
    const Shape& shape = world.shapes[bodies.shape[i]];
    if (const Plane* plane = std::get_if<Plane>(&shape)) {
      const Vec3 normal = rotate(bodies.orientation[i], plane->normal);
      half_spaces_.push_back(
          {static_cast<Index>(i), normal, dot(normal, bodies.position[i]) + margin[i] + skin_[i]});
    }
  }
  id_ = bodies.id;
  motion_ = bodies.motion;
  broad_phase_.find({&bodies.id, &enlarged_, &moves_, world.periodicity(), &half_spaces_},
                    candidates_);
  jointed_ = jointed_pairs(world.joints);
  std::erase_if(candidates_, [&](const CandidatePair& pair) {
    const IdPair ids{bodies.id[pair.a], bodies.id[pair.b]};
    return is_for_others(world, pair) || never_touch(world, pair) ||
           std::binary_search(jointed_.begin(), jointed_.end(), ids);
  });
  searched_ = true;
}

void Detection::choose_skins(const World& world) {
  const BodySet& bodies = world.bodies;
  skin_.assign(bodies.id.size(), 0.0);
  double smallest = infinity;
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.motion[i] == Motion::Fixed) continue;  // needs none
    skin_[i] = size_of(world.shapes[bodies.shape[i]], bodies.scale[i]);
    smallest = std::min(smallest, skin_[i]);
  }
  if (!(smallest < infinity)) smallest = 0.0;  // nothing but planes moves
  double most = skin_of_size * largest_of_smallest * smallest;
  const Periodicity world_period = world.periodicity();
  const auto limit = [&](bool periodic, double period) {
    if (periodic) most = std::min(most, skin_of_period * period);
  };
  limit(world_period.axis[0], world_period.period.x);
  limit(world_period.axis[1], world_period.period.y);
  limit(world_period.axis[2], world_period.period.z);
  for (std::size_t i = 0; i < skin_.size(); ++i)
    skin_[i] = std::max(std::min(skin_of_size * skin_[i], most), reserve_of(world, i));
}

/// In parts that follow one another, so that their contacts do, whichever thread has which. One
/// thread puts them where they belong.
void Detection::collide_all(const World& world, const std::vector<double>& margin,
                            const std::vector<CandidatePair>& candidates, ContactSet& contacts) {
  const std::size_t n = candidates.size();
  const std::size_t parts =
      omp_get_max_threads() > 1 ? std::min(most_parts, n / least_in_part + 1) : 1;
  parts_.resize(parts);
  const CandidateContacts view = this->view(world, margin);
  if (parts == 1) {
    find_contacts(view, candidates, parts_[0].points, contacts);
    return;
  }
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel for schedule(static) if (n > 1000) default(none) firstprivate(arithmetic) \
    shared(view, n, parts, candidates, caught)
  for (std::size_t p = 0; p < parts; ++p)
    caught.run(p, [&] {
      const std::size_t first = n * p / parts, end = n * (p + 1) / parts;
      find_contacts(view, std::span(candidates).subspan(first, end - first), parts_[p].points,
                    parts_[p].contacts);
    });
  caught.rethrow();
  join_parts(contacts);
}

void Detection::join_parts(ContactSet& contacts) const {
  const std::size_t parts = parts_.size();
  std::vector<std::size_t> first(parts + 1, 0);
  for (std::size_t p = 0; p < parts; ++p) first[p + 1] = first[p] + parts_[p].contacts.gap.size();
  resize_found(contacts, first.back());
  const auto copy = [](const auto& from, auto& to, std::size_t place) {
    std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(place));
  };
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (contacts.gap.size() > 1000) default(none) \
    firstprivate(arithmetic) shared(contacts, first, parts, copy)
  for (std::size_t p = 0; p < parts; ++p) {
    const ContactSet& part = parts_[p].contacts;
    copy(part.name, contacts.name, first[p]);
    copy(part.body_a, contacts.body_a, first[p]);
    copy(part.body_b, contacts.body_b, first[p]);
    copy(part.point, contacts.point, first[p]);
    copy(part.normal, contacts.normal, first[p]);
    copy(part.gap, contacts.gap, first[p]);
  }
}

}  // namespace talus
