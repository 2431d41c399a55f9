#pragma once
// Scenes that are sound but for some changes, made by the table from which the reader goes: a key
// that is added to it is drawn here, too.

#include "campaign/fuzz/chance.hpp"
#include "io/scene/scene_value.hpp"

#include <string>
#include <vector>

namespace talus::fuzz {

class SceneInputs {
 public:
  /// Of the texts of sound scenes.
  explicit SceneInputs(const std::vector<std::string>& texts);

  /// Lines "#-s NAME=VALUE" in front of it say what is set on the command line.
  std::string make(Chance& chance) const;

 private:
  std::vector<io::Value> trees_;
};

/// What such lines say.
std::vector<std::string> overrides_in(const std::string& text);

}  // namespace talus::fuzz
