#include "geometry/hierarchical_grid.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace talus {
namespace {

// Bins of extents: exponent and the first bits of the mantissa, so that a level may begin at the
// size of its largest box, wherever that lies between powers of 2.
constexpr int dropped_bits = 49;
constexpr std::size_t bins_per_step = 4;  // a factor of about the root of 2
constexpr int most_steps = 4;
// Fewer levels are fewer searches of each box; large cells among very many small boxes are more
// tests of each. A step down to so many times as many boxes begins a new level.
constexpr std::int64_t too_many = 4;
constexpr std::size_t bin_count = std::size_t{1} << 14;
constexpr double buckets_per_box = 4.0;
constexpr double least_buckets = 64.0;
// Cells are shorter along x: a search runs through all of them at once there, so that they cost
// nothing, and fewer boxes are tested in vain.
constexpr double cells_per_extent_x = 2.0;

double extent(const Bounds& b) {
  return std::max(std::max(b.high.x - b.low.x, b.high.y - b.low.y), b.high.z - b.low.z);
}

std::size_t bin_of(double size) {
  return std::bit_cast<std::uint64_t>(std::max(size, 0.0)) >> dropped_bits;
}

void enclose(Bounds& all, const Vec3& low, const Vec3& high) {
  all.low = {std::min(all.low.x, low.x), std::min(all.low.y, low.y), std::min(all.low.z, low.z)};
  all.high = {std::max(all.high.x, high.x), std::max(all.high.y, high.y),
              std::max(all.high.z, high.z)};
}

constexpr Bounds no_bounds{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};

}  // namespace

double HierarchicalGrid::rows_searched(std::size_t level, std::size_t other) const {
  const Level& searched = levels_[other];
  const double along = 2.0 + levels_[level].extent / searched.extent;
  return levels_[level].count * std::min(along, static_cast<double>(searched.axes[1].buckets)) *
         std::min(along, static_cast<double>(searched.axes[2].buckets));
}

void HierarchicalGrid::build(const std::vector<Bounds>& boxes, const std::vector<Index>& which) {
  choose_levels(boxes, which);
  measure_levels(boxes, which);
  for (Level& level : levels_) lay_cells(level);
  sort(boxes, which);
}

/// From the largest box downwards: a level takes boxes of down to a quarter of the size of its
/// largest, fewer where there are many of the small; the next begins at the largest that is left.
void HierarchicalGrid::choose_levels(const std::vector<Bounds>& boxes,
                                     const std::vector<Index>& which) {
  in_bin_.assign(bin_count, 0);
  level_of_bin_.resize(bin_count);
  for (const Index i : which) ++in_bin_[bin_of(extent(boxes[i]))];
  const auto in_step_below = [&](std::size_t end) {
    std::int64_t sum = 0;
    for (std::size_t bin = end - std::min(end, bins_per_step); bin < end; ++bin)
      sum += in_bin_[bin];
    return sum;
  };
  levels_.clear();
  std::size_t lowest = bin_count;
  for (std::size_t bin = bin_count; bin-- > 0;) {
    if (in_bin_[bin] == 0) continue;
    if (bin < lowest) {
      levels_.emplace_back();
      lowest = bin + 1;
      std::int64_t count = 0;
      for (int step = 0; step < most_steps; ++step) {
        const std::int64_t more = in_step_below(lowest);
        if (step > 0 && more > too_many * count) break;
        count += more;
        lowest -= std::min(lowest, bins_per_step);
      }
    }
    level_of_bin_[bin] = static_cast<std::uint16_t>(levels_.size() - 1);
  }
}

void HierarchicalGrid::measure_levels(const std::vector<Bounds>& boxes,
                                      const std::vector<Index>& which) {
  for (Level& level : levels_) level.bounds = level.lows = no_bounds;
  level_of_box_.resize(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Bounds& box = boxes[which[k]];
    const double size = extent(box);
    // levels were made from large to small
    const std::size_t number = levels_.size() - 1 - level_of_bin_[bin_of(size)];
    level_of_box_[k] = static_cast<std::uint16_t>(number);
    Level& level = levels_[number];
    level.extent = std::max(level.extent, size);
    ++level.count;
    enclose(level.bounds, box.low, box.high);
    enclose(level.lows, box.low, box.low);
  }
}

void HierarchicalGrid::lay_cells(Level& level) {
  // The extent was rounded; what a search subtracts from its box must not be less than it was.
  level.extent = std::max(level.extent * (1.0 + 1e-15), 1e-290);
  const std::array<double, 3> low{level.lows.low.x, level.lows.low.y, level.lows.low.z};
  const std::array<double, 3> high{level.lows.high.x, level.lows.high.y, level.lows.high.z};
  std::array<double, 3> buckets{};
  constexpr double most_cells = 1e15;  // still counted exactly, far more than is ever stored
  for (std::size_t d = 0; d < 3; ++d) {
    Axis& axis = level.axes[d];
    axis.origin = low[d];
    axis.inverse = (d == 0 ? cells_per_extent_x : 1.0) / level.extent;
    axis.cells = std::min(std::floor((high[d] - low[d]) * axis.inverse), most_cells) + 1.0;
    buckets[d] = axis.cells;
  }
  const double most = std::max(buckets_per_box * level.count, least_buckets);
  while (buckets[0] * buckets[1] * buckets[2] > most) {
    double& longest = *std::max_element(buckets.begin(), buckets.end());
    longest = std::ceil(0.5 * longest);
  }
  for (std::size_t d = 0; d < 3; ++d) level.axes[d].buckets = static_cast<std::int64_t>(buckets[d]);
}

