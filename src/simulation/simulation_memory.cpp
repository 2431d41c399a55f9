// A simulation as a checkpoint, and back: docs/decisions/028.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "assembly/joint_rows.hpp"
#include "core/archive.hpp"
#include "core/arithmetic.hpp"
#include "model/row_owners.hpp"
#include "model/scene_checks.hpp"
#include "partition/slice_checks.hpp"
#include "partition/state_slice.hpp"
#include "simulation/said.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "stepping/step_settings_archive.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace talus {

TALUS_FIELDS(GeneratorReport, name, count, mass, wanted_mass, solid_fraction, wanted_solid_fraction,
             smallest, mean, median_by_mass, largest, largest_deviation, largest_overlap)
TALUS_FIELDS(StreamState, owed, mass, count, refused)
TALUS_FIELDS(TimeError, position, largest_position, velocity, largest_velocity, share, coarse,
             finer)
TALUS_FIELDS(StepControl, jump, ratio, pace, any)
TALUS_FIELDS(ComparisonSchedule, share, done, last, spent, comparisons, latest)

/// What a simulation keeps beside its world, its scene and its settings.
struct SimulationMemory {
  std::vector<GeneratorReport> generators;
  std::vector<StreamState> streams;
  ComparisonSchedule comparisons;
  StepControl control;
  std::string tolerance_reason;
  std::optional<double> kinetic;
  std::vector<std::string> names;
};
TALUS_FIELDS(SimulationMemory, generators, streams, comparisons, control, tolerance_reason, kinetic,
             names)

namespace {

/// What there may be millions of, bodies and contacts, goes in slices; what is pushed is of the
/// next step alone. Each member has its name here: one that is added to World does not compile
/// without.
World all_but_the_many(const World& world) {
  const auto& [shapes, centred, materials, groups, domain, time, step, ticks, next_id, gravity,
               bodies, joints, motions, forces, held, pushed, contacts, removed] = world;
  return {shapes,  centred, materials, groups,  domain, time, step, ticks, next_id,
          gravity, {},      joints,    motions, forces, held, {},   {},    removed};
}

/// What must be the same on all ranks that go on. Names of files in it need not be.
std::uint64_t said_of(const Checkpoint& checkpoint, const Scene& scene, const World& world,
                      const SolveOptions& solver) {
  std::vector<std::int64_t> numbers{checkpoint.total_bodies,
                                    checkpoint.total_contacts,
                                    static_cast<std::int64_t>(solver.method),
                                    static_cast<std::int64_t>(solver.measure),
                                    solver.max_iterations,
                                    world.step,
                                    world.ticks,
                                    world.next_id,
                                    world.removed};
  for (const std::size_t count :
       {world.shapes.size(), world.groups.size(), world.joints.size(), world.motions.size(),
        world.forces.size(), world.held.size(), scene.generators.size(), scene.events.size()})
    numbers.push_back(static_cast<std::int64_t>(count));
  std::vector<double> values{checkpoint.tolerance, solver.tolerance, world.time};
  std::vector<std::string> laws{checkpoint.law, name_of(solver.law)};
  StepSettings settings = checkpoint.settings;
  std::vector<std::byte> simulation = checkpoint.simulation;
  Packer packer;
  packer(numbers, values, laws, settings, simulation);
  return mixed(0, packer.take());
}

/// The same bytes on all ranks, or else one that cannot read them tells the others.
SimulationMemory memory_of(const Checkpoint& checkpoint, const Communicator& comm) {
  return agreed(comm, [&] {
    const auto told = [](const std::string& fault) {
      return InputError("the checkpoint's part of the simulation " + fault);
    };
    SimulationMemory memory;
    try {
      memory = unpacked<SimulationMemory>(checkpoint.simulation);
    } catch (const InputError& error) {
      throw told(error.what());
    }
    if (memory.streams.size() != checkpoint.scene.generators.size())
      throw told("has not as many streams as its scene has generators: it is damaged");
    return memory;
  });
}

}  // namespace

Checkpoint SimulationParts::checkpoint() {
  require_alike("checkpoint", 0);
  std::array<double, 1> any{world_.pushed.empty() && push_errors_.empty() ? 0.0 : 1.0};
  comm_.largest(any);
  if (any[0] > 0.0)
    throw AgreedInputError(
        "checkpoint: bodies are pushed in the next step, which no checkpoint has: write it after "
        "that step, or push after it");
  share_.gather_joints(world_, hub_);
  Checkpoint now;
  now.scene = scene_;
  now.scene.world = {};
  now.world = all_but_the_many(world_);
  now.settings = settings_;
  now.tolerance = solver_.tolerance;
  now.law = name_of(solver_.law);
  now.simulation = packed(SimulationMemory{generator_reports_,
                                           streams_,
                                           comparisons_,
                                           control_,
                                           tolerance_reason_,
                                           kinetic_,
                                           {names_.begin(), names_.end()}});
  StateSlice bodies = state_slice(comm_, world_.bodies);
  now.bodies = std::move(bodies.bodies);
  now.total_bodies = bodies.total;
  ContactSlice contacts = contact_slice(comm_, world_);
  now.contacts = std::move(contacts.contacts);
  now.total_contacts = contacts.total;
  return now;
}

