#include "app/run/step_numbers.hpp"

#include "app/run/error_bar.hpp"

#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace talus::app {
namespace {

using io::Json;
using Report = const StepReport&;
using Facts = const RecordFacts&;

constexpr double percent = 100.0;

/// Numbers that are not finite are null.
template <class Value>
Json json_of(const Value& value) {
  if constexpr (std::is_floating_point_v<Value>)
    return io::number(value);
  else
    return value;
}

template <class Get>
StepNumber key(const char* name, const Get& get) {
  return {name, [get](Report r, Facts f) { return json_of(get(r, f)); }, {}};
}

/// `form`: of the text in a column, in the words of fmt.
template <class Get>
StepNumber column(const char* name, const char* form, const Get& get) {
  return {name, {}, [get, form](Report r, Facts f) {
            const auto value = get(r, f);
            return fmt::format(fmt::runtime(form), value);
          }};
}

template <class Get>
StepNumber both(const char* name, const char* form, const Get& get) {
  return {name, key(name, get).key, column(name, form, get).column};
}

StepNumber of_ranks(StepNumber number) {
  number.of_several_ranks = true;
  return number;
}

Json time_error_json(Report r) {
  if (!r.time_error) return nullptr;
  const TimeError& e = *r.time_error;
  return {{"compared", r.compared},
          {"position", io::number(e.position)},
          {"largest_position", io::number(e.largest_position)},
          {"velocity", io::number(e.velocity)},
          {"largest_velocity", io::number(e.largest_velocity)}};
}

Json energy_json(const Energies& e) {
  return {{"kinetic", io::number(e.kinetic)},
          {"potential", io::number(e.potential)},
          {"total", io::number(e.kinetic + e.potential)}};
}

Json seconds_json(const StageSeconds& s) {
  return {{"events", s.events},     {"share", s.share},  {"detect", s.detect},
          {"assemble", s.assemble}, {"solve", s.solve},  {"integrate", s.integrate},
          {"compare", s.compare},   {"total", s.total()}};
}

/// Of the last comparison with shorter steps; not a number before.
double time_error_of(Report r, double TimeError::*member) {
  return r.time_error ? (*r.time_error).*member : std::numeric_limits<double>::quiet_NaN();
}

constexpr const char *whole = "{}", *time = "{:.9g}", *size = "{:.6e}", *energy = "{:.9e}";

}  // namespace

const std::vector<StepNumber>& step_numbers() {
  static const std::vector<StepNumber> numbers{
      both("step", whole, [](Report r, Facts) { return r.step; }),
      both("time", time, [](Report r, Facts) { return r.time; }),
      both("bodies", whole, [](Report r, Facts) { return r.bodies; }),
      key("inserted", [](Report r, Facts) { return r.inserted; }),
      key("removed", [](Report r, Facts) { return r.removed.size(); }),
      both("contacts", whole, [](Report r, Facts) { return r.contacts; }),
      both("joint_rows", whole, [](Report r, Facts) { return r.joint_rows; }),
      key("warm_started", [](Report r, Facts) { return r.warm_started; }),
      key("searched", [](Report r, Facts) { return r.searched; }),
      key("status", [](Report r, Facts) { return name_of(r.status); }),
      key("method", [](Report r, Facts) { return name_of(r.method); }),
      key("solves", [](Report r, Facts) { return r.solves; }),
      key("less_restitution", [](Report r, Facts) { return r.less_restitution; }),
      both("iterations", whole, [](Report r, Facts) { return r.iterations; }),
      key("products", [](Report r, Facts) { return r.products; }),
      both("error", size, [](Report r, Facts) { return r.error; }),
      both("largest_error", size, [](Report r, Facts) { return r.largest_error; }),
      key("energy_error", [](Report r, Facts) { return r.energy_error; }),
      both("impulse_error", size, [](Report r, Facts) { return r.impulse_error; }),
      both("largest_impulse_error", size, [](Report r, Facts) { return r.largest_impulse_error; }),
      both("time_step", time, [](Report r, Facts) { return r.time_step; }),
      key("time_error", [](Report r, Facts) { return time_error_json(r); }),
      column("time_error", size,
             [](Report r, Facts) { return time_error_of(r, &TimeError::position); }),
      column("time_error_speed", size,
             [](Report r, Facts) { return time_error_of(r, &TimeError::velocity); }),
      both("penetration", size, [](Report r, Facts) { return r.largest_overlap; }),
      key("penetration_percent", [](Report r, Facts) { return percent * r.overlap_share; }),
      column("overlap", size, [](Report r, Facts) { return r.overlap_share; }),
      both("joint_gap", size, [](Report r, Facts) { return r.largest_joint_gap; }),
      key("joint_gap_percent", [](Report r, Facts) { return percent * r.joint_gap_share; }),
      both("joint_angle", size, [](Report r, Facts) { return r.largest_joint_angle; }),
      key("step_angle", [](Report r, Facts) { return r.step_angle; }),
      key("energy", [](Report, Facts f) { return energy_json(f.energies); }),
      column("kinetic", energy, [](Report, Facts f) { return f.energies.kinetic; }),
      column("potential", energy, [](Report, Facts f) { return f.energies.potential; }),
      column("energy", energy,
             [](Report, Facts f) { return f.energies.kinetic + f.energies.potential; }),
      key("energy_ledger", [](Report, Facts f) { return energy_ledger_json(f.ledger); }),
      key("seconds", [](Report r, Facts) { return seconds_json(r.seconds); }),
      column("seconds", "{:.6f}", [](Report r, Facts) { return r.seconds.total(); }),
      key("wall_seconds", [](Report, Facts f) { return f.wall_seconds; }),
      key("warnings", [](Report, Facts f) { return f.warnings; }),
      key("warnings_held_back", [](Report, Facts f) { return f.warnings_held_back; }),
      of_ranks(key("imbalance", [](Report r, Facts) { return r.imbalance; })),
      of_ranks(key("collectives", [](Report r, Facts) { return r.collectives; })),
      of_ranks(key("moved", [](Report r, Facts) { return r.moved; })),
      of_ranks(key("most_ghosts", [](Report r, Facts) { return r.most_ghosts; })),
      of_ranks(key("balanced", [](Report r, Facts) { return r.balanced; }))};
  return numbers;
}

}  // namespace talus::app
