#pragma once
// From slices of a problem, as a file or a generator gives them, to parts: each body goes to its
// owner, each row to the owners of its bodies. No rank ever holds the whole.

#include "talus/problem/body_part.hpp"

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
};
SliceRange slice_range(GlobalId total, int rank, int ranks);
/// The rank whose slice holds the place.
int slice_rank(GlobalId total, GlobalId place, int ranks);

/// The slice of one rank, cut out of the whole.
BodySlice slice_of(const BodyProblem& whole, int rank, int ranks);

/// The part of this rank; `owner` names the rank of every body of its slice. Collective.
BodyPart distribute(const Communicator& comm, const BodySlice& slice,
                    const std::vector<int>& owner);

}  // namespace talus
