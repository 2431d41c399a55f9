#include "geometry/broad_phase.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "core/caught.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace talus {
namespace {

constexpr double too_large = 1e300;  // sums and differences of less are finite
constexpr Index most_chunks = 64;
constexpr Index least_in_chunk = 256;
constexpr int image_limit = 127;
constexpr std::array<int, 3> here{0, 0, 0};

bool is_number(const Bounds& b) {
  return !(std::isnan(b.low.x) || std::isnan(b.low.y) || std::isnan(b.low.z) ||
           std::isnan(b.high.x) || std::isnan(b.high.y) || std::isnan(b.high.z));
}

bool is_finite(const Bounds& b) {
  return b.low.x > -too_large && b.low.y > -too_large && b.low.z > -too_large &&
         b.high.x < too_large && b.high.y < too_large && b.high.z < too_large;
}

Vec3 way_of(const std::array<int, 3>& image, const Vec3& period) {
  return {image[0] * period.x, image[1] * period.y, image[2] * period.z};
}

/// The corner that lies deepest in the half space lies outside.
bool outside(const Bounds& b, const HalfSpace& half) {
  const Vec3& n = half.normal;
  const Vec3 deepest{n.x > 0.0 ? b.low.x : b.high.x, n.y > 0.0 ? b.low.y : b.high.y,
                     n.z > 0.0 ? b.low.z : b.high.z};
  return dot(n, deepest) > half.offset;
}

std::uint64_t key_of(Index rank, const std::array<int, 3>& image) {
  const auto byte = [](int i) { return static_cast<std::uint64_t>(i + image_limit + 1); };
  return static_cast<std::uint64_t>(rank) << 24U | byte(image[0]) << 16U | byte(image[1]) << 8U |
         byte(image[2]);
}

std::int8_t image_in(std::uint64_t key, unsigned shift) {
  return static_cast<std::int8_t>(static_cast<int>(key >> shift & 0xffU) - image_limit - 1);
}

/// By insertion: lists are a few long and often in order already.
void sort_short(std::uint64_t* first, std::uint64_t* end) {
  if (end - first > 64) {
    std::sort(first, end);
    return;
  }
  for (std::uint64_t* next = first; next < end; ++next) {
    const std::uint64_t key = *next;
    std::uint64_t* hole = next;
    for (; hole > first && hole[-1] > key; --hole) *hole = hole[-1];
    *hole = key;
  }
}

}  // namespace

std::vector<Vec3> images_of(const Vec3& place, const Periodicity& periodicity) {
  std::vector<Vec3> images{place};
  const auto repeat = [&](bool periodic, const Vec3& period) {
    const std::size_t known = images.size();
    for (std::size_t k = 0; periodic && k < known; ++k) {
      images.push_back(images[k] + period);
      images.push_back(images[k] - period);
    }
  };
  repeat(periodicity.axis[0], {periodicity.period.x, 0.0, 0.0});
  repeat(periodicity.axis[1], {0.0, periodicity.period.y, 0.0});
  repeat(periodicity.axis[2], {0.0, 0.0, periodicity.period.z});
  return images;
}

void BroadPhase::find(const BroadPhaseInput& input, std::vector<CandidatePair>& pairs) {
  TALUS_ASSERT(input.id->size() == input.bounds->size());
  TALUS_ASSERT(input.id->size() == input.moves->size());
  sort_out(input);
  grid_.build(*input.bounds, finite_);
  check_images(input);
  choose_searches();
  const Index n = grid_.count();
  const Index chunks = std::min(most_chunks, n / least_in_chunk + 1);
  chunks_.resize(chunks);
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(input, chunks, caught)
  for (Index c = 0; c < chunks; ++c)
    caught.run(static_cast<std::size_t>(c), [&] { search_share(input, c, chunks); });
  caught.rethrow();
  meet_each_other(input, chunks_.front());
  order(pairs);
}

/// A share of each level: boxes of one level cost about the same.
void BroadPhase::search_share(const BroadPhaseInput& input, Index share, Index shares) {
  Chunk& chunk = chunks_[share];
  chunk.found.clear();
  for (std::size_t level = 0; level < grid_.level_count(); ++level) {
    const std::int64_t first = grid_.first_of(level), count = grid_.end_of(level) - first;
    const auto end = static_cast<Index>(first + count * (share + 1) / shares);
    for (auto place = static_cast<Index>(first + count * share / shares); place < end; ++place)
      search(input, level, place, chunk);
  }
}

