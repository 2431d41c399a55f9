#include "talus/io/scene_file.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_value.hpp"
#include "model/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace talus {
namespace io {
namespace {

bool is_name(const std::string& word) {
  const char* const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !word.empty() && word.find_first_not_of(letters) == std::string::npos &&
         word.front() > '9';
}

void check_variable(const Entry& entry, SceneFaults& faults) {
  const std::vector<std::string>& reserved = Expression::reserved_names();
  const bool taken =
      entry.key == "t" || std::find(reserved.begin(), reserved.end(), entry.key) != reserved.end();
  if (taken)
    faults.add(
        entry.place,
        fmt::format("variables: {} has a meaning in formulas: choose another name", entry.key));
  else if (!is_name(entry.key))
    faults.add(entry.place,
               fmt::format("variables: '{}' must be of letters, digits and _, and begin "
                           "with no digit",
                           entry.key));
  if (entry.value.kind != Value::Kind::Scalar)
    faults.add(entry.value.place, fmt::format("variables.{} must be a number or a formula, is {}",
                                              entry.key, described(entry.value)));
}

/// Whether the value of `entry` needs one that has none yet, or none at all.
bool waits(const Entry& entry, const std::map<std::string, double>& known) {
  if (plain_number(entry.value.text)) return false;
  const std::vector<std::string> names = Expression::names_in(entry.value.text);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return !known.contains(name); });
}

void evaluate(const Entry& entry, ReadingContext& context) {
  double value = 0.0;
  context.variables.erase(entry.key);  // it is no name of its own formula
  try {
    const std::optional<double> plain = plain_number(entry.value.text);
    value = plain ? *plain : Expression(entry.value.text, context.variables, {}).at(0.0);
    if (!std::isfinite(value))
      context.faults.add(entry.value.place, fmt::format("variables.{} = {} must be finite",
                                                        entry.key, entry.value.text));
  } catch (const InputError& error) {
    for (const std::string& message : error.messages())
      context.faults.add(entry.value.place, fmt::format("variables.{}: {}", entry.key, message));
  }
  context.variables[entry.key] = std::isfinite(value) ? value : 0.0;
}

/// In an order in which each has what it needs, whatever the order of the file.
void read_variables(ReadingContext& context, const Fields& root) {
  const Value* table = root.value("variables");
  if (table == nullptr || table->kind == Value::Kind::Nothing) return;
  if (table->kind != Value::Kind::Map) {
    root.fault("variables",
               fmt::format("variables must be a table of names, is {}", described(*table)));
    return;
  }
  std::vector<const Entry*> left;
  for (const Entry& entry : table->entries) {
    check_variable(entry, context.faults);
    left.push_back(&entry);
  }
  for (std::size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](const Entry* entry) {
      if (waits(*entry, context.variables)) return false;
      evaluate(*entry, context);
      return true;
    });
  }
  // what is left has a name that is unknown, or needs what has, or goes round in a circle
  for (const Entry* entry : left) {
    const std::vector<std::string> names = Expression::names_in(entry->value.text);
    const bool known = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return table->find(name) != nullptr;
    });
    if (known)
      context.faults.add(
          entry->value.place,
          fmt::format("variables.{} = {} cannot be found: what it needs needs it, too, "
                      "or is faulty",
                      entry->key, entry->value.text));
    context.variables.emplace(entry->key, 0.0);
  }
  for (const Entry* entry : left) {
    const std::vector<std::string> names = Expression::names_in(entry->value.text);
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return table->find(name) == nullptr; }))
      evaluate(*entry, context);
  }
}

void read_step(const Fields& fields, TimeSettings& time) {
  time.automatic = fields.text("step") == "auto";
  time.step = fields.number(time.automatic ? "longest" : "step", time.step);
  time.shortest = fields.number("shortest", time.shortest);
  time.accuracy = fields.number("accuracy", time.accuracy);
  if (!time.automatic) {
    for (const char* key : {"longest", "shortest", "accuracy"})
      if (fields.has(key))
        fields.fault(key, fmt::format("{} is of automatic steps: say step: auto", key));
  } else if (!fields.has("longest")) {
    fields.fault("step", "step = auto needs longest: the longest step that may be taken, in s");
  } else if (time.shortest > time.step) {
    fields.fault("shortest", fmt::format("shortest = {:g} s must be at most longest = {:g} s",
                                         time.shortest, time.step));
  }
}

