#include "generate/periodic_cell.hpp"

#include "talus/core/error.hpp"

#include "generate/random.hpp"
#include "generate/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus {
namespace {

constexpr Index cell_spheres = 1000;
// Steps and overlaps are in mean radii.
constexpr double cell_push = 0.3;       // of an overlap, per step, to each of the two
constexpr double cell_momentum = 0.85;  // of the last step, in the next
constexpr double cell_overlap = 1e-3;   // largest that is left
constexpr int most_steps = 20000;
constexpr double cell_skin = 0.4;  // how much farther than touching the list of pairs looks

/// Of the volume, in spheres: that of spheres poured with friction, less than the 0.64 at which
/// they would jam without. They come to rest there as soon as they do not overlap any more, with 5
/// to 6 contacts each. Unequal spheres pack more densely.
double solid_fraction(double spread) {
  return 0.62 + 0.06 * spread * spread;
}

double wrapped(double d, double side) {
  if (d > 0.5 * side) return d - side;
  return d < -0.5 * side ? d + side : d;
}

/// Shortest way between two spheres or images of them.
Vec3 between(const PeriodicCell& cell, std::size_t from, std::size_t to) {
  const Vec3 d = cell.centre[to] - cell.centre[from];
  return {wrapped(d.x, cell.side), wrapped(d.y, cell.side), wrapped(d.z, cell.side)};
}

double into_cell(double x, double side) {
  while (x >= side) x -= side;
  while (x < 0.0) x += side;
  // the sum may round up to the side
  return x < side ? x : 0.0;
}

/// Pairs (lower, higher number) nearer than `reach` between their surfaces, found by way of boxes.
std::vector<std::array<std::size_t, 2>> close_pairs(const PeriodicCell& cell, double reach) {
  const double largest = *std::max_element(cell.radius.begin(), cell.radius.end());
  const auto per_side = static_cast<Index>(cell.side / (2.0 * largest + reach));
  TALUS_ASSERT(per_side >= 3);  // else a box would be its own neighbour
  const auto slot = [&](double along) {
    return std::min(per_side - 1, static_cast<Index>(along / cell.side * per_side));
  };
  const auto place = [&](Index x, Index y, Index z) {
    const auto around = [&](Index i) { return (i + per_side) % per_side; };
    return static_cast<std::size_t>(around(x) + per_side * (around(y) + per_side * around(z)));
  };
  std::vector<std::vector<std::size_t>> boxes(place(-1, -1, -1) + 1);
  std::vector<std::array<std::size_t, 2>> pairs;
  for (std::size_t b = 0; b < cell.centre.size(); ++b) {
    const Vec3& p = cell.centre[b];
    const Index x = slot(p.x), y = slot(p.y), z = slot(p.z);
    for (Index k = 0; k < 27; ++k)
      for (const std::size_t a : boxes[place(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1)]) {
        const Vec3 d = between(cell, a, b);
        const double far = cell.radius[a] + cell.radius[b] + reach;
        if (dot(d, d) <= far * far) pairs.push_back({a, b});
      }
    boxes[place(x, y, z)].push_back(b);
  }
  return pairs;
}

PeriodicCell random_cell(std::uint64_t seed, double spread) {
  PeriodicCell cell;
  double cubes = 0.0;
  for (std::uint64_t i = 0; i < cell_spheres; ++i) {
    const double r = 1.0 + spread * KeyedRandom(seed, i, 1).uniform(-1.0, 1.0);
    cell.radius.push_back(r);
    cubes += r * r * r;
  }
  cell.side = cube_root(4.0 / 3.0 * pi * cubes / solid_fraction(spread));
  for (std::uint64_t i = 0; i < cell_spheres; ++i) {
    KeyedRandom random(seed, i, 2);
    const double x = random.uniform(), y = random.uniform(), z = random.uniform();
    cell.centre.push_back(cell.side * Vec3{x, y, z});
  }
  return cell;
}

/// Overdamped motion with some momentum, which comes to rest ten times sooner. Ends where no
/// overlap is above what is allowed; that is long before the last step at every spread.
class Relaxation {
 public:
  explicit Relaxation(PeriodicCell& cell) : cell_(cell), step_(cell.centre.size()) {
    look_around();
  }

