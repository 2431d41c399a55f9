#pragma once
// What a step reports, each named once, with its place in run.jsonl and in log.csv. What they mean:
// docs/output.md, which a test compares with this list.

#include "talus/simulation/simulation.hpp"

#include "app/run/run_records.hpp"
#include "io/json_parts.hpp"

#include <functional>
#include <string>
#include <vector>

namespace talus::app {

struct StepNumber {
  std::string name;
  /// Its value in run.jsonl; none: it is no key of it.
  std::function<io::Json(const StepReport&, const RecordFacts&)> key;
  /// Its text in log.csv; none: it is no column. Columns are named in log_columns, too
  /// (talus/model/output_settings.hpp), from which scenes choose.
  std::function<std::string(const StepReport&, const RecordFacts&)> column;
  bool of_several_ranks = false;  ///< it means nothing on one rank
};

/// In the order of the keys.
const std::vector<StepNumber>& step_numbers();

}  // namespace talus::app