namespace {

void check_settings(const StepSettings& settings, InputErrors& errors) {
  const auto require = [&](const char* key, double value, bool is_sound) {
    errors.require(is_sound, std::string("step settings: ") + key, value, "cannot be gone on with");
  };
  const auto ticks = static_cast<double>(settings.ticks);
  for (const auto& [key, value] : {std::pair{"h", settings.h}, {"tick", settings.tick}})
    require(key, value, value > 0.0 && std::isfinite(value));
  for (const auto& [key, value] : {std::pair{"damping_time", settings.damping_time},
                                   {"tolerance_rate", settings.tolerance_rate},
                                   {"touching", settings.touching},
                                   {"recovery_size", settings.recovery_size},
                                   {"smallest_size", settings.smallest_size}})
    require(key, value, value >= 0.0 && std::isfinite(value));
  require("recovery_speed", settings.recovery_speed, settings.recovery_speed >= 0.0);
  require("bounce_speed", settings.bounce_speed, settings.bounce_speed >= 0.0);
  require("stabilisation", settings.stabilisation,
          settings.stabilisation > 0.0 && settings.stabilisation <= 1.0);
  require("ticks", ticks, settings.ticks >= 1 && settings.ticks <= settings.most_ticks);
}

/// What goes on may come from a file, and its numbers from anywhere.
void refuse_unsound(const Scene& scene, const World& world, const StepSettings& settings) {
  InputErrors errors;
  check_settings(settings, errors);
  check_pairs(world.materials, scene.time.scheme, scene.file, errors);
  collect(errors, [&] { validate_moved_joints(world, places_of_joints(scene, world)); });
  errors.throw_if_any();
}

/// Once ghosts are there: ranks have both bodies of the contacts that they keep, and keep them all.
void refuse_strangers(const World& world, GlobalId total, const Communicator& comm) {
  const ContactSet& contacts = world.contacts;
  bool are_known = true;
  std::array<std::int64_t, 2> counts{0, 0};  // of contacts, of ranks that lack a body
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const Index a = contacts.body_a[c], b = contacts.body_b[c];
    are_known = are_known && a >= 0 && b >= 0;
    if (are_known && speaks_for(world.bodies, a, b)) ++counts[0];
  }
  counts[1] = are_known ? 0 : 1;
  comm.sum(counts);
  if (counts[1] == 0 && counts[0] == total) return;
  throw AgreedInputError("the checkpoint has a contact of a body that it has not: it is damaged");
}

}  // namespace

SimulationParts::SimulationParts(Checkpoint from, const SolveOptions& solver,
                                 const Communicator& comm, BalanceSettings balance)
    : SimulationParts(memory_of(from, comm), from, solver, comm, balance) {}

SimulationParts::SimulationParts(SimulationMemory memory, Checkpoint& from,
                                 const SolveOptions& solver, const Communicator& comm,
                                 BalanceSettings balance)
    : scene_(std::move(from.scene)),
      solver_(solver),
      comm_(comm),
      balance_(balance),
      tolerance_reason_(std::move(memory.tolerance_reason)),
      settings_(from.settings),
      world_(std::move(from.world)),
      detection_(settings_.smallest_size),
      share_(comm_),
      generator_reports_(std::move(memory.generators)),
      streams_(std::move(memory.streams)),
      comparisons_(memory.comparisons),
      control_(memory.control),
      names_(memory.names.begin(), memory.names.end()),
      kinetic_(memory.kinetic) {
  const StandardArithmetic arithmetic;
  require_alike("going on", said_of(from, scene_, world_, solver_));
  if (name_of(solver_.law) != from.law)
    throw AgreedInputError(
        fmt::format("solver.law = {}: the checkpoint is of the law {}, with which its simulation "
                    "goes on",
                    name_of(solver_.law), from.law));
  agree(comm_, [&] { refuse_unsound(scene_, world_, settings_); });
  if (solver_.measure != Measure::NaturalVelocity) solver_.measure = Measure::NaturalLocal;
  if (solver_.tolerance <= 0.0) solver_.tolerance = from.tolerance;
  if (solver_.tolerance != from.tolerance) {  // it stays what it is now, whatever the step
    settings_.tolerance_rate = 0.0;
    tolerance_reason_.clear();
  }
  set_touching();
  require_slices(
      comm_, "the checkpoint",
      std::array{SliceCount{"bodies", std::ssize(from.bodies), from.total_bodies},
                 SliceCount{"contacts", std::ssize(from.contacts), from.total_contacts}});
  require_order(comm_, "the checkpoint", from.bodies, from.contacts);
  BodySet& bodies = world_.bodies;
  bodies.rank = comm_.rank();
  share_.rolling = world_.materials.can_roll();
  for (StoredBody& one : from.bodies) {
    one.owner = comm_.rank();
    one.residence = Residence::Local;
    append_stored(bodies, one);
  }
  bodies.owned = bodies.count();
  if (comm_.size() > 1) share_.large_reach = large_reach_of(comm_, world_.bodies);
  share_.take_contacts(world_, from.contacts);
  deal_out();
  refuse_strangers(world_, from.total_contacts, comm_);
  hub_.assign(bodies.id.size(), 0);
}

}  // namespace talus
