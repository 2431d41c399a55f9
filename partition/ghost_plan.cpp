#include "partition/ghost_plan.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "core/arithmetic.hpp"
#include "core/caught.hpp"
#include "curve_cuts.hpp"
#include "mail.hpp"
#include "space_of_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <utility>

// Boxes are compared from coarse to fine, as in the parallel searches of contacts that send a rank
// only what meets its box [Plimpton98]. One box around all bodies of a rank would be as wide as its
// largest body needs it, and so would be the layer of bodies that meet it: a rank has a box for
// each class of sizes, and its bodies are grouped within their class.

namespace talus {
namespace {

using Lists = std::vector<std::vector<Index>>;  // by rank

constexpr double too_large = 1e300;
constexpr int least_class = -500, classes = 1001;  // 4^-500 is below, 4^500 above all extents
constexpr double most_periods = 126.0;             // as in BroadPhase
constexpr int bodies_in_group = 16;
// A group ends where it would be longer than so many of its largest body: 16 spheres packed side
// by side fill a cube of about three. Bodies far from all others of their size stand alone.
constexpr double longest_group = 4.0;
std::size_t of_rank(int rank) {
  return static_cast<std::size_t>(rank);
}

bool is_finite(const Bounds& b) {
  return b.low.x > -too_large && b.low.y > -too_large && b.low.z > -too_large &&
         b.high.x < too_large && b.high.y < too_large && b.high.z < too_large;
}

/// Counted from 0: a factor of 4 in extent each.
int size_class(const Bounds& bounds) {
  const double extent = std::max(extent_of(bounds), 1.0 / too_large);
  return (std::ilogb(extent) >> 1) - least_class;
}

/// What search(first, end, found) finds in pieces of [0, count), one after another: the same for
/// any threads.
template <class Found, class Search>
std::vector<Found> find_in_pieces(std::size_t count, const Search& search) {
  constexpr std::size_t most_pieces = 64, least_in_piece = 256;
  const std::size_t pieces = std::min(most_pieces, count / least_in_piece + 1);
  std::vector<std::vector<Found>> found(pieces);
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel for schedule(dynamic) default(none) firstprivate(arithmetic) \
    shared(count, search, pieces, found, caught)
  for (std::size_t p = 0; p < pieces; ++p)
    caught.run(p, [&] { search(count * p / pieces, count * (p + 1) / pieces, found[p]); });
  caught.rethrow();
  std::vector<Found> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A box around the bodies of each class of sizes that there is.
std::vector<Bounds> boxes_of_classes(const std::vector<Bounds>& bounds) {
  using ClassBox = std::pair<int, Bounds>;
  constexpr int not_finite = -1;
  const auto found = find_in_pieces<ClassBox>(
      bounds.size(), [&](std::size_t first, std::size_t end, std::vector<ClassBox>& boxes) {
        std::vector<Bounds> of_class(classes, empty_bounds);
        for (std::size_t i = first; i < end; ++i) {
          if (!is_finite(bounds[i])) {
            boxes.emplace_back(not_finite, bounds[i]);
            return;
          }
          Bounds& box = of_class[size_class(bounds[i])];
          box = enclosing(box, bounds[i]);
        }
        for (int c = 0; c < classes; ++c)
          if (const Bounds& box = of_class[c]; box.low.x <= box.high.x) boxes.emplace_back(c, box);
      });
  std::vector<Bounds> of_class(classes, empty_bounds);
  for (const auto& [number, box] : found) {
    TALUS_ASSERT(number != not_finite);
    Bounds& all = of_class[number];
    all = enclosing(all, box);
  }
  std::erase_if(of_class, [](const Bounds& box) { return box.low.x > box.high.x; });
  return of_class;
}

struct RankBox {
  std::int64_t rank = 0;
  Bounds box;
};

/// Of all ranks, alike on all.
std::vector<RankBox> share(const Communicator& comm, const std::vector<Bounds>& mine) {
  std::vector<RankBox> boxes;
  for (const Bounds& box : mine) boxes.push_back({comm.rank(), box});
  return of_all_ranks(comm, boxes);
}

/// Images are counted one by one. All ranks know the boxes, and throw alike.
void check_periods(const Periodicity& world, const std::vector<RankBox>& boxes) {
  if (boxes.empty()) return;
  Bounds all = empty_bounds;
  for (const RankBox& one : boxes) all = enclosing(all, one.box);
  const Vec3 width = all.high - all.low;
  const std::array<double, 3> widths{width.x, width.y, width.z},
      periods{world.period.x, world.period.y, world.period.z};
  for (std::size_t k = 0; k < widths.size(); ++k)
    if (world.axis[k] && !(widths[k] < most_periods * periods[k]))
      throw AgreedFailure(fmt::format(
          "bodies and what they may do in a step reach over {:g} m along {}, which is periodic "
          "with "
          "a period of {:g} m: more than {:g} periods are too many; one moves too fast (a smaller "
          "time step may help), or is too large or too far away for a periodic axis",
          widths[k], "xyz"[k], periods[k], most_periods));
}

/// Bodies that meet a box of another rank, ascending.
std::vector<Index> bodies_near(const GhostBodies& bodies, const BoxesOfRanks& boxes) {
  return find_in_pieces<Index>(bodies.bounds.size(),
                               [&](std::size_t first, std::size_t end, std::vector<Index>& near) {
                                 BoxesOfRanks::Search search;
                                 for (std::size_t i = first; i < end; ++i)
                                   if (!boxes.meeting(bodies.bounds[i], search).empty())
                                     near.push_back(static_cast<Index>(i));
                               });
}

struct Placed {
  int size_class = 0;
  std::uint64_t key = 0;
  Index body = 0;
};

/// By class, then along a Hilbert curve through the centres: what follows each other is close.
std::vector<Placed> in_order_of_groups(const std::vector<Bounds>& bounds,
                                       const std::vector<Index>& which) {
  Bounds all = empty_bounds;
  for (const Index i : which) all = enclosing(all, bounds[i]);
  const double width = extent_of(all);
  constexpr double cells = 1U << static_cast<unsigned>(hilbert_bits);
  const auto cell = [&](double low, double high, double origin) {
    const double centre = 0.5 * low + 0.5 * high;
    const double place = width > 0.0 ? (centre - origin) / width * cells : 0.0;
    return static_cast<std::uint32_t>(std::clamp(place, 0.0, cells - 1.0));
  };
  auto placed = find_in_pieces<Placed>(
      which.size(), [&](std::size_t first, std::size_t end, std::vector<Placed>& part) {
        for (std::size_t k = first; k < end; ++k) {
          const Bounds& b = bounds[which[k]];
          const std::uint64_t key =
              hilbert_key({cell(b.low.x, b.high.x, all.low.x), cell(b.low.y, b.high.y, all.low.y),
                           cell(b.low.z, b.high.z, all.low.z)});
          part.push_back({size_class(b), key, which[k]});
        }
      });
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.size_class, a.key, a.body) < std::tie(b.size_class, b.key, b.body);
  });
  return placed;
}

