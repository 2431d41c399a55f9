// Lattices, and random places one after the other.

#include "talus/core/error.hpp"

#include "core/elementary.hpp"
#include "generate/random.hpp"
#include "generate/scene_parts.hpp"

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
  bool put(std::size_t number, double size, Vec3& centre, std::uint64_t tries = most_tries) {
    const double radius = pattern_.reach * size;
    KeyedRandom random(generator_.seed, number, purpose_place);
    for (std::uint64_t i = 0; i < tries; ++i) {
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

/// They would find no place among the small ones.
std::vector<std::size_t> largest_first(const std::vector<double>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return order;
}

}  // namespace

std::size_t start_places(const Generator& generator, const Pattern& pattern, std::uint64_t tries,
                         Placed& placed) {
  placed.centre.resize(placed.size.size());
  const std::vector<std::size_t> order = largest_first(placed.size);
  RandomPlaces places(generator, pattern, placed.size[order.front()], order.size());
  std::size_t without = 0;
  for (const std::size_t number : order)
    without += places.put(number, placed.size[number], placed.centre[number], tries) ? 0 : 1;
  return without;
}

void check_lattice(const Generator& generator) {
  const Vec3& s = generator.spacing;
  if (!(s.x > 0.0 && s.y > 0.0 && s.z > 0.0))
    throw fault_of(generator,
                   fmt::format("spacing = {} must be positive: a length in m", words_of(s)));
}

Placed lattice(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  const Vec3& s = generator.spacing;
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
  const std::vector<std::size_t> order = largest_first(placed.size);
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

namespace {

using RegionKind = Region::Kind;

/// A body as large as the region itself fits, whatever was rounded on the way.
constexpr double region_rounding = 1e-12;

struct Span {
  double low = 0.0, high = 0.0;
};
/// Where centres may be along a way from low to high.
Span inner(double low, double high, double radius) {
  const double middle = 0.5 * (low + high);
  return {std::min(low + radius, middle), std::max(high - radius, middle)};
}

double clamped(double x, const Span& span) {
  return std::clamp(x, span.low, span.high);
}

/// `d` brought within `most` of the origin.
Vec3 within(const Vec3& d, double most) {
  const double squared = dot(d, d);
  return squared > most * most ? (most / std::sqrt(squared)) * d : d;
}

bool has_room(double width, double radius) {
  return 2.0 * radius <= width * (1.0 + region_rounding);
}

/// Uniform in the unit ball, or in the unit disc across z.
Vec3 point_of_ball(KeyedRandom& random, bool flat) {
  for (;;) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0);
    const double z = flat ? 0.0 : random.uniform(-1.0, 1.0);
    const Vec3 d{x, y, z};
    if (dot(d, d) <= 1.0) return d;
  }
}

}  // namespace

double volume_of(const Region& region) {
  if (region.kind == RegionKind::Box) {
    const Vec3 size = region.high - region.low;
    return size.x * size.y * size.z;
  }
  const double disc = pi * region.radius * region.radius;
  return region.kind == RegionKind::Sphere ? 4.0 / 3.0 * disc * region.radius
                                           : disc * region.height;
}

Bounds bounds_of(const Region& region) {
  if (region.kind == RegionKind::Box) return {region.low, region.high};
  const double r = region.radius;
  if (region.kind == RegionKind::Sphere)
    return {region.centre - Vec3{r, r, r}, region.centre + Vec3{r, r, r}};
  const Vec3 &a = region.axis, far = region.centre + region.height * a;
  // half the width of a disc along a coordinate is r times the sine of its angle with the axis
  const auto half = [&](double along) { return r * std::sqrt(std::max(0.0, 1.0 - along * along)); };
  const Vec3 disc{half(a.x), half(a.y), half(a.z)};
  const Vec3 low{std::min(region.centre.x, far.x), std::min(region.centre.y, far.y),
                 std::min(region.centre.z, far.z)};
  const Vec3 high{std::max(region.centre.x, far.x), std::max(region.centre.y, far.y),
                  std::max(region.centre.z, far.z)};
  return {low - disc, high + disc};
}

int directions_with_room(const Region& region, double radius) {
  const auto room = [&](double width) { return has_room(width, radius) ? 1 : 0; };
  switch (region.kind) {
    case RegionKind::Sphere:
      return 3 * room(2.0 * region.radius);
    case RegionKind::Cylinder:
      return 2 * room(2.0 * region.radius) + room(region.height);
    case RegionKind::Box:
      break;
  }
  const Vec3 size = region.high - region.low;
  return room(size.x) + room(size.y) + room(size.z);
}

Vec3 nearest_inside(const Region& region, double radius, const Vec3& point) {
  if (region.kind == RegionKind::Box) {
    const Vec3 &low = region.low, &high = region.high;
    return {clamped(point.x, inner(low.x, high.x, radius)),
            clamped(point.y, inner(low.y, high.y, radius)),
            clamped(point.z, inner(low.z, high.z, radius))};
  }
  const double across = std::max(0.0, region.radius - radius);
  const Vec3 d = point - region.centre;
  if (region.kind == RegionKind::Sphere) return region.centre + within(d, across);
  const double along = dot(d, region.axis);
  const Vec3 aside = within(d - along * region.axis, across);
  return region.centre + aside + clamped(along, inner(0.0, region.height, radius)) * region.axis;
}

