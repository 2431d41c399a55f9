#include "app/run_memory.hpp"

#include "talus/partition/state_slice.hpp"

#include "core/archive.hpp"

#include <utility>

namespace talus {

template <class Archive>
void fields(Archive& archive, GeneratorReport& report) {
  auto& [name, count, mass, wanted_mass, solid_fraction, wanted_solid_fraction, smallest, mean,
         median_by_mass, largest, largest_deviation, largest_overlap] = report;
  archive(name, count, mass, wanted_mass, solid_fraction, wanted_solid_fraction, smallest, mean,
          median_by_mass, largest, largest_deviation, largest_overlap);
}
template <class Archive>
void fields(Archive& archive, StreamState& stream) {
  auto& [owed, mass, count, refused] = stream;
  archive(owed, mass, count, refused);
}

template <class Archive>
void fields(Archive& archive, EnergyLedger& ledger) {
  auto& [steps, kinetic_start, kinetic_end, gravity, forces, motors, walls, bodies, friction,
         rolling, impact, recovered, cohesion, joints, springs, solver, time_step, late,
         solver_magnitude, through, kinetic_most, free_fall] = ledger;
  archive(steps, kinetic_start, kinetic_end, gravity, forces, motors, walls, bodies, friction,
          rolling, impact, recovered, cohesion, joints, springs, solver, time_step, late,
          solver_magnitude, through, kinetic_most, free_fall);
}

template <class Archive>
void fields(Archive& archive, TimeError& error) {
  auto& [position, largest_position, velocity, largest_velocity, share, coarse, finer] = error;
  archive(position, largest_position, velocity, largest_velocity, share, coarse, finer);
}
template <class Archive>
void fields(Archive& archive, StepControl& control) {
  auto& [jump, ratio, pace, any] = control;
  archive(jump, ratio, pace, any);
}
template <class Archive>
void fields(Archive& archive, ComparisonSchedule& schedule) {
  auto& [share, done, last, spent, comparisons, latest] = schedule;
  archive(share, done, last, spent, comparisons, latest);
}

namespace app {

template <class Archive>
void fields(Archive& archive, Worst& worst) {
  auto& [value, step] = worst;
  archive(value, step);
}
template <class Archive>
void fields(Archive& archive, TimeErrorBar& time) {
  auto& [comparisons, share, position, largest_position, velocity, largest_velocity, position_sum,
         velocity_sum, coarse, finer] = time;
  archive(comparisons, share, position, largest_position, velocity, largest_velocity, position_sum,
          velocity_sum, coarse, finer);
}
template <class Archive>
void fields(Archive& archive, EnergyGains& gains) {
  auto& [of_step, most_moved, from_start, from_start_on, overlap_before] = gains;
  archive(of_step, most_moved, from_start, from_start_on, overlap_before);
}
template <class Archive>
void fields(Archive& archive, ErrorBar& bar) {
  auto& [steps, unconverged, least_tolerance, most_tolerance, by_tolerance, error, row_error,
         impulse_error, row_impulse_error, error_sum, impulse_error_sum, overlap, overlap_share,
         joint_gap, joint_gap_share, joint_angle, step_angle, solved_again, outran,
         less_restitution, time, energy, gains] = bar;
  archive(steps, unconverged, least_tolerance, most_tolerance, by_tolerance, error, row_error,
          impulse_error, row_impulse_error, error_sum, impulse_error_sum, overlap, overlap_share,
          joint_gap, joint_gap_share, joint_angle, step_angle, solved_again, outran,
          less_restitution, time, energy, gains);
}
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
template <class Archive>
void fields(Archive& archive, RunGoal& goal) {
  auto& [steps, ticks] = goal;
  archive(steps, ticks);
}
template <class Archive>
void fields(Archive& archive, RunMemory& memory) {
  auto& [generators, streams, comparisons, control, totals, goal, monitors] = memory;
  archive(generators, streams, comparisons, control, totals, goal, monitors);
}

namespace {

/// What there may be millions of, bodies and contacts, goes in slices. Each member has its name
/// here: one that is added to World does not compile without.
World all_but_the_many(const World& world) {
  const auto& [shapes, centred, materials, groups, domain, time, step, ticks, next_id, gravity,
               bodies, joints, motions, forces, contacts, removed] = world;
  return {shapes,  centred, materials, groups, domain,  time,   step, ticks,
          next_id, gravity, {},        joints, motions, forces, {},   removed};
}

}  // namespace

void write_checkpoint_of(Simulation& simulation, const std::string& path,
                         const std::string& scene_text, const RunTotals& totals,
                         const RunGoal& goal, const Bytes& monitors) {
  const Communicator& comm = simulation.communicator();
  simulation.gather_joints();
  CheckpointFacts facts;
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
