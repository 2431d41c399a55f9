#include "app/run/run_memory.hpp"

#include "talus/partition/state_slice.hpp"

#include "core/archive.hpp"

#include <utility>

namespace talus {

TALUS_FIELDS(GeneratorReport, name, count, mass, wanted_mass, solid_fraction, wanted_solid_fraction,
             smallest, mean, median_by_mass, largest, largest_deviation, largest_overlap)
TALUS_FIELDS(StreamState, owed, mass, count, refused)

TALUS_FIELDS(EnergyLedger, steps, kinetic_start, kinetic_end, gravity, forces, motors, walls,
             bodies, friction, rolling, impact, recovered, cohesion, joints, springs, solver,
             time_step, late, solver_magnitude, through, kinetic_most, free_fall)

TALUS_FIELDS(TimeError, position, largest_position, velocity, largest_velocity, share, coarse,
             finer)
TALUS_FIELDS(StepControl, jump, ratio, pace, any)
TALUS_FIELDS(ComparisonSchedule, share, done, last, spent, comparisons, latest)

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
TALUS_FIELDS(RunMemory, generators, streams, comparisons, control, totals, goal, monitors)

namespace {

/// What there may be millions of, bodies and contacts, goes in slices. Each member has its name
/// here: one that is added to World does not compile without.
World all_but_the_many(const World& world) {
  const auto& [shapes, centred, materials, groups, domain, time, step, ticks, next_id, gravity,
               bodies, joints, motions, forces, held, pushed, contacts, removed] = world;
  return {shapes,  centred, materials, groups,  domain, time, step, ticks, next_id,
          gravity, {},      joints,    motions, forces, held, {},   {},    removed};
}

}  // namespace

void write_checkpoint_of(Simulation& simulation, const std::string& path,
                         const std::string& scene_text, const RunTotals& totals,
                         const RunGoal& goal, const Bytes& monitors) {
  const Communicator& comm = simulation.communicator();
  simulation.gather_joints();
  CheckpointContext facts;
  facts.scene_text = scene_text;
  facts.scene = simulation.scene();
  facts.scene.world = {};
  const World& world = simulation.world();
  facts.world = all_but_the_many(world);
  facts.settings = simulation.settings();
  facts.tolerance = simulation.solver().tolerance;
  facts.memory =
      packed(RunMemory{simulation.generators(), simulation.streams(), simulation.comparisons(),
                       simulation.control(), totals, goal, monitors});
  StateSlice bodies = state_slice(comm, world.bodies);
  ContactSlice contacts = contact_slice(comm, world);
  write_checkpoint(
      path, facts,
      {std::move(bodies.bodies), bodies.total, std::move(contacts.contacts), contacts.total}, comm);
}

Continuation continuation_of(Checkpoint checkpoint, RunMemory& memory) {
  memory = unpacked<RunMemory>(checkpoint.facts.memory);
  Continuation from;
  from.scene = std::move(checkpoint.facts.scene);
  from.world = std::move(checkpoint.facts.world);
  from.settings = checkpoint.facts.settings;
  from.generators = memory.generators;
  from.streams = memory.streams;
  from.comparisons = memory.comparisons;
  from.control = memory.control;
  from.bodies = std::move(checkpoint.share.bodies);
  from.contacts = std::move(checkpoint.share.contacts);
  return from;
}

}  // namespace app
}  // namespace talus
