#include "talus/simulation/impact_reach.hpp"

#include "core/mixed_bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace talus {
namespace {

// In cells.
constexpr int reach = 3;
// Sizes are told apart by powers of two; rounds beyond this reach as far as the last.
constexpr int most_doublings = 8;
constexpr double farthest = 1e12;  // in cells: beyond, a place is no place

using Cell = std::array<std::int64_t, 3>;

std::optional<Cell> cell_of(const Vec3& position, double edge) {
  const Vec3 q{std::floor(position.x / edge), std::floor(position.y / edge),
               std::floor(position.z / edge)};
  if (!(std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z)}) < farthest)) return {};
  return Cell{static_cast<std::int64_t>(q.x), static_cast<std::int64_t>(q.y),
              static_cast<std::int64_t>(q.z)};
}

/// Cells that are 2^21 apart share a key: a body too many is given a margin.
std::uint64_t key_of(const Cell& cell) {
  constexpr int bits = 21;
  constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t key = 0;
  for (const std::int64_t i : cell) key = (key << bits) | (static_cast<std::uint64_t>(i) & mask);
  return key;
}

/// The body and its images next to it.
std::vector<Vec3> images_of(const Vec3& position, const Periodicity& periodicity) {
  std::vector<Vec3> images{position};
  const auto add = [&](bool periodic, const Vec3& period) {
    const std::size_t known = images.size();
    for (std::size_t k = 0; periodic && k < known; ++k) {
      images.push_back(images[k] + period);
      images.push_back(images[k] - period);
    }
  };
  add(periodicity.axis[0], {periodicity.period.x, 0.0, 0.0});
  add(periodicity.axis[1], {0.0, periodicity.period.y, 0.0});
  add(periodicity.axis[2], {0.0, 0.0, periodicity.period.z});
  return images;
}

void raise(double& known, double value) {
  known = std::max(known, value);
}

}  // namespace

std::size_t ImpactReach::Mixed::operator()(std::uint64_t key) const {
  return mixed_bits(key);
}

void ImpactReach::add(const std::vector<Mover>& movers, int round, const Periodicity& periodicity) {
  // next to a mover as in the first round, farther off by coarser cells
  add_to_grid(movers, 0, periodicity);
  if (round > 0) add_to_grid(movers, std::min(round, most_doublings), periodicity);
}

void ImpactReach::add_to_grid(const std::vector<Mover>& movers, int doublings,
                              const Periodicity& periodicity) {
  // the farthest way in each cell, by the exponent of its edge
  std::map<int, std::map<Cell, double>> occupied;
  for (const Mover& mover : movers) {
    if (!(mover.size > 0.0 && std::isfinite(mover.size))) continue;
    const int exponent = std::ilogb(mover.size) + doublings;
    const double edge = std::ldexp(1.0, exponent);
    for (const Vec3& image : images_of(mover.position, periodicity))
      if (const auto cell = cell_of(image, edge)) raise(occupied[exponent][*cell], mover.way);
  }
  const double sizes_per_cell = std::ldexp(1.0, doublings);
  for (const auto& [exponent, cells] : occupied) {
    Ways& ways = grids_[{exponent, doublings}];
    for (const auto& [cell, way] : cells)
      for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
          for (int k = -reach; k <= reach; ++k) {
            const int squared = i * i + j * j + k * k;
            if (squared > reach * reach) continue;
            // within a cell as half way to the next, but next to the mover
            const double cells_off =
                doublings > 0 && squared == 0 ? 0.5 : std::sqrt(static_cast<double>(squared));
            const double share = 1.0 / (1.0 + sizes_per_cell * cells_off);
            raise(ways[key_of({cell[0] + i, cell[1] + j, cell[2] + k})], share * way);
          }
  }
}

double ImpactReach::at(const Vec3& position) const {
  double way = 0.0;
  for (const auto& [kind, ways] : grids_) {
    const auto cell = cell_of(position, std::ldexp(1.0, kind.first));
    if (!cell) continue;
    const auto found = ways.find(key_of(*cell));
    if (found != ways.end()) raise(way, found->second);
  }
  return way;
}

}  // namespace talus
