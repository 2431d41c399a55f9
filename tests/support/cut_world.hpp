#pragma once
// The world of one rank, cut out of a whole one.

#include "talus/model/world.hpp"

#include <functional>

namespace talus::support {

/// [owned | ghost] bodies, ghosts being the partners of owned ones in contacts and joints; the
/// contacts and joints that touch an owned body. `owner`: the rank of a body's id.
World cut_world(const World& whole, const std::function<int(GlobalId)>& owner, int rank);

}  // namespace talus::support
