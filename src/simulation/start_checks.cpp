#include "simulation/start_checks.hpp"

#include "talus/core/error.hpp"
#include "talus/model/detection.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

double size_of_body(const World& world, std::size_t b) {
  return size_of(world.shapes[static_cast<std::size_t>(world.bodies.shape[b])],
                 world.bodies.scale[b]);
}

double smaller_size(const World& world, std::size_t contact) {
  return std::min(size_of_body(world, static_cast<std::size_t>(world.contacts.body_a[contact])),
                  size_of_body(world, static_cast<std::size_t>(world.contacts.body_b[contact])));
}

std::string group_of(const World& world, std::size_t b) {
  const Index group = world.bodies.group[b];
  return group >= 0 ? world.groups[static_cast<std::size_t>(group)] : "?";
}

std::string named(const World& world, std::size_t b) {
  return fmt::format("body {} ({})", world.bodies.id[b], group_of(world, b));
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
    const auto a = static_cast<std::size_t>(contacts.body_a[c]),
               b = static_cast<std::size_t>(contacts.body_b[c]);
    if (a != body && b != body) continue;
    partners.push_back(
        fmt::format("{} (gap {:.3g} m)", named(world, a == body ? b : a), contacts.gap[c]));
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

Overlaps overlaps_of(const World& world) {
  Overlaps overlaps;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c) {
    const double depth = -world.contacts.gap[c];
    if (depth <= 0.0) continue;
    overlaps.deepest = std::max(overlaps.deepest, depth);
    overlaps.share = std::max(overlaps.share, depth / smaller_size(world, c));
  }
  return overlaps;
}

void refuse_overlaps(const Scene& scene, const World& world) {
  std::int64_t count = 0;
  double worst = scene.max_overlap;
  std::size_t where = 0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c) {
    const double share = -world.contacts.gap[c] / smaller_size(world, c);
    if (share <= scene.max_overlap) continue;
    ++count;
    if (share > worst) {
      worst = share;
      where = c;
    }
  }
  if (count == 0) return;
  const auto a = static_cast<std::size_t>(world.contacts.body_a[where]),
             b = static_cast<std::size_t>(world.contacts.body_b[where]);
  throw InputError(fmt::format(
      "{}: {} contacts overlap at the start by more than max_overlap = {:g} of the smaller body; "
      "the worst by {:.3g} ({:.3g} m) between {} and {} at {} m: move them apart, or raise "
      "max_overlap",
      scene.file, count, scene.max_overlap, worst, -world.contacts.gap[where], named(world, a),
      named(world, b), numbers(world.contacts.point[where])));
}

std::vector<std::string> step_warnings(const Scene& scene, const World& world, double h) {
  const BodySet& bodies = world.bodies;
  double fastest = 0.0, smallest = std::numeric_limits<double>::infinity();
  std::size_t which = 0;
  for (std::size_t b = 0; b < bodies.id.size(); ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const double size = size_of_body(world, b);
    smallest = std::min(smallest, size);
    const double share = h * length(bodies.velocity[b]) / size;
    if (share > fastest) {
      fastest = share;
      which = b;
    }
  }
  std::vector<std::string> warnings;
  constexpr double most = 0.5;  // of its size per step
  if (fastest > most)
    warnings.push_back(fmt::format(
        "{} moves {:.3g} of its size in a step of {:g} s and may pass through others: {}; a step "
        "below {:.2g} s would keep it below {:g}",
        named(world, which), fastest, h, describe(world, which), h * most / fastest, most));
  // What falls from the top of the domain arrives with this speed.
  const double height = world.domain.high.z - world.domain.low.z;
  const Vec3 g{world.gravity[0].at(0.0), world.gravity[1].at(0.0), world.gravity[2].at(0.0)};
  const double fall = std::sqrt(2.0 * length(g) * height);
  if (height < Domain::infinite && h * fall > smallest)
    warnings.push_back(
        fmt::format("time.step = {:g} s: a fall through the domain ({:.3g} m) ends with {:.3g} "
                    "m/s, which is {:.3g} times the smallest body ({:.3g} m) per step: it may pass "
                    "through walls; a step below {:.2g} s would not let it",
                    h, height, fall, h * fall / smallest, smallest, smallest / fall));
  (void)scene;
  return warnings;
}

}  // namespace talus
