#pragma once
// Answers on their way from the owners of rows to files, which have the order of the problem.

#include "talus/problem/body_part.hpp"
#include "talus/problem/cone_problem.hpp"

namespace talus {

/// A share of an answer: rows in the order of the problem, cut like its bodies, contacts and joint
/// rows (slice_range()).
struct SolutionSlice {
  Solution rows;
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
  Index rows_per_contact = 3;
};

/// The slice of this rank, from what all ranks own: `owned` is in the order of the part.
/// Collective.
SolutionSlice solution_slice(const Communicator& comm, const BodyPart& part, const Solution& owned);

}  // namespace talus
