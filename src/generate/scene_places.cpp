// Lattices, and random places one after the other.

#include "generate/random.hpp"
#include "generate/scene_grid.hpp"
#include "generate/scene_parts.hpp"
#include "generate/scene_region.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace talus {
namespace {

/// A region that is 20 spacings wide holds 20 cells, whatever the quotient was rounded to.
constexpr double rounding = 1e-9;
/// Tries per body. A body that finds no place in so many has less than one chance in 1e4.
constexpr std::uint64_t most_tries = 20000;
constexpr double most_places = 1e9;

/// Cells of a lattice along the axes of its own frame, whose origin is the middle of the region.
struct Cells {
  std::int64_t x = 0, y = 0, z = 0;
  Pose frame;
  Vec3 width;  ///< of the region

  /// The middle of a cell.
  Vec3 middle(const Generator& generator, std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Vec3& s = generator.spacing;
    if (generator.low)
      return {s.x * (static_cast<double>(i) + 0.5) - 0.5 * width.x,
              s.y * (static_cast<double>(j) + 0.5) - 0.5 * width.y,
              s.z * (static_cast<double>(k) + 0.5) - 0.5 * width.z};
    const auto from_middle = [](std::int64_t index, std::int64_t count) {
      return static_cast<double>(index) - 0.5 * static_cast<double>(count - 1);
    };
    return {s.x * from_middle(i, x), s.y * from_middle(j, y), s.z * from_middle(k, z)};
  }
};

/// "0.01", "[0.01, 0.02, 0.01]"
std::string words_of(const Vec3& spacing) {
  if (spacing.x == spacing.y && spacing.y == spacing.z) return fmt::format("{}", spacing.x);
  return fmt::format("[{}, {}, {}]", spacing.x, spacing.y, spacing.z);
}

Cells cells_of(const Generator& generator) {
  const Region& region = generator.region;
  Cells cells;
  Vec3 width = region.high - region.low;
  cells.frame.position = 0.5 * (region.low + region.high);
  if (region.kind != Region::Kind::Box) {
    const double across = 2.0 * region.radius;
    const bool upright = region.kind == Region::Kind::Cylinder;
    width = {across, across, upright ? region.height : across};
    cells.frame.position = region.centre;
    if (upright) {
      cells.frame.position = region.centre + (0.5 * region.height) * region.axis;
      cells.frame.orientation = rotation_between({0.0, 0.0, 1.0}, region.axis);
    }
  }
  cells.width = width;
  const auto along = [&](double w, double spacing) {
    const double fit = std::floor(w / spacing * (1.0 + rounding));
    if (!(fit <= most_places))
      throw fault_of(generator,
                     fmt::format("spacing = {} must be a length in m that fits less "
                                 "than {} times along the region, {}",
                                 words_of(generator.spacing), most_places, words_of(region)));
    return static_cast<std::int64_t>(fit);
  };
  cells.x = along(width.x, generator.spacing.x);
  cells.y = along(width.y, generator.spacing.y);
  cells.z = along(width.z, generator.spacing.z);
  return cells;
}

Vec3 jitter_of(const Generator& generator, std::size_t number) {
  if (generator.jitter == 0.0) return {};
  KeyedRandom random(generator.seed, number, purpose_jitter);
  const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
  return generator.jitter * Vec3{x, y, random.uniform(-1.0, 1.0)};
}

/// From the middle of a cell to the centre of the body that touches its lowest corner, in the
/// lattice's frame.
Vec3 to_corner(const Generator& generator, const Pattern& pattern, const Quaternion& frame,
               double size) {
  Vec3 low = -pattern.reach * size * Vec3{1.0, 1.0, 1.0};  // bodies that are turned as they like
  if (!generator.turned)
    low = bounds_of(*pattern.shape, size, {{}, conjugate(frame) * generator.orientation}).low;
  return -0.5 * generator.spacing - low;
}

/// Whether the sphere that fills a cell, centre in the lattice's frame, lies inside the region.
bool holds(const Region& region, const Vec3& spacing, const Vec3& centre) {
  if (region.kind == Region::Kind::Box) return true;
  const bool is_ball = region.kind == Region::Kind::Sphere;
  const double up = is_ball ? centre.z : 0.0;
  const double away = std::sqrt(centre.x * centre.x + centre.y * centre.y + up * up);
  const double widest = std::max({spacing.x, spacing.y, is_ball ? spacing.z : 0.0});
  return away + 0.5 * widest <= region.radius * (1.0 + rounding);
}

/// In the region's fraction, how much of it `bodies` fill so far, for messages.
double fraction_of(const Generator& generator, const Pattern& pattern,
                   const std::vector<double>& sizes) {
  return solid_volume(sizes, pattern) / volume_of(generator.region);
}

class RandomPlaces {
 public:
  RandomPlaces(const Generator& generator, const Pattern& pattern, double largest,
               std::size_t expected)
      : generator_(generator), pattern_(pattern), grid_(pattern.reach * largest, expected) {}