/// Counting sort by bucket; boxes of a bucket stay in the order of `which`.
void HierarchicalGrid::sort(const std::vector<Bounds>& boxes, const std::vector<Index>& which) {
  std::size_t buckets = 0;
  Index end = 0;
  for (Level& level : levels_) {
    level.first_bucket = buckets;
    const auto& [x, y, z] = level.axes;
    buckets += static_cast<std::size_t>(x.buckets * y.buckets * z.buckets);
    end += level.count;
    level.end = end;
  }
  start_.assign(buckets + 2, 0);
  const auto n = static_cast<std::int64_t>(which.size());
  bucket_of_box_.resize(which.size());
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (n > 1000) default(none) firstprivate(arithmetic) \
    shared(boxes, which, n)
  for (std::int64_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    bucket_of_box_[i] = bucket_of(levels_[level_of_box_[i]], boxes[which[i]].low);
  }
  // Counted two buckets further, so that after filling start_[b] is where bucket b begins.
  for (const std::size_t bucket : bucket_of_box_) ++start_[bucket + 2];
  for (std::size_t b = 2; b < start_.size(); ++b) start_[b] += start_[b - 1];
  box_.resize(which.size());
  body_.resize(which.size());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto place = start_[bucket_of_box_[k] + 1]++;
    box_[place] = boxes[which[k]];
    body_[place] = which[k];
  }
}

std::int64_t HierarchicalGrid::bucket(const Axis& axis, double x) {
  const double cell = std::min((x - axis.origin) * axis.inverse, axis.cells - 1.0);
  const auto number = static_cast<std::int64_t>(cell);  // rounds down: no cell is below 0
  return number < axis.buckets ? number : number % axis.buckets;
}

/// Rounding is monotonic in each operation: what lies between `low` and `high` is in these cells.
HierarchicalGrid::Range HierarchicalGrid::range(const Axis& axis, double low, double high) {
  const double most = axis.cells - 1.0;
  const double first = (low - axis.origin) * axis.inverse;
  const double last = (high - axis.origin) * axis.inverse;
  if (last < 0.0) return {};
  const auto from = static_cast<std::int64_t>(std::min(std::max(first, 0.0), most));
  const auto to = static_cast<std::int64_t>(std::min(last, most));
  return {from < axis.buckets ? from : from % axis.buckets, std::min(axis.buckets, to - from + 1)};
}

std::size_t HierarchicalGrid::bucket_of(const Level& level, const Vec3& low) {
  const auto& [x, y, z] = level.axes;
  return level.first_bucket +
         static_cast<std::size_t>((bucket(z, low.z) * y.buckets + bucket(y, low.y)) * x.buckets +
                                  bucket(x, low.x));
}

void HierarchicalGrid::search(const Bounds& box, std::size_t number, Index after,
                              GridHits& hits) const {
  hits.count = 0;
  const Level& level = levels_[number];
  if (!overlap(box, level.bounds)) return;
  const auto& [x, y, z] = level.axes;
  const Range xs = range(x, box.low.x - level.extent, box.high.x);
  const Range ys = range(y, box.low.y - level.extent, box.high.y);
  const Range zs = range(z, box.low.z - level.extent, box.high.z);
  const std::int64_t straight = std::min(xs.count, x.buckets - xs.first);
  for (std::int64_t k = 0, bz = zs.first; k < zs.count; ++k) {
    for (std::int64_t j = 0, by = ys.first; j < ys.count; ++j) {
      const std::size_t row =
          level.first_bucket + static_cast<std::size_t>((bz * y.buckets + by) * x.buckets);
      scan(box, row + static_cast<std::size_t>(xs.first), static_cast<std::size_t>(straight), after,
           hits);
      if (straight < xs.count)
        scan(box, row, static_cast<std::size_t>(xs.count - straight), after, hits);
      if (++by == y.buckets) by = 0;
    }
    if (++bz == z.buckets) bz = 0;
  }
}

void HierarchicalGrid::scan(const Bounds& box, std::size_t first_bucket, std::size_t buckets,
                            Index after, GridHits& hits) const {
  const Index first = std::max(start_[first_bucket], after + 1);
  const Index end = start_[first_bucket + buckets];
  if (first >= end) return;
  if (hits.places.size() < hits.count + (end - first))
    hits.places.resize(2 * (hits.count + (end - first)));
  // Without a branch on what is rarely foreseen: every place is written, hits move the end on.
  std::size_t count = hits.count;
  for (Index place = first; place < end; ++place) {
    const Bounds& b = box_[place];
    hits.places[count] = place;
    count += static_cast<std::size_t>((box.low.x <= b.high.x) & (b.low.x <= box.high.x) &
                                      (box.low.y <= b.high.y) & (b.low.y <= box.high.y) &
                                      (box.low.z <= b.high.z) & (b.low.z <= box.high.z));
  }
  hits.count = count;
}

}  // namespace talus
