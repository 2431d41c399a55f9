#pragma once
// The numbers that a run has left in its folder, as far as they are there: a run that is still
// going on has no report yet.

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace talus::app {

/// Columns of equal length. What is no number is not finite.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;

  /// Null where there is none.
  const std::vector<double>* find(const std::string& name) const;
};

// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON asserts, and does not throw
struct RunNumbers {
  std::string folder;
  nlohmann::ordered_json report;  ///< report.json; null where there is none
  std::string scene;              ///< scene.yaml
  /// run.jsonl (keys of objects inside of objects as "seconds.solve"), log.csv: what there is.
  std::vector<Columns> logs;
  /// monitors/NAME.csv, by name.
  std::vector<std::pair<std::string, Columns>> monitors;
};

/// Throws InputError where the folder is none of a run, or a file in it is not what it should be:
/// all faults. A last line that breaks off is left out: it is being written.
RunNumbers read_numbers(const std::string& folder);

}  // namespace talus::app
