#pragma once
// One rank's share of a problem that is given by matrices. Every rank has read the whole; each
// keeps the rows of its own cones. The shares together have the bits of the whole on one rank.

#include "talus/problem/cone_problem.hpp"

#include <vector>

namespace talus {

/// The rank of every contact and bilateral row of the whole problem; alike on all ranks.
struct ConeOwners {
  std::vector<int> contact, bilateral;
};

struct MatrixPart {
  ConeProblem problem;  ///< no mirrors; key: the slot in the whole
  /// Places in the whole problem of what this rank owns, in the order of its cones.
  std::vector<GlobalId> contact_place, bilateral_place;
};

/// A given W is cut by rows: a product exchanges x with the ranks whose rows meet. Of a general M
/// every rank keeps the factor, and a product sends x to all. An M that is not symmetric is written
/// out as a W. Throws InputError as the whole problem does, on all ranks. Collective.
MatrixPart make_cone_problem(const LocalProblem& whole, const ConeOwners& owners,
                             const Communicator& comm);
MatrixPart make_cone_problem(const GlobalProblem& whole, const ConeOwners& owners,
                             const Communicator& comm);

/// u, r, l of what this rank owns, in the order of its cones.
Solution make_solution(const MatrixPart& part, const RowVector& impulses, const RowVector& gap);
/// Sets v of a whole solution from its r and l.
void set_velocities(const GlobalProblem& data, Solution& whole);
RowVector impulses_from(const MatrixPart& part, const Solution& whole);

}  // namespace talus
