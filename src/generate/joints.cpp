// Joints only: a hanging chain and a net of tiles.

#include "core/words.hpp"
#include "generate/random.hpp"
#include "generate/settings.hpp"
#include "generate/shapes.hpp"

#include <fmt/format.h>

namespace talus {
namespace {

constexpr Vec3 link{0.1, 0.02, 0.02};  // m
constexpr double link_mass = 0.314;    // kg, steel
constexpr Vec3 tile{0.1, 0.1, 0.01};   // m
constexpr double tile_mass = 0.1;      // kg, density of water

Vec3 drift(const GenerateSettings& s, Index i) {
  return s.speed * KeyedRandom(s.seed, static_cast<std::uint64_t>(i), 0).direction();
}

/// Tiles are counted along the rows; the last row may be shorter.
struct Tiling {
  Index bodies, width;
  Index column(Index i) const { return i % width; }
  Index row(Index i) const { return i / width; }
  Index last_row() const { return row(bodies - 1) * width; }
};

Tiling tiling_of(const GenerateSettings& s) {
  Tiling tiling{s.bodies, s.width};
  while (s.width == 0 && static_cast<std::int64_t>(tiling.width) * tiling.width < s.bodies)
    ++tiling.width;
  return tiling;
}

}  // namespace

/// Just released: straight along x from the wall, where gravity bends it. Odd joints also hold the
/// twist.
BodyProblem make_chain(const GenerateSettings& s) {
  BodyProblem problem;
  for (Index i = 0; i < s.bodies; ++i) {
    const double mass = i == s.bodies - 1 ? link_mass * s.mass_ratio : link_mass;
    add_box(problem, {link.x * (i + 0.5), 0.0, 0.0}, link, mass, {drift(s, i), s.step});
  }
  for (Index i = 0; i < s.bodies; ++i) {
    const Index before = i == 0 ? no_body : i - 1;
    const Vec3 point{link.x * i, 0.0, 0.0};
    add_ball_joint(problem, before, i, point);
    if (i % 2 == 1) add_joint(problem, {before, i, 3, {1.0, 0.0, 0.0}, point, true});
  }
  problem.title = fmt::format("chain of {}, the last with mass ratio {}", counted(s.bodies, "link"),
                              s.mass_ratio);
  return problem;
}

/// Which edges have a joint: to the next tile of its row, and to that of the next row. Every tile
/// but the first hangs on the one before it or on the one below, by chance: a tree. What closes a
/// loop is there by chance too.
class Joints {
 public:
  Joints(const GenerateSettings& s, const Tiling& tiling) : s_(s), tiling_(tiling) {}

  bool has_before(Index i) const {
    if (tiling_.column(i) == 0) return false;
    return tiling_.row(i) == 0 || drawn(i).hangs_before || drawn(i).has_loop;
  }
  bool has_below(Index i) const {
    if (tiling_.row(i) == 0) return false;
    return tiling_.column(i) == 0 || !drawn(i).hangs_before || drawn(i).has_loop;
  }

 private:
  struct Drawn {
    bool hangs_before, has_loop;
  };
  Drawn drawn(Index i) const {
    KeyedRandom random(s_.seed, static_cast<std::uint64_t>(i), 1);
    const bool hangs_before = random.chance(0.5);
    return {hangs_before, random.chance(s_.loops)};
  }

  const GenerateSettings& s_;
  const Tiling& tiling_;
};

/// Tiles in a plane, held by balls in the middle of common edges and pinned at four corners.
BodyProblem make_net(const GenerateSettings& s) {
  const Tiling tiling = tiling_of(s);
  const Index last = tiling.last_row();
  const Index middle = tiling.row(s.bodies - 1) / 2 * tiling.width + tiling.width / 2;
  BodyProblem problem;
  for (Index i = 0; i < s.bodies; ++i) {
    const Vec3 centre{tile.x * (tiling.column(i) + 0.5), tile.y * (tiling.row(i) + 0.5), 0.0};
    const double mass = i == middle ? tile_mass * s.mass_ratio : tile_mass;
    add_box(problem, centre, tile, mass, {drift(s, i), s.step});
  }
  const Joints joints(s, tiling);
  for (Index i = 0; i < s.bodies; ++i) {
    const Vec3& centre = problem.centre[i];
    if (i + 1 < s.bodies && joints.has_before(i + 1))
      add_ball_joint(problem, i, i + 1, centre + Vec3{0.5 * tile.x, 0.0, 0.0});
    if (i + tiling.width < s.bodies && joints.has_below(i + tiling.width))
      add_ball_joint(problem, i, i + tiling.width, centre + Vec3{0.0, 0.5 * tile.y, 0.0});
  }
  const std::array<Index, 4> pinned = {0, tiling.width - 1, last, s.bodies - 1};
  for (std::size_t k = 0; k < 4; ++k) {
    const Vec3 outward{k % 2 == 0 ? -0.5 * tile.x : 0.5 * tile.x,
                       k / 2 == 0 ? -0.5 * tile.y : 0.5 * tile.y, 0.0};
    // a last row of one tile is pinned at both of its corners
    const Vec3 corner = problem.centre[pinned[k]] + outward;
    add_ball_joint(problem, no_body, pinned[k], corner, 3 * static_cast<int>(k));
  }
  problem.title =
      fmt::format("net of {} tiles, {} per row, {} of its loops, the middle one with mass ratio {}",
                  s.bodies, tiling.width, s.loops, s.mass_ratio);
  return problem;
}

}  // namespace talus
