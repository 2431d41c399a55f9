#pragma once
// What bodies of a picture are coloured by.

#include "talus/io/state_file.hpp"

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

}  // namespace talus::app
