#pragma once
// Means over neighbouring bodies, as the measure natural_local has them of rows: docs/measures.md.

#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"

#include "assembly/joint_rows.hpp"
#include "partition/step_part.hpp"
#include "problem/linear_operator.hpp"

#include <memory>
#include <vector>

namespace talus {

/// Who is whose neighbour in a step: the operator of its problem, and where its rows come from.
struct StepGraph {
  std::shared_ptr<const LinearOperator> rows;
  std::vector<Index> contact, joint_row;  ///< as in StepPart
  std::size_t first_contact = 0;          ///< its slot
};

/// The largest root mean square of `values` (of the bodies of the world, ghosts too) over
/// neighbourhoods; a body without rows is one alone. Bodies far away and at rest do not dilute it,
/// and of scenes that do not touch it is the larger one. Collective.
double largest_local_mean(const StepGraph& graph, const World& world,
                          const std::vector<JointRow>& rows, const std::vector<double>& values,
                          const Communicator& comm);

}  // namespace talus
