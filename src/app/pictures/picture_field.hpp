#pragma once
// What bodies of a picture are coloured by.

#include "talus/io/state_file.hpp"

#include "partition/cell_map.hpp"

#include <string>
#include <vector>

namespace talus::app {

/// Names of all of them, as --color takes them.
std::vector<std::string> picture_fields();
/// Throws InputError with the nearest name where there is no such field.
void require_picture_field(const std::string& name, const std::string& option);

/// Whether its values are kinds, not quantities.
bool is_field_of_kinds(const std::string& name);

/// A field of the bodies of a state.
struct PictureField {
  std::string title;               ///< with its unit
  std::vector<double> values;      ///< of each body; of kinds: the number of the kind
  std::vector<std::string> kinds;  ///< names; none where the field is a quantity
  bool from_zero = false;          ///< a scale begins at 0
};
PictureField picture_field(const SavedState& state, const std::string& name);

// The partition of a state as something to colour its bodies by.

/// By the rank that would own each body at the start of a run of this state on so many ranks.
/// Joints and periodic axes, which a state does not have, bind nothing here.
PictureField rank_field(const SavedState& state, int ranks, const BalanceOptions& options);

/// "4 ranks: 1990 to 2010 bodies of a rank, 2 on all"
std::string ranks_text(const PictureField& field, int ranks);

}  // namespace talus::app
