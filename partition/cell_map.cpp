#include "talus/partition/cell_map.hpp"

#include "talus/core/error.hpp"

#include "curve_cuts.hpp"
#include "hilbert.hpp"
#include "random_owner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace talus {

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
