#pragma once
// Round numbers along an axis.

#include <string>
#include <vector>

namespace talus::picture {

/// With the same bits on every machine; of a power of ten perhaps not quite whole.
double decimal_logarithm(double value);
/// 1, 2 or 5 times a power of ten: the largest that makes at least `least` steps of a range.
double round_step(double range, int least);
/// Multiples of the step that lie in [low, high].
std::vector<double> ticks(double low, double high, double step);
/// As few digits as tell multiples of the step apart.
std::string tick_label(double value, double step);

}  // namespace talus::picture
