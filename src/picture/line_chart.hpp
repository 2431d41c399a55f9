#pragma once
// Curves over an axis, as SVG: what a report shows without any other program.

#include <string>
#include <vector>

namespace talus::picture {

struct Curve {
  std::string label;
  std::vector<double> x, y;  ///< as many; what is not finite is a gap
};

struct LineChart {
  std::string name;  ///< of a file
  std::string title, x_label, y_label;
  bool logarithmic = false;  ///< the y axis; values <= 0 are gaps
  std::vector<Curve> curves;
  struct Mark {
    std::string label;
    double y = 0.0;
  };
  std::vector<Mark> marks;  ///< lines across, such as a tolerance
};

/// One element `svg`, without references to anything else; well-formed XML. Curves of many points
/// keep the least and the largest of each stretch.
std::string svg_of(const LineChart& chart);

/// With &, <, > and quotes as XML wants them; control characters become spaces.
std::string xml_text(const std::string& text);

}  // namespace talus::picture
