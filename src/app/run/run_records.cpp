#include "app/run/run_records.hpp"

#include "app/run/error_bar.hpp"
#include "io/json_parts.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace talus::app {
namespace {

using io::Json;
using io::number;

Json time_error_json(const StepReport& r) {
  if (!r.time_error) return nullptr;
  const TimeError& e = *r.time_error;
  return {{"compared", r.compared},
          {"position", number(e.position)},
          {"largest_position", number(e.largest_position)},
          {"velocity", number(e.velocity)},
          {"largest_velocity", number(e.largest_velocity)}};
}

}  // namespace

std::string record_of(const StepReport& r, const RecordFacts& facts) {
  const StageSeconds& s = r.seconds;
  const Energies& energies = facts.energies;
  constexpr double percent = 100.0;
  Json json = {{"step", r.step},
               {"time", number(r.time)},
               {"bodies", r.bodies},
               {"inserted", r.inserted},
               {"removed", r.removed.size()},
               {"contacts", r.contacts},
               {"joint_rows", r.joint_rows},
               {"warm_started", r.warm_started},
               {"searched", r.searched},
               {"status", name_of(r.status)},
               {"method", name_of(r.method)},
               {"solves", r.solves},
               {"less_restitution", r.less_restitution},
               {"iterations", r.iterations},
               {"products", r.products},
               {"error", number(r.error)},
               {"largest_error", number(r.largest_error)},
               {"energy_error", number(r.energy_error)},
               {"impulse_error", number(r.impulse_error)},
               {"largest_impulse_error", number(r.largest_impulse_error)},
               {"time_step", r.time_step},
               {"time_error", time_error_json(r)},
               {"penetration", number(r.largest_overlap)},
               {"penetration_percent", number(percent * r.overlap_share)},
               {"joint_gap", number(r.largest_joint_gap)},
               {"joint_gap_percent", number(percent * r.joint_gap_share)},
               {"joint_angle", number(r.largest_joint_angle)},
               {"step_angle", number(r.step_angle)},
               {"energy",
                {{"kinetic", number(energies.kinetic)},
                 {"potential", number(energies.potential)},
                 {"total", number(energies.kinetic + energies.potential)}}},
               {"energy_ledger", energy_ledger_json(facts.ledger)},
               {"seconds",
                {{"events", s.events},
                 {"share", s.share},
                 {"detect", s.detect},
                 {"assemble", s.assemble},
                 {"solve", s.solve},
                 {"integrate", s.integrate},
                 {"compare", s.compare},
                 {"total", s.total()}}},
               {"wall_seconds", facts.wall_seconds},
               {"warnings", facts.warnings},
               {"warnings_held_back", facts.warnings_held_back}};
  if (facts.ranks > 1) {
    json["imbalance"] = r.imbalance;
    json["moved"] = r.moved;
    json["most_ghosts"] = r.most_ghosts;
    json["balanced"] = r.balanced;
  }
  return json.dump();
}

double time_of_record(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const bool has = json.is_object() && json.contains("time") && json["time"].is_number();
  return has ? json["time"].get<double>() : infinity;
}

}  // namespace talus::app
