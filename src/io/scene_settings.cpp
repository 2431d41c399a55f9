// What the solver shall do.

#include "talus/core/error.hpp"

#include "io/scene_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::io {
namespace {

/// "solver.psor.relaxation=1.2": the application knows the options of methods and what they may be.
class Assignments {
 public:
  explicit Assignments(SceneReading& reading) : reading_(reading) {}

  void add(const std::string& key, const std::string& value, const Place& place) {
    reading_.scene.solver_assignments.push_back("solver." + key + "=" + value);
    reading_.scene.solver_places.push_back(text_of(place));
  }

  void add_option(const std::string& key, const Value& value) {
    if (value.kind != Value::Kind::Scalar) {
      reading_.faults().add(value.place, fmt::format("solver.{} must be a number or a word, is {}",
                                                     key, described(value)));
      return;
    }
    add(key, plain(value), value.place);
  }

  void add_options(const std::string& method, const Value& value) {
    if (value.kind != Value::Kind::Map) {
      reading_.faults().add(
          value.place,
          fmt::format("solver.{} must be a table of its options, is {}", method, described(value)));
      return;
    }
    for (const Entry& option : value.entries) add_option(method + "." + option.key, option.value);
  }

 private:
  /// Words stay; formulas of variables become numbers.
  std::string plain(const Value& value) const {
    try {
      const double number = Expression(value.text, reading_.context.variables, {}).at(0.0);
      return plain_number(value.text) ? value.text : fmt::format("{}", number);
    } catch (const InputError&) {
      return value.text;
    }
  }

  SceneReading& reading_;
};

/// The table of the solver without the options of methods, which the table of keys does not have.
Value without_options(const Value& solver, Assignments& assignments) {
  const std::vector<std::string>& methods = section_rules("solver").find("method")->choices;
  const auto is_method = [&](const std::string& word) {
    return std::find(methods.begin(), methods.end(), word) != methods.end();
  };
  Value rest = solver;
  rest.entries.clear();
  for (const Entry& entry : solver.entries) {
    const std::size_t dot = entry.key.find('.');
    if (dot == std::string::npos && is_method(entry.key))
      assignments.add_options(entry.key, entry.value);
    else if (dot != std::string::npos && is_method(entry.key.substr(0, dot)))
      assignments.add_option(entry.key, entry.value);
    else
      rest.entries.push_back(entry);
  }
  return rest;
}

void add_general(const Fields& solver, Assignments& assignments) {
  for (const KeyRule& rule : section_rules("solver").keys) {
    if (!solver.has(rule.name) || rule.name == "unconverged") continue;
    const Place place = solver.place(rule.name);
    if (rule.type == KeyType::Choice) {
      assignments.add(rule.name, solver.text(rule.name), place);
    } else if (rule.type == KeyType::Choices) {
      assignments.add("methods", fmt::format("{}", fmt::join(solver.texts(rule.name), ",")), place);
    } else if (rule.type == KeyType::Whole) {
      if (const auto whole = solver.whole(rule.name))
        assignments.add(rule.name, fmt::format("{}", *whole), place);
    } else if (const auto number = solver.number(rule.name)) {
      assignments.add(rule.name, fmt::format("{}", *number), place);
    }
  }
}

}  // namespace

void read_solver(SceneReading& reading, const Fields& root) {
  const Value* given = root.value("solver");
  if (given == nullptr || given->kind == Value::Kind::Nothing) return;
  Assignments assignments(reading);
  const Value rest = without_options(*given, assignments);
  const Fields solver(reading.context, rest, "solver");
  add_general(solver, assignments);
  if (solver.has("methods") && solver.has("candidates"))
    solver.fault("candidates", "solver has methods or candidates, which are the same, not both");
  reading.scene.stop_unconverged = solver.text("unconverged") == "stop";
}

}  // namespace talus::io
