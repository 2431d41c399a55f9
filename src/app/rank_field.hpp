#pragma once
// The partition of a state as something to colour its bodies by.

#include "talus/partition/cell_map.hpp"

#include "app/picture_field.hpp"

namespace talus::app {

/// By the rank that would own each body at the start of a run of this state on so many ranks.
/// Joints and periodic axes, which a state does not have, bind nothing here.
PictureField rank_field(const SavedState& state, int ranks, const BalanceOptions& options);

/// "4 ranks: 1990 to 2010 bodies of a rank, 2 on all"
std::string ranks_text(const PictureField& field, int ranks);

}  // namespace talus::app
