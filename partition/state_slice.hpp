#pragma once
// The bodies and contacts of all ranks on their way to a file, which has them in an order of its
// own.

#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"
#include "talus/problem/cone_problem.hpp"

#include <vector>

namespace talus {

/// A share of all bodies, cut like the slices of a problem (slice_range()), in the order of ids.
struct StateSlice {
  std::vector<StoredBody> bodies;
  GlobalId total = 0;
};

/// The slice of this rank, from what all ranks own. No rank sees more than its share twice.
/// Collective.
StateSlice state_slice(const Communicator& comm, const BodySet& bodies);

/// The same of the contacts of the last step, in the order of their second body, then of their
/// names.
struct ContactSlice {
  std::vector<StoredContact> contacts;
  GlobalId total = 0;
};
ContactSlice contact_slice(const Communicator& comm, const World& world);

// Answers on their way from the owners of rows to files, which have the order of the problem.

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
