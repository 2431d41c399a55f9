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
  std::vector<HaloNeighbour> neighbours;  ///< items are bodies
  /// Places in the whole problem of what this rank owns.
  std::vector<GlobalId> body_place, contact_place, joint_place;
  /// And of the mirrored rows.
  std::vector<GlobalId> contact_mirror_place, joint_mirror_place;
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
};

/// Where the mirrors of a group begin: after its owned rows, in whole tiles.
inline Index first_mirror(Index owned) {
  return padded(owned);
}

/// The part that owns all of it.
BodyPart whole_part(BodyProblem data);

}  // namespace talus
