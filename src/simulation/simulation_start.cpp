// From a scene to the first step: bodies, settings, checks.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "assembly/joint_rows.hpp"
#include "core/arithmetic.hpp"
#include "generate/scene_bodies.hpp"
#include "model/body_traits.hpp"
#include "partition/balance.hpp"
#include "simulation/default_tolerance.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "simulation/start_values.hpp"
#include "stepping/integrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace talus {

double gravity_of(const World& world) {
  return length(value_at(world.gravity, world.time));
}

double smallest_size(const World& world, const Scene& scene) {
  double smallest = infinity;
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b)
    if (world.bodies.motion[b] == Motion::Dynamic)
      smallest = std::min(smallest, size_of_body(world, b));
  const auto of_shape = [&](Index shape, double scale) {
    return size_of(world.shapes[shape], scale);
  };
  for (const Generator& generator : scene.generators) {
    if (generator.kind != Generator::Kind::Stream) continue;
    double factor = generator.sizes.low;
    for (const auto& [size, share] : generator.sizes.table)
      factor = factor > 0.0 ? std::min(factor, size) : size;
    smallest = std::min(smallest, of_shape(generator.shape, factor));
  }
  for (const Event& event : scene.events)
    for (const SceneBody& body : event.added)
      if (body.motion == Motion::Dynamic)
        smallest = std::min(smallest, of_shape(body.shape, body.scale));
  return smallest;
}

std::vector<std::string> places_of_joints(const Scene& scene, const World& world) {
  if (scene.joint_places.size() == world.joints.size()) return scene.joint_places;
  std::vector<std::string> places;
  for (const Joint& joint : world.joints) places.push_back(scene.file + ": " + joint.name);
  return places;
}

SimulationParts::SimulationParts(Scene scene, SolveOptions solver, Communicator comm,
                                 BalanceSettings balance)
    : scene_(std::move(scene)),
      solver_(std::move(solver)),
      comm_(std::move(comm)),
      balance_(balance),
      world_(make_world(scene_)),
      share_(comm_),
      streams_(scene_.generators.size()) {
  const StandardArithmetic arithmetic;
  const Phase phase("setting up the scene");
  world_.bodies.rank = comm_.rank();
  share_.rolling = world_.materials.can_roll();
  // a formula that the first step cannot do without is bad input, known to all ranks
  try {
    set_up_scene();
  } catch (const FormulaError& error) {
    throw AgreedInputError(error.what());
  }
}

void SimulationParts::set_up_scene() {
  InputErrors errors;
  // while all ranks have all bodies that have names
  collect(errors, [&] { validate_joints(world_, places_of_joints(scene_, world_)); });
  collect(errors, [&] { refuse_broken_planes(scene_, world_); });
  collect(errors, [&] { refuse_light_bodies(scene_, world_); });
  refuse_far_here(errors);
  const std::string stiff =
      warning_of_stiff_start(world_, scene_.time.step, largest_gravity(scene_, world_));
  share_named();
  for (std::size_t g = 0; g < scene_.generators.size(); ++g)
    collect(errors, [&] { add_generated(g); });
  choose_settings();
  check_start(errors);
  set_kinematic_velocities(world_, settings_.h);
  warnings_ = step_warnings(world_, settings_.h, comm_);
  if (!stiff.empty()) warnings_.push_back(stiff);
}

/// All ranks have read them; each keeps its share.
void SimulationParts::share_named() {
  if (comm_.size() == 1) return;
  std::vector<std::uint8_t> stays(world_.bodies.id.size(), 0);
  for (std::size_t b = 0; b < stays.size(); ++b)
    stays[b] = world_.bodies.id[b] % comm_.size() == comm_.rank() ? 1 : 0;
  world_.bodies.keep(stays);
  std::fill(world_.bodies.owner.begin(), world_.bodies.owner.end(), comm_.rank());
}