void read_time(SceneReading& reading, const Fields& root) {
  const std::optional<Fields> fields = root.section("time");
  if (!fields) return;
  TimeSettings& time = reading.scene.time;
  read_step(*fields, time);
  time.end = fields->number("end", time.end);
  time.scheme = fields->text("scheme") == "spook" ? Scheme::Spook : Scheme::AnitescuTasora;
  time.stabilisation = fields->number("stabilisation", time.stabilisation);
  if (fields->text("recovery_speed") == "unlimited")
    time.recovery_speed = infinity;
  else
    time.recovery_speed = fields->number("recovery_speed", time.recovery_speed);
  time.bounce_speed = fields->number("bounce_speed", time.bounce_speed);
  time.damping_time = fields->number("damping_time", time.damping_time);
  if (fields->text("restitution_law") == "poisson") time.restitution_law = RestitutionLaw::Poisson;
  time.error_share = fields->number("error_share", time.error_share);
}

void read_domain(SceneReading& reading, const Fields& root) {
  const std::optional<Fields> fields = root.section("domain");
  if (!fields) return;
  Domain& domain = reading.world().domain;
  domain.low = fields->vector("min", domain.low);
  domain.high = fields->vector("max", domain.high);
  domain.outside = fields->text("outside") == "remove" ? Outside::Remove : Outside::Stop;
  const std::vector<std::string> periodic = fields->texts("periodic");
  for (std::size_t k = 0; k < domain.periodic.size(); ++k)
    domain.periodic[k] =
        std::find(periodic.begin(), periodic.end(), std::string(1, "xyz"[k])) != periodic.end();
  for (const KeyFault& fault : faults_of_domain(domain)) fields->fault(fault.key, fault.text);
}

void read_version(const Fields& root) {
  if (root.has("talus")) root.whole("talus");  // its number has been checked file by file
}

}  // namespace

Scene scene_of(const Value& tree, const std::string& path, SceneFaults& faults) {
  ReadingContext context{faults, {}};
  SceneReading reading{context};
  reading.scene.file = path;
  const Fields root(context, tree, "scene");
  if (tree.kind != Value::Kind::Map) return std::move(reading.scene);
  read_variables(context, root);
  read_version(root);
  reading.scene.title = root.text("title");
  read_time(reading, root);
  read_domain(reading, root);
  if (const auto gravity = root.formulas("gravity")) reading.world().gravity = *gravity;
  reading.scene.max_overlap = root.number("max_overlap", reading.scene.max_overlap);
  reading.scene.balance_by_counts = root.text("balance") == "counts";
  read_materials(reading, root);
  read_bodies(reading, root);
  read_generators(reading, root);
  read_joints(reading, root);
  read_forces(reading, root);
  read_events(reading, root);
  read_solver(reading, root);
  note_idle_axes(reading);
  read_output(reading, root);
  check_meetings(reading, root);
  return std::move(reading.scene);
}

}  // namespace io

Scene read_scene(const std::string& path, const std::vector<std::string>& overrides) {
  const StandardArithmetic arithmetic;
  io::SceneFaults faults;
  const io::Value tree = io::load_scene(path, overrides, faults);
  if (faults.is_last() || tree.kind != io::Value::Kind::Map) faults.throw_if_any();
  Scene scene = io::scene_of(tree, path, faults);
  faults.throw_if_any();
  return scene;
}

namespace io {
namespace {

/// Where its parts stand, and what they name.
void add_files(const Value& value, std::set<std::string>& files) {
  if (value.place.file != nullptr) files.insert(*value.place.file);
  for (const Value& item : value.items) add_files(item, files);
  for (const Entry& entry : value.entries) {
    if (entry.key == "file") files.insert(entry.value.text);
    add_files(entry.value, files);
  }
}

}  // namespace

ResolvedScene resolve_scene(const std::string& path, const std::vector<std::string>& overrides) {
  SceneFaults faults;
  const Value tree = load_scene(path, overrides, faults);
  faults.throw_if_any();
  std::set<std::string> files{path};
  add_files(tree, files);
  return {yaml_of(tree), {files.begin(), files.end()}};
}

}  // namespace io

std::string resolved_scene(const std::string& path, const std::vector<std::string>& overrides) {
  return io::resolve_scene(path, overrides).text;
}

}  // namespace talus
