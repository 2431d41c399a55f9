#include "talus/core/error.hpp"

#include "curve_cuts.hpp"
#include "mail.hpp"
#include "partition/cell_map.hpp"
#include "piece_owners.hpp"
#include "records.hpp"
#include "space_of_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace talus {
namespace {

/// The curve cut into pieces that all weigh something, about the same.
struct Pieces {
  std::vector<std::uint64_t> cuts;
  std::vector<std::int64_t> weight;
};

class MapMaker {
 public:
  MapMaker(const Communicator& comm, const BodyLoad& load, const BalanceOptions& options,
           const CellMap* before, int ranks)
      : comm_(comm), load_(load), options_(options), ranks_(ranks) {
    for (std::size_t i = 0; i < load.position.size(); ++i) {
      TALUS_ASSERT(load.weight[i] >= 1);
      if (!is_somewhere(load.position[i])) continue;
      place_.push_back(load.position[i]);
      weight_.push_back(load.weight[i]);
      if (before != nullptr) now_.push_back(before->owner_of(load.id[i], load.position[i]));
    }
    const CellCube* cube_before =
        before != nullptr && before->kind() != OwnerKind::Random ? &before->cube() : nullptr;
    cube_ = space_of_bodies(comm, place_, weight_, cube_before);
  }

  CellMap make() const {
    const std::int64_t cells = std::int64_t{options_.cells_per_rank} * ranks_;
    const bool distributes =
        options_.kind == OwnerKind::Metis && cells <= options_.most_cells_in_graph;
    const Pieces pieces = cut_curve(distributes ? static_cast<int>(cells) : ranks_);
    const auto edges =
        gathered(comm_, distributes ? edges_between(pieces) : std::vector<WeightedEdge>{});
    const auto now = gathered(comm_, overlaps_with(pieces));
    // the kind rides at the end of the owners
    std::vector<int> owner = made_on_first(comm_, [&] {
      PieceOwners made = owners_of_pieces({pieces.weight, edges, now}, ranks_,
                                          distributes ? OwnerKind::Metis : OwnerKind::Hilbert);
      made.owner.push_back(static_cast<int>(made.kind));
      return made.owner;
    });
    const auto kind = static_cast<OwnerKind>(owner.back());
    owner.pop_back();
    return {kind, cube_, pieces.cuts, std::move(owner)};
  }

 private:
  static bool is_somewhere(const Vec3& p) {
    return !std::isnan(p.x) && !std::isnan(p.y) && !std::isnan(p.z);
  }

  /// The space of a piece without bodies goes to the one before it; there is always one piece.
  Pieces cut_curve(int wanted) const {
    std::vector<std::uint64_t> keys;
    for (const Vec3& place : place_) keys.push_back(cube_.key(place));
    const std::vector<std::uint64_t> cuts = curve_cuts(comm_, keys, weight_, wanted);
    std::vector<std::int64_t> weights(static_cast<std::size_t>(wanted), 0);
    for (std::size_t i = 0; i < keys.size(); ++i) weights[piece_of(cuts, keys[i])] += weight_[i];
    comm_.sum(weights);
    Pieces pieces;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0) continue;
      if (!pieces.weight.empty()) pieces.cuts.push_back(cuts[i - 1]);
      pieces.weight.push_back(weights[i]);
    }
    if (pieces.weight.empty()) pieces.weight.push_back(0);
    return pieces;
  }

  std::int64_t piece_at(const Pieces& pieces, const Vec3& place) const {
    return piece_of(pieces.cuts, cube_.key(place));
  }

  /// Rows of this rank's links that cross.
  std::vector<WeightedEdge> edges_between(const Pieces& pieces) const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> rows;
    for (const BodyLink& link : load_.links) {
      if (!is_somewhere(link.a) || !is_somewhere(link.b)) continue;
      const std::int64_t a = piece_at(pieces, link.a), b = piece_at(pieces, link.b);
      if (a != b) rows[std::minmax(a, b)] += link.rows;
    }
    std::vector<WeightedEdge> edges;
    for (const auto& [ends, weight] : rows) edges.push_back({ends.first, ends.second, weight});
    return edges;
  }

  std::vector<Overlap> overlaps_with(const Pieces& pieces) const {
    std::map<std::pair<std::int64_t, int>, std::int64_t> together;
    for (std::size_t i = 0; i < now_.size(); ++i)
      together[{piece_at(pieces, place_[i]), now_[i]}] += weight_[i];
    std::vector<Overlap> overlaps;
    for (const auto& [ends, weight] : together)
      overlaps.push_back({ends.first, ends.second, weight});
    return overlaps;
  }

  const Communicator& comm_;
  const BodyLoad& load_;
  const BalanceOptions& options_;
  const int ranks_;  ///< among which the space is distributed
  // of the bodies that are somewhere
  std::vector<Vec3> place_;
  std::vector<std::int64_t> weight_;
  std::vector<int> now_;  // owner by `before`
  CellCube cube_;
};

}  // namespace