/// Boxes of groups of neighbours of about one size, as the leaves of a packed R-tree
/// [KamelFaloutsos93].
std::vector<Bounds> group_boxes(const std::vector<Bounds>& bounds,
                                const std::vector<Index>& which) {
  std::vector<Bounds> boxes;
  int count = 0, group_class = 0;
  double largest = 0.0;
  for (const Placed& placed : in_order_of_groups(bounds, which)) {
    const Bounds& body = bounds[placed.body];
    const double extent = extent_of(body);
    if (count > 0 && count < bodies_in_group && placed.size_class == group_class) {
      const Bounds joined = enclosing(boxes.back(), body);
      if (extent_of(joined) <= longest_group * std::max(largest, extent)) {
        boxes.back() = joined;
        largest = std::max(largest, extent);
        ++count;
        continue;
      }
    }
    boxes.push_back(body);
    largest = extent;
    group_class = placed.size_class;
    count = 1;
  }
  return boxes;
}

/// Sends groups of moving bodies to the ranks whose boxes they meet; those that came from others.
/// Collective.
BoxesOfRanks exchange_groups(const Communicator& comm, const GhostBodies& bodies,
                             const std::vector<Index>& movers, const BoxesOfRanks& neighbours,
                             const std::vector<Bounds>& mine) {
  Mail<Bounds> mail(comm.size());
  BoxesOfRanks::Search search;
  for (const Bounds& group : group_boxes(bodies.bounds, movers))
    for (const int rank : neighbours.meeting(group, search)) mail.put(rank, group);
  const auto received = mail.deliver(comm);
  BoxesOfRanks groups(bodies.periodicity, comm.size(), mine);
  for (int rank = 0; rank < comm.size(); ++rank)
    for (const Bounds& group : received[of_rank(rank)]) groups.add(rank, group);
  groups.build();
  return groups;
}

