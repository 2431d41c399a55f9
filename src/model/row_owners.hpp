#pragma once
// Which rank keeps a contact or a joint row, and which owns it: from its two bodies alone (DESIGN:
// "the one idea", docs/decisions/027).

#include "talus/core/error.hpp"
#include "talus/model/body_set.hpp"

#include <cstdint>
#include <vector>

namespace talus {

class RowOwners {
 public:
  /// `hub`: per body, 1 where it has more rows than one rank keeps.
  RowOwners(const BodySet& bodies, const std::vector<std::uint8_t>& hub)
      : bodies_(bodies), hub_(hub) {}

  /// Its velocity is summed by its owner from all its rows: it binds them to that rank.
  bool binds(Index body) const {
    if (body == no_body) return false;
    const auto b = static_cast<std::size_t>(body);
    return bodies_.motion[b] == Motion::Dynamic && hub_[b] == 0;
  }
  /// The body whose owner owns the row: of two that bind it the one with the lower id; of two that
  /// do not, one that moves: a hub.
  Index body_of(Index a, Index b) const {
    if (binds(a) != binds(b)) return binds(a) ? a : b;
    const bool moves_a = moves(a), moves_b = moves(b);
    if (moves_a != moves_b) return moves_a ? a : b;
    return id(a) < id(b) ? a : b;
  }
  int owner(Index a, Index b) const {
    const Index body = body_of(a, b);
    return body == no_body ? 0 : bodies_.owner[body];
  }
  bool owned(Index a, Index b) const { return owner(a, b) == bodies_.rank; }
  /// This rank owns it or has a mirror.
  bool kept(Index a, Index b) const { return bound_here(a) || bound_here(b) || owned(a, b); }

 private:
  bool moves(Index body) const {
    return body != no_body && bodies_.motion[body] == Motion::Dynamic;
  }
  bool bound_here(Index body) const { return binds(body) && bodies_.is_owned(body); }
  GlobalId id(Index body) const { return body == no_body ? -1 : bodies_.id[body]; }

  const BodySet& bodies_;
  const std::vector<std::uint8_t>& hub_;
};

/// Of all ranks that know of a contact between two bodies one speaks for it where hub bodies are
/// not told apart (before rows are counted, and between steps): the owner of the one that is not
/// everywhere; of two alike the owner of the one that moves, or has the lower id. It has both
/// bodies as they are now, and the impulse. Every rank that asks has both.
inline bool speaks_for(const BodySet& bodies, Index a, Index b) {
  TALUS_ASSERT(a >= 0 && b >= 0);
  const auto moves = [&](Index body) { return bodies.motion[body] == Motion::Dynamic; };
  const auto id = [&](Index body) { return bodies.id[body]; };
  bool first = id(a) < id(b);
  if (moves(a) != moves(b)) first = moves(a);
  if (bodies.is_local(a) != bodies.is_local(b)) first = bodies.is_local(a);
  return bodies.is_owned(first ? a : b);
}

}  // namespace talus
