// Dense random packing in a region: random points, of which spheres that overlap push each other
// away until hardly any overlap is left, as in the periodic cell; but of any sizes, among walls,
// and threaded.

#include "core/arithmetic.hpp"
#include "core/caught.hpp"
#include "generate/random.hpp"
#include "generate/scene_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace talus {
namespace {

constexpr double push = 0.6;              // of an overlap, per step, shared by the two
constexpr double momentum = 0.85;         // of the last step, in the next
constexpr double overlap_wanted = 9e-4;   // of the smaller size
constexpr double overlap_allowed = 1e-2;  // beyond, the fraction cannot be reached
constexpr double overlap_hopeless = 0.1;  // after the first steps: swelling will not help
// Loose packings come to rest at once. Others jam on the way, at 0.61 in a box of 20 diameters:
// swollen and slowly shrunk again, their spheres find places for 0.62.
constexpr int first_steps = 300, last_steps = 3000;
constexpr std::array swollen_steps = {200, 800};  // most have found places after the first
constexpr double swelling = 0.08;
constexpr int patience = 400;  // steps after which an overlap must have become less
constexpr double skin = 0.4;   // how much farther than touching the lists look, in mean radii
/// Sizes that differ by more begin at places of their own, the largest first: a small sphere that
/// lies deep in a large one would be pushed through all of it, past all others.
constexpr double unequal = 10.0;
constexpr std::uint64_t start_tries = 2000;
constexpr std::size_t chunk = 512;  // bodies whose lists one thread makes in one go

std::uint64_t spread_bits(std::uint64_t x) {
  std::uint64_t spread = 0;
  for (int bit = 0; bit < 21; ++bit) spread |= (x >> bit & 1U) << (3 * bit);
  return spread;
}

/// Random points, in the order of a curve that fills space (Morton's), so that what is near in
/// space is near in memory; also later, in the simulation, because bodies keep their order.
std::vector<Vec3> ordered_points(const Generator& generator, std::size_t count, double width) {
  std::vector<std::pair<std::uint64_t, Vec3>> keyed(count);
  const Vec3 low = bounds_of(generator.region).low;
  for (std::size_t i = 0; i < count; ++i) {
    KeyedRandom random(generator.seed, i, purpose_place);
    const Vec3 p = point_inside(generator.region, 0.5 * width, random);
    const auto bits = [&](double from, double x) {
      return spread_bits(static_cast<std::uint64_t>(std::max(0.0, (x - from) / width)));
    };
    keyed[i] = {bits(low.x, p.x) | bits(low.y, p.y) << 1 | bits(low.z, p.z) << 2, p};
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Vec3> points;
  for (const auto& [key, point] : keyed) points.push_back(point);
  return points;
}

/// Overdamped motion with some momentum. A sphere's share of an overlap is that of the other's
/// squared radius: a large one with many small neighbours stays as calm as one among its like.
class Packer {
 public:
  Packer(const Region& region, std::vector<Vec3> centres, std::vector<double> radii)
      : region_(region), centre_(std::move(centres)), radius_(std::move(radii)) {
    step_.resize(centre_.size());
    next_.resize(centre_.size());
    lists_.resize((centre_.size() + chunk - 1) / chunk);
    largest_radius_ = *std::max_element(radius_.begin(), radius_.end());
    skin_ = skin * std::accumulate(radius_.begin(), radius_.end(), 0.0) /
            static_cast<double>(radius_.size());
    for (std::size_t i = 0; i < centre_.size(); ++i)
      centre_[i] = nearest_inside(region_, radius_[i], centre_[i]);
    look_around();
  }

  /// Returns the largest overlap that is left, of the smaller size of the two.
  double run() {
    double overlap = relax(first_steps);
    if (overlap > overlap_hopeless) return overlap;
    for (const int steps : swollen_steps) {
      if (overlap <= overlap_wanted) break;
      for (int i = 0; i < steps; ++i) {
        swell(1.0 + swelling * (steps - i) / steps);
        advance();
      }
      swell(1.0);
      overlap = relax(steps == swollen_steps.back() ? last_steps : first_steps);
    }
    return overlap;
  }

  std::vector<Vec3> take() { return std::move(centre_); }

 private:
  /// Neighbours of a chunk of bodies, one body after the other.
  struct Lists {
    std::vector<std::size_t> end;
    std::vector<Index> neighbours;
  };

  double relax(int steps) {
    double overlap = largest_overlap(), best = overlap;
    for (int i = 0, since_best = 0; overlap > overlap_wanted; ++i, ++since_best) {
      if (i == steps || since_best == patience) break;
      overlap = advance();
      if (overlap > 0.98 * best) continue;
      best = overlap;
      since_best = 0;
    }
    return largest_overlap();
  }

  void swell(double factor) {
    const bool grows = factor > swollen_;
    swollen_ = factor;
    if (grows) look_around();  // lists of larger spheres hold all neighbours of smaller ones
  }

  void look_around() {
    looked_at_ = centre_;
    SphereGrid grid(swollen_ * largest_radius_, centre_.size());
    for (std::size_t i = 0; i < centre_.size(); ++i) grid.insert(centre_[i], swollen_ * radius_[i]);
    const StandardArithmetic arithmetic;
    Caught caught;
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(grid, caught) if (lists_.size() > 4)
    for (std::size_t c = 0; c < lists_.size(); ++c)
      caught.run(c, [&] { list_neighbours(grid, c); });
    caught.rethrow();
  }

  void list_neighbours(const SphereGrid& grid, std::size_t c) {
    Lists& lists = lists_[c];
    lists.end.clear();
    lists.neighbours.clear();
    for (std::size_t i = chunk * c; i < std::min(centre_.size(), chunk * (c + 1)); ++i) {
      grid.find(centre_[i], swollen_ * radius_[i] + skin_, lists.neighbours);
      lists.end.push_back(lists.neighbours.size());
    }
  }

  /// One step; returns the largest overlap before it, of the smaller size.
  double advance() {
    double overlap = 0.0, farthest = 0.0;
    const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    reduction(max                                                                \
              : overlap, farthest) if (lists_.size() > 4)
    for (std::size_t c = 0; c < lists_.size(); ++c)
      for (std::size_t i = chunk * c, from = 0; i < std::min(centre_.size(), chunk * (c + 1));
           from = lists_[c].end[i - chunk * c], ++i) {
        const Vec3 pushed = pushed_by(i, lists_[c], from, overlap);
        next_[i] =
            nearest_inside(region_, radius_[i], centre_[i] + push * pushed + momentum * step_[i]);
        step_[i] = next_[i] - centre_[i];
        const Vec3 way = next_[i] - looked_at_[i];
        farthest = std::max(farthest, dot(way, way));
      }
    centre_.swap(next_);
    // two that came half the skin nearer each could touch without being in the list
    if (farthest > 0.25 * skin_ * skin_) look_around();
    return overlap;
  }

  double largest_overlap() const {
    double overlap = 0.0;
    for (std::size_t c = 0; c < lists_.size(); ++c)
      for (std::size_t i = chunk * c, from = 0; i < std::min(centre_.size(), chunk * (c + 1));
           from = lists_[c].end[i - chunk * c], ++i)
        pushed_by(i, lists_[c], from, overlap);
    return overlap;
  }

  Vec3 pushed_by(std::size_t i, const Lists& lists, std::size_t from, double& overlap) const {
    Vec3 pushed;
    const Vec3 here = centre_[i];
    const double own = swollen_ * radius_[i];
    for (std::size_t k = from; k < lists.end[i % chunk]; ++k) {
      const auto j = static_cast<std::size_t>(lists.neighbours[k]);
      const Vec3 d = here - centre_[j];
      const double other = swollen_ * radius_[j], touching = own + other, squared = dot(d, d);
      if (squared >= touching * touching || i == j) continue;
      // two points in one place have no direction to go: they wait for others to part them
      const double distance = std::max(std::sqrt(squared), 1e-100), depth = touching - distance;
      const double share = other * other / (own * own + other * other);
      pushed = pushed + (share * depth / distance) * d;
      overlap = std::max(overlap, depth / (2.0 * std::min(own, other)));
    }
    return pushed;
  }

  const Region& region_;
  std::vector<Vec3> centre_, step_, next_, looked_at_;
  std::vector<double> radius_;
  std::vector<Lists> lists_;
  double largest_radius_ = 0.0, skin_ = 0.0;
  double swollen_ = 1.0;  ///< all radii by so much
};

}  // namespace

Placed packing(const Generator& generator, const Sizes& sizes, const Pattern& pattern,
               double& overlap) {
  Placed placed;
  placed.size = drawn_sizes(generator, sizes, pattern);
  if (placed.size.empty()) return placed;
  std::vector<double> radii;
  for (const double size : placed.size) radii.push_back(pattern.reach * size);
  const double mean =
      std::accumulate(radii.begin(), radii.end(), 0.0) / static_cast<double>(radii.size());
  const auto [smallest, largest] = std::minmax_element(radii.begin(), radii.end());
  std::vector<Vec3> points;
  if (*largest <= unequal * *smallest) {
    points = ordered_points(generator, radii.size(), 2.0 * mean);
  } else {
    const std::size_t without = start_places(generator, pattern, start_tries, placed);
    if (without == 0) {
      overlap = 0.0;
      return placed;
    }
    points = placed.centre;
  }
  Packer packer(generator.region, std::move(points), std::move(radii));
  overlap = packer.run();
  if (overlap > overlap_allowed)
    throw fault_of(
        generator,
        fmt::format("solid_fraction = {} must be one that a random packing in {} can reach: "
                    "overlaps of {:.2g} % of the size remain; make it smaller: the spheres about "
                    "bodies of one size fill 0.6 to 0.62, less in narrow regions",
                    generator.solid_fraction, words_of(generator.region), 100.0 * overlap));
  placed.centre = packer.take();
  return placed;
}

}  // namespace talus
