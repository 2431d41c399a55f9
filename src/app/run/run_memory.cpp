#include "app/run/run_memory.hpp"

#include "talus/core/error.hpp"

#include "core/archive.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace talus {

TALUS_FIELDS(EnergyLedger, steps, kinetic_start, kinetic_end, gravity, forces, motors, walls,
             bodies, friction, rolling, impact, recovered, cohesion, joints, springs, solver,
             time_step, late, solver_magnitude, through, kinetic_most, free_fall)

namespace app {

TALUS_FIELDS(Worst, value, step)
TALUS_FIELDS(TimeErrorBar, comparisons, share, position, largest_position, velocity,
             largest_velocity, position_sum, velocity_sum, coarse, finer)
TALUS_FIELDS(EnergyGains, of_step, most_moved, from_start, from_start_on, overlap_before)
TALUS_FIELDS(ErrorBar, steps, unconverged, least_tolerance, most_tolerance, by_tolerance, error,
             row_error, impulse_error, row_impulse_error, error_sum, impulse_error_sum, overlap,
             overlap_share, joint_gap, joint_gap_share, joint_angle, step_angle, solved_again,
             outran, less_restitution, time, energy, gains)
/// What a run costs its ranks is not kept: the next one has others.
template <class Archive>
void fields(Archive& archive, RunTotals& totals) {
  auto& [steps_of_this_run, iterations, most_iterations, products, bar, inserted, removed, searches,
         contacts, most_contacts, contact_sum, any_psor, psor_ranks, moved, balances, most_ghosts,
         shortest_step, longest_step, seconds, balance_seconds, output_seconds, contact_iterations,
         wall_seconds] = totals;
  archive(iterations, most_iterations, products, bar, inserted, removed, contacts, most_contacts,
          contact_sum, any_psor, psor_ranks, shortest_step, longest_step);
}
TALUS_FIELDS(RunGoal, steps, ticks)
TALUS_FIELDS(RunMemory, totals, goal, monitors)

namespace {

/// Stands in front: other programs keep what they like, or nothing.
const std::string writer = "talus run";

}  // namespace

Bytes packed_memory(const RunMemory& memory) {
  return packed(std::pair(writer, packed(memory)));
}

RunMemory memory_of(const Checkpoint& checkpoint, const std::string& path) {
  std::pair<std::string, Bytes> kept;
  try {
    kept = unpacked<std::pair<std::string, Bytes>>(checkpoint.program);
  } catch (const InputError&) {
    kept = {};
  }
  if (kept.first != writer)
    throw InputError(
        fmt::format("{}: is not of talus run: the program that wrote it goes on from it", path));
  try {
    return unpacked<RunMemory>(kept.second);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: what the run keeps {}", path, error.what()));
  }
}

}  // namespace app
}  // namespace talus