/// For every rank those of the bodies `which` that meet one of its groups, ascending.
Lists bodies_meeting(const GhostBodies& bodies, const std::vector<Index>& which,
                     const BoxesOfRanks& groups, int ranks) {
  using Meeting = std::pair<int, Index>;
  const auto found = find_in_pieces<Meeting>(
      which.size(), [&](std::size_t first, std::size_t end, std::vector<Meeting>& part) {
        BoxesOfRanks::Search search;
        for (std::size_t k = first; k < end; ++k)
          for (const int rank : groups.meeting(bodies.bounds[which[k]], search))
            part.emplace_back(rank, which[k]);
      });
  Lists lists(of_rank(ranks));
  for (const auto& [rank, body] : found) lists[of_rank(rank)].push_back(body);
  return lists;
}

/// Whether the box meets one of the grid.
bool meets_any(const HierarchicalGrid& grid, const Bounds& box, GridHits& hits) {
  for (std::size_t level = 0; level < grid.level_count(); ++level) {
    grid.search(box, level, -1, hits);
    if (hits.count > 0) return true;
  }
  return false;
}

/// Numbers of the boxes that meet one of the grid in any image, ascending.
std::vector<Index> meeting_any(const Periodicity& world, const HierarchicalGrid& grid,
                               const std::vector<Bounds>& boxes) {
  if (grid.count() == 0) return {};
  Bounds all = empty_bounds;
  for (std::size_t level = 0; level < grid.level_count(); ++level)
    all = enclosing(all, grid.bounds(level));
  return find_in_pieces<Index>(
      boxes.size(), [&](std::size_t first, std::size_t end, std::vector<Index>& numbers) {
        GridHits hits;
        for (std::size_t k = first; k < end; ++k) {
          bool met = false;
          each_image(world, boxes[k], all,
                     [&](const Bounds& image) { met = met || meets_any(grid, image, hits); });
          if (met) numbers.push_back(static_cast<Index>(k));
        }
      });
}

/// Asks every rank which of the candidates it needs; it compares them with its moving bodies one by
/// one. Collective.
Lists needed_of(const Communicator& comm, const GhostBodies& bodies,
                const std::vector<Index>& movers, const Lists& candidates) {
  Mail<Bounds> questions(comm.size());
  for (int rank = 0; rank < comm.size(); ++rank)
    for (const Index body : candidates[of_rank(rank)]) questions.put(rank, bodies.bounds[body]);
  const auto asked = questions.deliver(comm);
  HierarchicalGrid grid;
  grid.build(bodies.bounds, movers);
  Mail<Index> answers(comm.size());
  for (int rank = 0; rank < comm.size(); ++rank)
    for (const Index number : meeting_any(bodies.periodicity, grid, asked[of_rank(rank)]))
      answers.put(rank, number);
  const auto answered = answers.deliver(comm);
  Lists needed(candidates.size());
  for (std::size_t rank = 0; rank < needed.size(); ++rank)
    for (const Index number : answered[rank]) needed[rank].push_back(candidates[rank][number]);
  return needed;
}

}  // namespace

std::vector<std::vector<Index>> ghosts_for(const Communicator& comm, const GhostBodies& bodies) {
  TALUS_ASSERT(bodies.bounds.size() == bodies.moves.size());
  if (comm.size() == 1) return Lists(1);
  const std::vector<Bounds> mine = boxes_of_classes(bodies.bounds);
  const std::vector<RankBox> of_all = share(comm, mine);
  check_periods(bodies.periodicity, of_all);
  BoxesOfRanks neighbours(bodies.periodicity, comm.size(), mine);
  for (const RankBox& one : of_all)
    if (one.rank != comm.rank()) neighbours.add(static_cast<int>(one.rank), one.box);
  neighbours.build();

  const std::vector<Index> near = bodies_near(bodies, neighbours);
  std::vector<Index> movers;
  for (const Index i : near)
    if (bodies.moves[i] != 0) movers.push_back(i);
  const BoxesOfRanks groups = exchange_groups(comm, bodies, movers, neighbours, mine);
  const Lists candidates = bodies_meeting(bodies, near, groups, comm.size());
  return needed_of(comm, bodies, movers, candidates);
}

}  // namespace talus