  /// False where body `number` finds no place.
  bool put(std::size_t number, double size, Vec3& centre) {
    const double radius = pattern_.reach * size;
    KeyedRandom random(generator_.seed, number, purpose_place);
    for (std::uint64_t i = 0; i < most_tries; ++i) {
      centre = point_inside(generator_.region, radius, random);
      if (!grid_.free(centre, radius)) continue;
      grid_.insert(centre, radius);
      return true;
    }
    return false;
  }

 private:
  const Generator& generator_;
  const Pattern& pattern_;
  SphereGrid grid_;
};

/// Bodies in turn, until one finds no place.
Placed as_many_as_fit(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  RandomPlaces places(generator, pattern, sizes.largest(), 0);
  Placed placed;
  for (std::size_t number = 0;; ++number) {
    const double size = sizes.draw(generator.seed, number);
    Vec3 centre;
    if (directions_with_room(generator.region, pattern.reach * size) < 3 ||
        !places.put(number, size, centre))
      break;
    placed.size.push_back(size);
    placed.centre.push_back(centre);
  }
  if (placed.size.empty())
    throw fault_of(generator,
                   fmt::format("size = {} must fit into the region, {}: make the region larger",
                               sizes.draw(generator.seed, 0), words_of(generator.region)));
  return placed;
}

}  // namespace

Placed lattice(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  const Vec3& s = generator.spacing;
  if (!(s.x > 0.0 && s.y > 0.0 && s.z > 0.0))
    throw fault_of(generator,
                   fmt::format("spacing = {} must be positive: a length in m", words_of(s)));
  const Cells cells = cells_of(generator);
  Placed placed;
  const auto is_full = [&] {
    return generator.count >= 0 && placed.size.size() == static_cast<std::size_t>(generator.count);
  };
  for (std::int64_t z = 0; z < cells.z && !is_full(); ++z)
    for (std::int64_t y = 0; y < cells.y && !is_full(); ++y)
      for (std::int64_t x = 0; x < cells.x && !is_full(); ++x) {
        Vec3 local = cells.middle(generator, x, y, z);
        if (!holds(generator.region, s, local)) continue;
        const std::size_t number = placed.size.size();
        const double size = sizes.draw(generator.seed, number);
        if (generator.low)
          local = local + to_corner(generator, pattern, cells.frame.orientation, size);
        placed.centre.push_back(to_world(cells.frame, local) + jitter_of(generator, number));
        placed.size.push_back(size);
      }
  const auto found = static_cast<std::int64_t>(placed.size.size());
  if (found == 0 && generator.count != 0)
    throw fault_of(generator, fmt::format("spacing = {} must fit into the region, {}: make it "
                                          "smaller or the region larger",
                                          words_of(s), words_of(generator.region)));
  if (found < generator.count)
    throw fault_of(generator,
                   fmt::format("count = {} must be at most {}, the places of a lattice "
                               "of {} m in {}: make the spacing smaller or the region "
                               "larger",
                               generator.count, found, words_of(s), words_of(generator.region)));
  return placed;
}

Placed random_places(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  if (generator.count < 0 && generator.solid_fraction <= 0.0)
    return as_many_as_fit(generator, sizes, pattern);
  Placed placed;
  placed.size = drawn_sizes(generator, sizes, pattern);
  if (placed.size.empty()) return placed;
  placed.centre.resize(placed.size.size());
  // the largest first: they would find no place among the small ones
  std::vector<std::size_t> order(placed.size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return placed.size[a] > placed.size[b]; });
  RandomPlaces places(generator, pattern, placed.size[order.front()], order.size());
  std::vector<double> done;
  for (const std::size_t number : order) {
    if (!places.put(number, placed.size[number], placed.centre[number]))
      throw fault_of(generator,
                     fmt::format("{} bodies must find random places in {}: {} of them did, at a "
                                 "solid fraction of {:.2f}; ask for fewer, or use type: packing",
                                 order.size(), words_of(generator.region), done.size(),
                                 fraction_of(generator, pattern, done)));
    done.push_back(placed.size[number]);
  }
  return placed;
}

}  // namespace talus
