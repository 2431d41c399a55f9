#pragma once
// Pictures of a comparison, drawn by matplotlib.

#include "app/pictures/drawing_script.hpp"

#include <string>

namespace talus::app {

/// Who can draw into a file. Asked for before long work, so that what is missing costs nothing.
class Plotter {
 public:
  /// Throws InputError where the name is not of a picture, the file cannot be written, or no
  /// python3 with matplotlib is found; the message names the Debian package.
  Plotter(const std::string& path, const std::string& option);

  /// Draws a comparison (its JSON text). A picture that is there already is replaced as a whole;
  /// throws std::runtime_error where that fails.
  void draw(const std::string& comparison) const;

 private:
  std::string path_, format_;
  DrawingScript script_;
};

}  // namespace talus::app
