#include "app/run/run_records.hpp"

#include "app/run/step_numbers.hpp"

#include <nlohmann/json.hpp>

namespace talus::app {

std::string record_of(const StepReport& report, const RecordFacts& facts) {
  io::Json record = io::Json::object();
  for (const StepNumber& number : step_numbers())
    if (number.key && (facts.ranks > 1 || !number.of_several_ranks))
      record[number.name] = number.key(report, facts);
  return record.dump();
}

double time_of_record(const std::string& line) {
  const io::Json json = io::Json::parse(line, nullptr, false);
  const bool has = json.is_object() && json.contains("time") && json["time"].is_number();
  return has ? json["time"].get<double>() : infinity;
}

}  // namespace talus::app
