#pragma once
// Whether the numbers of a run can be trusted, on all that it knows of itself, and which of it is
// worst. docs/output.md, "The verdict".

#include "app/run/error_bar.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace talus::app {

// What a run may have at most to be trusted; gaps of joints: simulation/joint_gaps.hpp.
inline constexpr double most_overlap = 0.1;  ///< of the size of the smaller body
/// Of the size of the smallest body: the error that a step of this length makes in places.
inline constexpr double most_time_error = 0.1;
/// Energy that no source explains, as a share of the energy that went through the run.
inline constexpr double most_gain = 0.05;
/// The same, above which friction, rolling or impacts that give energy are a warning.
inline constexpr double gain_to_tell = 1e-3;

/// One thing that a verdict stands on.
struct Check {
  std::string name;    ///< as a key of report.json
  double share = 0.0;  ///< of what it may be at most: above 1 it does not hold
  std::string text;    ///< value, limit and step
};

struct Verdict {
  std::vector<Check> checks;
  std::vector<std::string>
      warnings;  ///< terms of the energy ledger that gave what they should take

  const Check& worst() const;
  bool holds() const { return worst().share <= 1.0; }
};

/// `tolerance`: m/s.
Verdict verdict_of(const ErrorBar& bar, double tolerance);
/// Of a run that could not go on none holds.
Verdict verdict_of(const ErrorBar& bar, double tolerance, bool has_failed);
nlohmann::ordered_json verdict_json(const Verdict& verdict);
/// The last line of the error bar.
void print_verdict(const Verdict& verdict);

}  // namespace talus::app
