#pragma once
// The contact problem of a step of a world on many ranks as this rank's part of it: nothing is
// sent, since every row that it keeps is computed here (DESIGN: "the one idea").

#include "talus/model/world.hpp"
#include "talus/problem/body_problem.hpp"

#include "model/row_owners.hpp"

#include <vector>

namespace talus {

struct StepPart {
  BodyPart part;
  /// Where the part's bodies, contacts and joint rows come from: indices of the world's bodies and
  /// contacts and of the rows given; -1 for filling.
  std::vector<Index> body, contact, joint_row;
};

/// `data`: bodies, contacts and joint rows of the world, in its order, those that this rank does
/// not keep too. `identity`: of contacts, alike on all ranks. Rows have no places in the whole and
/// totals are 0: nobody asks.
StepPart step_part(const World& world, const std::vector<std::uint8_t>& hub, BodyProblem data,
                   std::vector<GlobalId> identity, const Communicator& comm);

}  // namespace talus