CellMap make_cell_map(const Communicator& comm, const BodyLoad& load, const BalanceOptions& options,
                      const CellMap* before) {
  return make_cell_map(comm, load, options, before, comm.size());
}

CellMap make_cell_map(const Communicator& comm, const BodyLoad& load, const BalanceOptions& options,
                      const CellMap* before, int ranks) {
  TALUS_ASSERT(load.id.size() == load.position.size() &&
               load.weight.size() == load.position.size() && options.cells_per_rank >= 1 &&
               ranks >= 1);
  if (options.kind == OwnerKind::Random) return CellMap::random(options.seed, ranks);
  if (ranks == 1) return {};
  const Phase phase("balancing");
  return MapMaker(comm, load, options, before, ranks).make();
}

std::uint64_t CellCube::key(const Vec3& position) const {
  if (!(width > 0.0)) return 0;
  constexpr double cells = 1U << hilbert_bits;
  // what is not a number compares with nothing, and goes to the lowest cell
  const auto cell = [&](double at, double from) {
    const double place = (at - from) / width * cells;
    return static_cast<std::uint32_t>(place > 0.0 ? std::min(place, cells - 1.0) : 0.0);
  };
  return hilbert_key({cell(position.x, low.x), cell(position.y, low.y), cell(position.z, low.z)});
}

CellMap CellMap::random(std::uint64_t seed, int ranks) {
  TALUS_ASSERT(ranks >= 1);
  CellMap map;
  map.kind_ = OwnerKind::Random;
  map.seed_ = seed;
  map.ranks_ = ranks;
  return map;
}

CellMap::CellMap(OwnerKind kind, const CellCube& cube, std::vector<std::uint64_t> cuts,
                 std::vector<int> owner)
    : kind_(kind), cube_(cube), cuts_(std::move(cuts)), owner_(std::move(owner)) {
  TALUS_ASSERT(kind != OwnerKind::Random && owner_.size() == cuts_.size() + 1 &&
               std::is_sorted(cuts_.begin(), cuts_.end()));
}

int CellMap::owner_of(GlobalId id, const Vec3& position) const {
  if (kind_ == OwnerKind::Random) return random_owner(id, seed_, ranks_);
  if (std::isnan(position.x) || std::isnan(position.y) || std::isnan(position.z)) return 0;
  return owner_[piece_of(cuts_, cube_.key(position))];
}

bool operator==(const CellMap& a, const CellMap& b) {
  const auto cube = [](const CellMap& map) {
    return std::array{map.cube_.low.x, map.cube_.low.y, map.cube_.low.z, map.cube_.width};
  };
  return a.kind_ == b.kind_ && cube(a) == cube(b) && a.cuts_ == b.cuts_ && a.owner_ == b.owner_ &&
         a.seed_ == b.seed_ && a.ranks_ == b.ranks_;
}

}  // namespace talus
