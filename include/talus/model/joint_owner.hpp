#pragma once
// Which of the ranks that have a joint speaks for it.

#include "talus/model/world.hpp"

namespace talus {

/// The owner of the first of its bodies that impulses move.
bool owns(const World& world, const Joint& joint);

}  // namespace talus