/// Ranks of ids, and which bodies the grid can hold.
void BroadPhase::sort_out(const BroadPhaseInput& input) {
  const std::vector<GlobalId>& id = *input.id;
  by_rank_.resize(id.size());
  rank_.resize(id.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  if (!std::is_sorted(id.begin(), id.end()))
    std::sort(by_rank_.begin(), by_rank_.end(), [&](Index a, Index b) { return id[a] < id[b]; });
  for (std::size_t r = 0; r < by_rank_.size(); ++r) rank_[by_rank_[r]] = static_cast<Index>(r);
  finite_.clear();
  infinite_.clear();
  for (std::size_t i = 0; i < id.size(); ++i) {
    const Bounds& bounds = (*input.bounds)[i];
    if (is_number(bounds)) (is_finite(bounds) ? finite_ : infinite_).push_back(Index(i));
  }
  filled_.clear();
  for (const Index body : infinite_) {
    filled_.push_back({body, {}, 0.0});  // everything
    if (input.half_spaces == nullptr) continue;
    for (const HalfSpace& half : *input.half_spaces)
      if (half.body == body) filled_.back() = half;
  }
}

/// Images are stored in a byte. Who is farthest out, or largest, is named.
void BroadPhase::check_images(const BroadPhaseInput& input) const {
  const Periodicity& world = input.periodicity;
  if (!world.any() || grid_.count() == 0) return;
  constexpr double most = 0.5 * (image_limit - 1.0);
  const std::array<double, 3> low{world.low.x, world.low.y, world.low.z},
      period{world.period.x, world.period.y, world.period.z};
  for (const Index body : finite_) {
    const Bounds& b = (*input.bounds)[body];
    const std::array<double, 3> from{b.low.x, b.low.y, b.low.z}, to{b.high.x, b.high.y, b.high.z};
    for (std::size_t k = 0; k < 3; ++k)
      if (world.axis[k] &&
          !(from[k] > low[k] - most * period[k] && to[k] < low[k] + most * period[k]))
        throw std::runtime_error(fmt::format(
            "body {} and what it may do in a step reach from {:g} to {:g} m along {}, which is "
            "periodic with a period of {:g} m: more than {:g} periods from where the domain begins "
            "are too far; it moves too fast (a smaller time step may help), or it is too large or "
            "too far away for a periodic axis",
            (*input.id)[body], from[k], to[k], "xyz"[k], period[k], most));
  }
}

/// Of two levels, the one that looks into fewer rows of cells searches the other: a few large boxes
/// look for many small ones, many small ones for as many large.
void BroadPhase::choose_searches() {
  const std::size_t levels = grid_.level_count();
  searched_from_.resize(levels);
  for (auto& searched : searched_from_) searched.clear();
  for (std::size_t small = 0; small < levels; ++small) {
    searched_from_[small].push_back(small);
    for (std::size_t large = small + 1; large < levels; ++large) {
      if (grid_.rows_searched(large, small) < grid_.rows_searched(small, large))
        searched_from_[large].push_back(small);
      else
        searched_from_[small].push_back(large);
    }
  }
}

void BroadPhase::search(const BroadPhaseInput& input, std::size_t level, Index place,
                        Chunk& chunk) const {
  for (const std::size_t other : searched_from_[level]) {
    if (input.periodicity.any())
      search_images(input, place, other, chunk);
    else
      search_image(input, place, other, here, chunk);
  }
  meet_infinite(input, place, chunk);
}

/// All images of a level's boxes that may be where the box is.
void BroadPhase::search_images(const BroadPhaseInput& input, Index place, std::size_t level,
                               Chunk& chunk) const {
  const Bounds &box = grid_.box(place), &all = grid_.bounds(level);
  const Periodicity& world = input.periodicity;
  Image first{}, last{};
  const auto along = [&](std::size_t d, double lowest, double highest, double period) {
    constexpr double rounding = 1e-6;  // one image too many costs little
    if (!world.axis[d]) return;
    first[d] = static_cast<int>(std::ceil(lowest / period - rounding));
    last[d] = static_cast<int>(std::floor(highest / period + rounding));
  };
  along(0, box.low.x - all.high.x, box.high.x - all.low.x, world.period.x);
  along(1, box.low.y - all.high.y, box.high.y - all.low.y, world.period.y);
  along(2, box.low.z - all.high.z, box.high.z - all.low.z, world.period.z);
  Image image{};
  for (image[0] = first[0]; image[0] <= last[0]; ++image[0])
    for (image[1] = first[1]; image[1] <= last[1]; ++image[1])
      for (image[2] = first[2]; image[2] <= last[2]; ++image[2])
        search_image(input, place, level, image, chunk);
}

/// Boxes that, moved by `image`, overlap that at `place`.
void BroadPhase::search_image(const BroadPhaseInput& input, Index place, std::size_t level,
                              const Image& image, Chunk& chunk) const {
  Bounds box = grid_.box(place);
  if (image != here) {
    // Moved the other way, and a little larger: whether they overlap is then decided as if the body
    // of higher id had been moved, whichever of the two is searched from.
    const Vec3 way = way_of(image, input.periodicity.period);
    const auto rounding = [](double low, double high, double moved) {
      return 1e-14 * (std::fabs(low) + std::fabs(high) + std::fabs(moved));
    };
    const Vec3 more{rounding(box.low.x, box.high.x, way.x), rounding(box.low.y, box.high.y, way.y),
                    rounding(box.low.z, box.high.z, way.z)};
    box = {box.low - way - more, box.high - way + more};
  }
  // In its own level each pair is met from the lower place only.
  const bool own = place >= grid_.first_of(level) && place < grid_.end_of(level);
  grid_.search(box, level, own ? place : -1, chunk.hits);
  for (std::size_t k = 0; k < chunk.hits.count; ++k)
    add(input, grid_.body(place), grid_.body(chunk.hits.places[k]), image, chunk);
}

void BroadPhase::meet_infinite(const BroadPhaseInput& input, Index place, Chunk& chunk) const {
  const Bounds& box = grid_.box(place);
  for (const HalfSpace& half : filled_)
    if (!outside(box, half)) add(input, grid_.body(place), half.body, here, chunk);
}

void BroadPhase::meet_each_other(const BroadPhaseInput& input, Chunk& chunk) const {
  for (std::size_t i = 0; i < infinite_.size(); ++i)
    for (std::size_t j = i + 1; j < infinite_.size(); ++j)
      add(input, infinite_[i], infinite_[j], here, chunk);
}

/// `other`, moved by `image`, may overlap `body`.
void BroadPhase::add(const BroadPhaseInput& input, Index body, Index other, const Image& image,
                     Chunk& chunk) const {
  if (((*input.moves)[body] | (*input.moves)[other]) == 0) return;
  const bool lower = rank_[body] < rank_[other];
  const Index a = lower ? body : other, b = lower ? other : body;
  Image moved = image;
  if (image != here) {
    if (!lower) moved = {-image[0], -image[1], -image[2]};
    const Vec3 way = way_of(moved, input.periodicity.period);
    const Bounds& of_b = (*input.bounds)[b];
    if (!overlap((*input.bounds)[a], {of_b.low + way, of_b.high + way})) return;
  }
  chunk.found.push_back({rank_[a], key_of(rank_[b], moved)});
}

/// Counting sort by a, then each a's own few pairs.
void BroadPhase::order(std::vector<CandidatePair>& pairs) {
  const auto n = static_cast<Index>(rank_.size());
  start_.assign(n + 2, 0);
  std::size_t total = 0;
  for (const Chunk& chunk : chunks_) {
    total += chunk.found.size();
    for (const Found& pair : chunk.found) ++start_[pair.a + 2];
  }
  TALUS_ASSERT(total <= static_cast<std::size_t>(std::numeric_limits<Index>::max()));
  for (std::size_t a = 2; a < start_.size(); ++a) start_[a] += start_[a - 1];
  keys_.resize(total);
  for (const Chunk& chunk : chunks_)
    for (const Found& pair : chunk.found) keys_[start_[pair.a + 1]++] = pair.key;
  pairs.resize(total);
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (n > 1000) default(none) firstprivate(arithmetic) \
    shared(n, pairs)
  for (Index a = 0; a < n; ++a) {
    const std::size_t first = start_[a], end = start_[a + 1];
    sort_short(keys_.data() + first, keys_.data() + end);
    for (std::size_t k = first; k < end; ++k) {
      const std::uint64_t key = keys_[k];
      pairs[k] = {by_rank_[a],
                  by_rank_[key >> 24U],
                  {image_in(key, 16U), image_in(key, 8U), image_in(key, 0U)}};
    }
  }
}

}  // namespace talus
