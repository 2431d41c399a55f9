#pragma once
// Contiguous shares of a problem of rigid bodies, one for each rank: as files and generators give
// them and before anyone knows who owns what.

#include "talus/parallel/communicator.hpp"
#include "talus/problem/body_problem.hpp"

#include <string>
#include <vector>

namespace talus {

/// A contiguous share of the bodies, contacts and joint rows of a problem. Rows name their bodies
/// by place in the whole problem, -1 for the world; the local indices in `data` mean nothing.
struct BodySlice {
  BodyProblem data;
  std::vector<GlobalId> contact_a, contact_b, joint_a, joint_b;
  GlobalId total_bodies = 0, total_contacts = 0, total_joint_rows = 0;
};

/// [first, last) of `total` things for one rank: slices of all kinds are cut like this.
struct SliceRange {
  GlobalId first = 0, last = 0;
  GlobalId count() const { return last - first; }
};
SliceRange slice_range(GlobalId total, int rank, int ranks);
/// The rank whose slice holds the place.
int slice_rank(GlobalId total, GlobalId place, int ranks);

/// The slice of one rank, cut out of the whole.
BodySlice slice_of(const BodyProblem& whole, int rank, int ranks);

/// validate() of the whole, whose slices the ranks hold: every rank throws all faults of all ranks,
/// with the indices of the whole. Collective.
void validate(const BodySlice& slice, const std::string& name, const Communicator& comm);

}  // namespace talus
