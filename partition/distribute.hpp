#pragma once
// From slices of a problem, as a file or a generator gives them, to parts: each body goes to its
// owner, each row to the owners of its bodies. No rank ever holds the whole.

#include "talus/problem/body_problem.hpp"

#include <vector>

namespace talus {

/// The part of this rank; `owner` names the rank of every body of its slice. Collective.
BodyPart distribute(const Communicator& comm, const BodySlice& slice,
                    const std::vector<int>& owner);

}  // namespace talus
