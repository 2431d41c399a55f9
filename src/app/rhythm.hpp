#pragma once
// When something is due that comes every so many simulated seconds.

#include <cmath>

namespace talus::app {

class Rhythm {
 public:
  /// Simulated s; 0: never. First due at `every`, or at the first multiple after `from`.
  explicit Rhythm(double every, double from = 0.0) : every_(every) { go_on_after(from); }

  bool on() const { return every_ > 0.0; }
  double every() const { return every_; }
  double next() const { return next_; }
  /// True at the first step of each interval. Steps longer than intervals are due once each.
  bool due(double time) {
    if (!on() || time < next_ * (1.0 - hair)) return false;
    go_on_after(time);
    return true;
  }

 private:
  static constexpr double hair = 1e-9;  // times of steps are rounded
  void go_on_after(double time) {
    if (on()) next_ = every_ * (std::floor(time / every_ * (1.0 + hair)) + 1.0);
  }

  double every_, next_ = 0.0;
};

}  // namespace talus::app
