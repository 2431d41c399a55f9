#include "generate/sphere_tiling.hpp"

#include "generate/shapes.hpp"

#include <algorithm>

namespace talus {

SphereTiling::SphereTiling(const PeriodicCell& cell, GlobalId bodies)
    : cell_(cell), bodies_(bodies) {
  const double cells = static_cast<double>(bodies) / cell.count();
  // a very narrow box may hold no centre at all
  for (double width = cell.side * cube_root(cells); in_layer_ == 0; width *= 1.25)
    spread_out(width);
  full_layers_ = bodies / in_layer_;
  full_ = {cell.count(), 0};
  top_ = full_;
  const GlobalId rest = bodies % in_layer_;
  layers_ = full_layers_ + (rest > 0 ? 1 : 0);
  if (rest > 0) cut_top(rest);
}

void SphereTiling::spread_out(double width) {
  width_ = width;
  per_side_ = std::max<Index>(1, static_cast<Index>(width / cell_.side));
  while (per_side_ * cell_.side < width) ++per_side_;
  edge_ = width - (per_side_ - 1) * cell_.side;
  in_layer_ = 0;
  for (auto& below : below_) below.assign(1, 0);
  for (const Vec3& p : cell_.centre) {
    const bool in_x = p.x < edge_, in_y = p.y < edge_;
    const std::array<bool, 4> in_kind = {true, in_x, in_y, in_x && in_y};
    for (std::size_t kind = 0; kind < 4; ++kind)
      below_[kind].push_back(below_[kind].back() + (in_kind[kind] ? 1 : 0));
    in_layer_ += static_cast<GlobalId>(columns_along(p.x)) * columns_along(p.y);
  }
}

void SphereTiling::cut_top(GlobalId rest) {
  for (Index c = 0;; ++c) {
    const Vec3& p = cell_.centre[c];
    const GlobalId copies = static_cast<GlobalId>(columns_along(p.x)) * columns_along(p.y);
    if (copies > rest) {
      top_ = {c, rest};
      return;
    }
    rest -= copies;
  }
}

Index SphereTiling::columns_along(double coordinate) const {
  return per_side_ - 1 + (coordinate < edge_ ? 1 : 0);
}

int SphereTiling::kind(const Tile& tile) const {
  return (tile.x == per_side_ - 1 ? 1 : 0) + (tile.y == per_side_ - 1 ? 2 : 0);
}

/// Copies of a sphere in tiles of the same layer that come before this one.
GlobalId SphereTiling::copies_before(const Tile& tile, Index sphere) const {
  const Vec3& p = cell_.centre[sphere];
  const Index along_x = columns_along(p.x), along_y = columns_along(p.y);
  const GlobalId rows = static_cast<GlobalId>(std::min(tile.y, along_y)) * along_x;
  return rows + (tile.y < along_y ? std::min(tile.x, along_x) : 0);
}

Tile SphereTiling::tile(std::int64_t number) const {
  const std::int64_t column = number % (static_cast<std::int64_t>(per_side_) * per_side_);
  return {static_cast<Index>(column % per_side_), static_cast<Index>(column / per_side_),
          static_cast<Index>(number / per_side_ / per_side_)};
}

std::int64_t SphereTiling::number(const Tile& tile) const {
  return tile.x + static_cast<std::int64_t>(per_side_) *
                      (tile.y + static_cast<std::int64_t>(per_side_) * tile.z);
}

GlobalId SphereTiling::first_body(std::int64_t number) const {
  if (number == tiles()) return bodies_;
  const Tile t = tile(number);
  const auto [cut, copies] = filling(t.z);
  const auto bodies_of = [&](int kind) -> GlobalId { return below_[kind][cut]; };
  const GlobalId per_row = (per_side_ - 1) * bodies_of(0) + bodies_of(1);
  const GlobalId before =
      t.z * in_layer_ + t.y * per_row + t.x * bodies_of(t.y == per_side_ - 1 ? 2 : 0);
  return copies == 0 ? before : before + std::min(copies, copies_before(t, cut));
}

bool SphereTiling::in_box(const Tile& tile, Index sphere) const {
  const auto inside = [&](Index i, double coordinate) {
    return i >= 0 && i < columns_along(coordinate);
  };
  const Vec3& p = cell_.centre[sphere];
  return tile.z >= 0 && inside(tile.x, p.x) && inside(tile.y, p.y);
}

bool SphereTiling::is_body(const Tile& tile, Index sphere) const {
  if (!in_box(tile, sphere) || tile.z >= layers_) return false;
  const auto [cut, copies] = filling(tile.z);
  return sphere < cut || (sphere == cut && copies_before(tile, sphere) < copies);
}

GlobalId SphereTiling::body(const Tile& tile, Index sphere) const {
  return first_body(number(tile)) + below_[kind(tile)][sphere];
}

}  // namespace talus