Vec3 point_inside(const Region& region, double radius, KeyedRandom& random) {
  if (region.kind == RegionKind::Box) {
    const Span x = inner(region.low.x, region.high.x, radius);
    const Span y = inner(region.low.y, region.high.y, radius);
    const Span z = inner(region.low.z, region.high.z, radius);
    const double px = random.uniform(x.low, x.high), py = random.uniform(y.low, y.high);
    return {px, py, random.uniform(z.low, z.high)};
  }
  const double across = std::max(0.0, region.radius - radius);
  const bool flat = region.kind == RegionKind::Cylinder;
  const Vec3 d = across * point_of_ball(random, flat);
  if (!flat) return region.centre + d;
  const Span along = inner(0.0, region.height, radius);
  return region.centre + rotate(rotation_between({0.0, 0.0, 1.0}, region.axis), d) +
         random.uniform(along.low, along.high) * region.axis;
}

std::string words_of(const Region& region) {
  const Vec3 size = region.high - region.low;
  if (region.kind == RegionKind::Box)
    return fmt::format("a box of {:.6g} x {:.6g} x {:.6g} m", size.x, size.y, size.z);
  if (region.kind == RegionKind::Sphere)
    return fmt::format("a sphere of diameter {:.6g} m", 2.0 * region.radius);
  return fmt::format("a cylinder of diameter {:.6g} m and height {:.6g} m", 2.0 * region.radius,
                     region.height);
}

namespace {

constexpr std::size_t most_levels = 40;

bool nearer(const Vec3& a, const Vec3& b, double distance) {
  const Vec3 d = a - b;
  return dot(d, d) < distance * distance;
}

}  // namespace

SphereGrid::SphereGrid(double largest_radius, std::size_t expected) : levels_(most_levels) {
  TALUS_ASSERT(largest_radius > 0.0);
  for (std::size_t level = 0; level < most_levels; ++level)
    levels_[level].largest = level == 0 ? largest_radius : 0.5 * levels_[level - 1].largest;
  std::size_t slots = 64;
  while (slots < 2 * expected) slots *= 2;
  first_.assign(slots, -1);
  spheres_.reserve(expected);
}

SphereGrid::Cell SphereGrid::cell_of(const Vec3& point, std::size_t level) const {
  const double width = 2.0 * levels_[level].largest;
  const auto along = [&](double x) { return static_cast<std::int64_t>(std::floor(x / width)); };
  return {along(point.x), along(point.y), along(point.z), level};
}

std::size_t SphereGrid::slot(const Cell& cell) const {
  // odd factors with well mixed bits; the high bits of the product are the mixed ones
  const std::uint64_t mixed = static_cast<std::uint64_t>(cell.x) * 0x9e3779b97f4a7c15U ^
                              static_cast<std::uint64_t>(cell.y) * 0xc2b2ae3d27d4eb4fU ^
                              static_cast<std::uint64_t>(cell.z) * 0x165667b19e3779f9U ^
                              static_cast<std::uint64_t>(cell.level) * 0xd6e8feb86659fd93U;
  return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9fb21c651e98df25U >> 32) &
         (first_.size() - 1);
}

void SphereGrid::link(Index number) {
  Sphere& sphere = spheres_[number];
  Index& first = first_[slot(sphere.cell)];
  sphere.next = first;
  first = number;
}

void SphereGrid::widen() {
  first_.assign(2 * first_.size(), -1);
  for (std::size_t i = 0; i < spheres_.size(); ++i) link(static_cast<Index>(i));
}

void SphereGrid::insert(const Vec3& centre, double radius) {
  TALUS_ASSERT(radius <= levels_.front().largest);
  std::size_t level = 0;
  while (level + 1 < most_levels && radius <= levels_[level + 1].largest) ++level;
  const auto number = static_cast<Index>(spheres_.size());
  spheres_.push_back({centre, radius, cell_of(centre, level), -1});
  levels_[level].spheres.push_back(number);
  if (spheres_.size() > first_.size())
    widen();
  else
    link(number);
}

template <class Near>
bool SphereGrid::visit_level(std::size_t level, const Vec3& centre, double reach,
                             Near& near) const {
  const double far = reach + levels_[level].largest;
  const Cell low = cell_of(centre - Vec3{far, far, far}, level);
  const Cell high = cell_of(centre + Vec3{far, far, far}, level);
  const auto width = [](std::int64_t a, std::int64_t b) { return static_cast<double>(b - a + 1); };
  const double cells = width(low.x, high.x) * width(low.y, high.y) * width(low.z, high.z);
  // a large sphere among few small ones: more cells than spheres
  if (cells > static_cast<double>(levels_[level].spheres.size())) {
    for (const Index i : levels_[level].spheres)
      if (!near(i)) return false;
    return true;
  }
  Cell cell = low;
  for (cell.z = low.z; cell.z <= high.z; ++cell.z)
    for (cell.y = low.y; cell.y <= high.y; ++cell.y)
      for (cell.x = low.x; cell.x <= high.x; ++cell.x)
        for (Index i = first_[slot(cell)]; i >= 0; i = spheres_[i].next)
          if (spheres_[i].cell == cell && !near(i)) return false;
  return true;
}

template <class Near>
void SphereGrid::visit(const Vec3& centre, double reach, Near near) const {
  for (std::size_t level = 0; level < most_levels; ++level)
    if (!levels_[level].spheres.empty() && !visit_level(level, centre, reach, near)) return;
}

bool SphereGrid::free(const Vec3& centre, double radius) const {
  bool is_free = true;
  visit(centre, radius, [&](Index i) {
    const Sphere& other = spheres_[i];
    is_free = !nearer(centre, other.centre, radius + other.radius);
    return is_free;
  });
  return is_free;
}

void SphereGrid::find(const Vec3& centre, double reach, std::vector<Index>& found) const {
  visit(centre, reach, [&](Index i) {
    const Sphere& other = spheres_[i];
    if (nearer(centre, other.centre, reach + other.radius)) found.push_back(i);
    return true;
  });
}

}  // namespace talus
