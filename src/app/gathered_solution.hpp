#pragma once
// The answer of all ranks in the order of the problem.

#include "talus/problem/cone_problem.hpp"

namespace talus::app {

/// From what each rank owns to the whole, on the first rank; elsewhere empty. Collective.
Solution gathered_solution(const Communicator& comm, const BodyPart& part, const Solution& mine);

}  // namespace talus::app