  void run() {
    for (int i = 0; i < most_steps && push_apart() > cell_overlap; ++i) move();
  }

 private:
  void look_around() {
    for (Vec3& p : cell_.centre)
      p = {into_cell(p.x, cell_.side), into_cell(p.y, cell_.side), into_cell(p.z, cell_.side)};
    looked_at_ = cell_.centre;
    pairs_ = close_pairs(cell_, cell_skin);
  }

  /// Into push_, what overlaps ask for; returns the largest.
  double push_apart() {
    push_.assign(step_.size(), Vec3{});
    double largest = 0.0;
    for (const auto& [a, b] : pairs_) {
      const Vec3 d = between(cell_, a, b);
      const double touching = cell_.radius[a] + cell_.radius[b], squared = dot(d, d);
      if (squared >= touching * touching) continue;
      // two points in one place have no direction to go: they wait for others to part them
      const double distance = std::max(std::sqrt(squared), 1e-100), overlap = touching - distance;
      const Vec3 apart = (overlap / distance) * d;
      push_[a] = push_[a] - apart;
      push_[b] = push_[b] + apart;
      largest = std::max(largest, overlap);
    }
    return largest;
  }

  void move() {
    double farthest = 0.0;
    for (std::size_t i = 0; i < step_.size(); ++i) {
      step_[i] = cell_push * push_[i] + cell_momentum * step_[i];
      cell_.centre[i] = cell_.centre[i] + step_[i];
      const Vec3 d = cell_.centre[i] - looked_at_[i];
      farthest = std::max(farthest, dot(d, d));
    }
    // two that came half the skin nearer each could touch without being in the list
    if (farthest > 0.25 * cell_skin * cell_skin) look_around();
  }

  PeriodicCell& cell_;
  std::vector<Vec3> step_, push_, looked_at_;
  std::vector<std::array<std::size_t, 2>> pairs_;
};

void sort_by_height(PeriodicCell& cell) {
  std::vector<std::size_t> order(cell.centre.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double za = cell.centre[a].z, zb = cell.centre[b].z;
    return za != zb ? za < zb : a < b;
  });
  PeriodicCell sorted{cell.side, {}, {}};
  for (const std::size_t i : order) {
    sorted.centre.push_back(cell.centre[i]);
    sorted.radius.push_back(cell.radius[i]);
  }
  cell = std::move(sorted);
}

}  // namespace

PeriodicCell relaxed_cell(std::uint64_t seed, double spread) {
  PeriodicCell cell = random_cell(seed, spread);
  Relaxation(cell).run();
  for (Vec3& p : cell.centre)
    p = {into_cell(p.x, cell.side), into_cell(p.y, cell.side), into_cell(p.z, cell.side)};
  sort_by_height(cell);
  return cell;
}

std::vector<std::vector<Neighbour>> neighbours_of(const PeriodicCell& cell, double reach) {
  std::vector<std::vector<Neighbour>> neighbours(cell.centre.size());
  const auto image = [&](double d) {
    return d > 0.5 * cell.side ? -1 : (d < -0.5 * cell.side ? 1 : 0);
  };
  for (const auto& [a, b] : close_pairs(cell, reach)) {
    const Vec3 straight = cell.centre[b] - cell.centre[a], d = between(cell, a, b);
    const double distance = std::sqrt(dot(d, d));
    const double gap = distance - cell.radius[a] - cell.radius[b];
    if (gap > reach) continue;
    const Vec3 normal = (1.0 / distance) * d;
    const std::array<int, 3> of_b = {image(straight.x), image(straight.y), image(straight.z)};
    neighbours[a].push_back({static_cast<Index>(b), of_b, -1.0 * normal, gap});
    neighbours[b].push_back({static_cast<Index>(a), {-of_b[0], -of_b[1], -of_b[2]}, normal, gap});
  }
  for (auto& of_one : neighbours)
    std::sort(of_one.begin(), of_one.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.sphere < b.sphere; });
  return neighbours;
}

}  // namespace talus
