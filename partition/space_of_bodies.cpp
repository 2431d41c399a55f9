#include "space_of_bodies.hpp"

#include "curve_cuts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace talus {
namespace {

constexpr double margin = 2.0;        // width of the cube over the spread of the bodies
constexpr double most_widths = 4096;  // of the bulk: leaves it 256 cells per axis
constexpr double coarsest = 4.0;      // an older cube may be so many times too wide
constexpr double smallest = 1e-12;    // width over position: less is rounding, and no width
constexpr int shares = 16;            // the bulk is between the first and the last of them
constexpr double widest = 1e300;      // so that no difference of positions is infinite

using Triple = std::array<double, 3>;

struct Extent {
  Triple low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};

  bool empty() const { return !(low[0] <= high[0]); }
  double width() const {
    double most = 0.0;
    for (std::size_t k = 0; k < 3; ++k) most = std::max(most, high[k] - low[k]);
    return most;
  }
  /// Of the numbers that it is made of.
  double size() const {
    double most = 0.0;
    for (std::size_t k = 0; k < 3; ++k)
      most = std::max({most, std::abs(low[k]), std::abs(high[k])});
    return most;
  }
  bool within(const CellCube& cube) const {
    const Triple from{cube.low.x, cube.low.y, cube.low.z};
    for (std::size_t k = 0; k < 3; ++k)
      if (low[k] < from[k] || high[k] > from[k] + cube.width) return false;
    return true;
  }
};

/// A number in the order of the doubles, below 2^62; the last two bits are lost.
std::uint64_t ordered(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return ((bits & sign) != 0 ? ~bits : bits | sign) >> 2;
}
double from_ordered(std::uint64_t place) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const std::uint64_t bits = place << 2;
  return std::bit_cast<double>((bits & sign) != 0 ? bits & ~sign : ~bits);
}

/// Along each axis, where all but the first and the last share of the weight is.
Extent bulk_of(const Communicator& comm, const std::vector<Triple>& places,
               const std::vector<std::int64_t>& weights) {
  Extent bulk;
  std::vector<std::uint64_t> keys(places.size());
  for (std::size_t k = 0; k < 3; ++k) {
    std::transform(places.begin(), places.end(), keys.begin(),
                   [k](const Triple& place) { return ordered(place[k]); });
    const std::vector<std::uint64_t> cuts = curve_cuts(comm, keys, weights, shares);
    bulk.low[k] = from_ordered(cuts.front());
    bulk.high[k] = from_ordered(cuts.back());
  }
  return bulk;
}

}  // namespace

CellCube space_of_bodies(const Communicator& comm, const std::vector<Vec3>& position,
                         const std::vector<std::int64_t>& weight, const CellCube* before) {
  std::vector<Triple> places;
  std::vector<std::int64_t> weights;
  Extent box;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const Triple place{position[i].x, position[i].y, position[i].z};
    if (!std::all_of(place.begin(), place.end(), [](double x) { return std::isfinite(x); }))
      continue;
    places.push_back(place);
    weights.push_back(weight[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], std::clamp(place[k], -widest, widest));
      box.high[k] = std::max(box.high[k], std::clamp(place[k], -widest, widest));
    }
  }
  comm.smallest(box.low);
  comm.largest(box.high);
  if (box.empty()) return before != nullptr ? *before : CellCube{};
  double width = margin * box.width();
  const Extent bulk = bulk_of(comm, places, weights);
  if (bulk.width() > smallest * bulk.size() && width > most_widths * bulk.width()) {
    width = most_widths * bulk.width();
    box = bulk;
  }
  if (width == 0.0) width = 1.0;  // one point: any width will do
  if (before != nullptr && box.within(*before) && before->width <= coarsest * width) return *before;
  const auto low = [&](std::size_t k) { return 0.5 * (box.low[k] + box.high[k] - width); };
  return {{low(0), low(1), low(2)}, width};
}

Bounds enclosing(const Bounds& a, const Bounds& b) {
  return {
      {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
      {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

double extent_of(const Bounds& b) {
  return std::max({b.high.x - b.low.x, b.high.y - b.low.y, b.high.z - b.low.z});
}

Bounds image_of(const Periodicity& world, const Bounds& box, const std::array<int, 3>& image) {
  Bounds moved = box;
  const auto along = [&](std::size_t d, double& low, double& high, double period) {
    if (image[d] == 0) return;
    const double way = image[d] * period;
    const double rounding = 1e-14 * (std::fabs(low) + std::fabs(high) + std::fabs(way));
    low += way - rounding;
    high += way + rounding;
  };
  along(0, moved.low.x, moved.high.x, world.period.x);
  along(1, moved.low.y, moved.high.y, world.period.y);
  along(2, moved.low.z, moved.high.z, world.period.z);
  return moved;
}

BoxesOfRanks::BoxesOfRanks(const Periodicity& world, int ranks, std::vector<Bounds> here)
    : world_(world), ranks_(ranks), here_(std::move(here)) {
  for (const Bounds& box : here_) all_here_ = enclosing(all_here_, box);
}

void BoxesOfRanks::add(int rank, const Bounds& box) {
  if (here_.empty()) return;
  each_image(world_, box, all_here_, [&](const Bounds& image) {
    if (std::none_of(here_.begin(), here_.end(),
                     [&](const Bounds& mine) { return overlap(mine, image); }))
      return;
    boxes_.push_back(image);
    rank_.push_back(rank);
  });
}

void BoxesOfRanks::build() {
  std::vector<Index> all(boxes_.size());
  std::iota(all.begin(), all.end(), Index{0});
  grid_.build(boxes_, all);
}

const std::vector<int>& BoxesOfRanks::meeting(const Bounds& box, Search& search) const {
  search.ranks.clear();
  search.met.resize(static_cast<std::size_t>(ranks_), false);
  for (std::size_t level = 0; level < grid_.level_count(); ++level) {
    grid_.search(box, level, -1, search.hits);
    for (std::size_t k = 0; k < search.hits.count; ++k) {
      const int rank = rank_[grid_.body(search.hits.places[k])];
      if (search.met[rank]) continue;
      search.met[rank] = true;
      search.ranks.push_back(rank);
    }
  }
  for (const int rank : search.ranks) search.met[rank] = false;
  return search.ranks;
}

}  // namespace talus
