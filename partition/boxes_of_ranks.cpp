#include "boxes_of_ranks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace talus {

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
