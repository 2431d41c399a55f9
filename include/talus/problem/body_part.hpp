#pragma once
// One rank's share of a problem of rigid bodies: [owned | ghost] bodies and [owned | mirrored] rows
// (DESIGN: "the one idea"). A problem on one rank is the part that owns everything.

#include "talus/cones/cone_set.hpp"
#include "talus/parallel/halo.hpp"
#include "talus/problem/body_problem.hpp"

#include <vector>

namespace talus {

struct BodyPart {
  /// Bodies: owned ones that a neighbour needs, the other owned ones, then ghosts. Contacts and
  /// joint rows: owned, filling up to a whole tile of eight (rows without bodies; none where there
  /// are no mirrors), mirrored: row i is cone i of its group. All with local indices.
  BodyProblem data;
  Index boundary_bodies = 0, owned_bodies = 0;
  Index owned_contacts = 0, mirrored_contacts = 0;
  Index owned_joint_rows = 0, mirrored_joint_rows = 0;
  /// Bodies that move and have more than most_rows_of_one_rank rows, in the order of the whole
  /// problem. Every rank has all of them; one owns each. They are never exchanged and their rows
  /// never mirrored because of them. docs/decisions/013.
  std::vector<Index> wide_bodies;
  std::vector<HaloNeighbour> neighbours;  ///< items are bodies
  /// Places in the whole problem of what this rank owns.
  std::vector<GlobalId> body_place, contact_place, joint_place;
  /// And of the mirrored rows.
  std::vector<GlobalId> contact_mirror_place, joint_mirror_place;
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
  /// What tells a contact from all others on any rank, where keys are only ordered alike (those of
  /// mirrors in a simulation). Empty: the keys do.
  std::vector<GlobalId> contact_identity;
};

/// Where the mirrors of a group begin: after its owned rows, in whole tiles.
inline Index first_mirror(Index owned) {
  return padded(owned);
}

/// A body with more rows is wide: its rows may belong to any ranks. Decided from the whole problem,
/// on one rank too.
inline constexpr std::int64_t most_rows_of_one_rank = 512;

/// Rows of a contact with and without rolling friction; a joint row is one.
inline std::int64_t stored_rows_per_contact(bool rolling) {
  return rolling ? 6 : 3;
}

/// A body that nothing moves has velocity 0: its rows need not know each other.
bool is_movable(double inverse_mass, const Sym3& inverse_inertia);

/// The part that owns all of it.
BodyPart whole_part(BodyProblem data);

}  // namespace talus