void SimulationParts::add_generated(std::size_t generator) {
  const Generator& g = scene_.generators[generator];
  GeneratorReport report;
  report.name = g.name;
  if (g.kind != Generator::Kind::Stream) {
    for (const NewBody& body :
         generate_slice(g, world_, world_.next_id, comm_.rank(), comm_.size(), report))
      append(world_.bodies, body, reach_of(world_.shapes[body.shape], body.scale));
    world_.next_id += report.count;
    scene_.generators[generator].imported = {};  // this rank has its share of them
  }
  generator_reports_.push_back(report);
}

void SimulationParts::choose_settings() {
  const double g = largest_gravity(scene_, world_);
  std::array<double, 1> least{smallest_size(world_, scene_)};
  comm_.smallest(least);
  const double size = std::isfinite(least[0]) ? least[0] : 0.0;
  settings_ = step_settings(scene_.time, g, size);
  comparisons_.share = scene_.time.error_share;
  detection_ = Detection(settings_.smallest_size);
  if (solver_.measure != Measure::NaturalVelocity) solver_.measure = Measure::NaturalLocal;
  if (solver_.tolerance <= 0.0) {
    const DefaultTolerance chosen = default_tolerance(scene_, world_, solver_.measure, size, comm_);
    solver_.tolerance = chosen.value;
    tolerance_reason_ = chosen.reason;
  }
  set_touching();
  if (!scene_.time.automatic) return;
  // steps begin as short as they may be
  if (!tolerance_reason_.empty()) settings_.tolerance_rate = solver_.tolerance / settings_.h;
  settings_.most_ticks = most_ticks(scene_.time);
  settings_ = with_step(settings_, scene_.time, shortest_step(scene_.time), settings_.most_ticks);
  take_steps_of(1);
  set_touching();
}

/// Follows tolerance, measure and step. With the default tolerance: a tenth of what gravity moves a
/// body in a step.
void SimulationParts::set_touching() {
  settings_.touching = worst_over_tolerance(solver_.measure) * solver_.tolerance * settings_.h;
}

/// Detection cannot look at them. Collective.
void SimulationParts::refuse_far_here(InputErrors& errors) {
  InputErrors far;
  collect(far, [&] { refuse_far_bodies(scene_, world_); });
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(far.count())};
  comm_.sum(count);
  collect(errors, [&] { far.throw_if_any(); });
  if (count[0] > 0) throw_merged(comm_, errors);
}

void SimulationParts::check_start(InputErrors& errors) {
  refuse_far_here(errors);
  collect(errors, [&] { refuse_events(scene_, world_); });
  collect(errors, [&] { refuse_outside(scene_, world_, comm_); });
  if (comm_.size() > 1) share_.large_reach = large_reach_of(comm_, world_.bodies);
  deal_out();
  detection_.find(world_, std::vector<double>(world_.bodies.id.size(), 0.0), world_.contacts);
  collect(errors, [&] { refuse_overlaps(scene_, world_, comm_); });
  throw_merged(comm_, errors);
  world_.contacts.clear();
  hub_.assign(world_.bodies.id.size(), 0);
}

/// To the ranks that own them from now on: along the curve, and where METIS is wanted once more,
/// when neighbours are known. What a simulation goes on from has contacts: they are asked for
/// before the next search, also those whose bodies are far apart by now.
void SimulationParts::deal_out() {
  if (comm_.size() == 1) return;
  StepReport unused;
  work_since_balance_ = -1.0;  // nothing is measured yet
  balance();
  redistribute(unused, Partners::OfJointsAndContacts);
  if (balance_.cells.kind != OwnerKind::Metis) return;
  ContactSet near;
  detection_.find(world_, std::vector<double>(world_.bodies.id.size(), 0.0), near);
  work_since_balance_ = -1.0;
  balance();
  redistribute(unused, Partners::OfJointsAndContacts);
}

}  // namespace talus
