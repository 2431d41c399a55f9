#include "talus/simulation/simulation.hpp"

#include "talus/assembly/contact_rows.hpp"
#include "talus/assembly/joint_rows.hpp"
#include "talus/assembly/warm_start.hpp"
#include "talus/core/error.hpp"
#include "talus/problem/body_operator.hpp"
#include "talus/stepping/integrate.hpp"
#include "talus/stepping/schemes.hpp"

#include "model/body_traits.hpp"
#include "simulation/events.hpp"
#include "simulation/start_checks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace talus {
namespace {

class Lap {
 public:
  double operator()() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

double gravity_of(const World& world) {
  return length(Vec3{world.gravity[0].at(world.time), world.gravity[1].at(world.time),
                     world.gravity[2].at(world.time)});
}

/// Of what moves now, comes in with streams or is added by events; 0 where there is nothing.
double smallest_size(const World& world, const Scene& scene) {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    if (world.bodies.motion[b] == Motion::Dynamic)
      smallest = std::min(smallest, size_of_body(world, b));
  const auto of_shape = [&](Index shape, double scale) {
    return size_of(world.shapes[static_cast<std::size_t>(shape)], scale);
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
  return std::isfinite(smallest) ? smallest : 0.0;
}

/// How far from a body's surface contacts are looked for: as far as it may come in a step with its
/// present velocity, gravity and the forces that act on it.
std::vector<double> margins_of(const World& world, double h) {
  const BodySet& bodies = world.bodies;
  const std::size_t count = bodies.id.size();
  std::vector<double> margin(count, 0.0);
  const double g = gravity_of(world);
  const std::vector<Vec6> gains = velocity_gains(world, h);
#pragma omp parallel for schedule(static) if (count > 1000) default(none) \
    shared(count, bodies, margin, h, g, gains)
  for (std::size_t b = 0; b < count; ++b) {
    if (bodies.motion[b] == Motion::Fixed) continue;
    const Vec6 gain = gains.empty() ? Vec6{} : gains[b];
    const double spin =
        length(bodies.angular_velocity[b]) + length(Vec3{gain[3], gain[4], gain[5]});
    const double turning = std::isfinite(bodies.reach[b]) ? spin * bodies.reach[b] : 0.0;
    const double falling = bodies.motion[b] == Motion::Dynamic ? h * g : 0.0;
    const double pushed = length(Vec3{gain[0], gain[1], gain[2]});
    const double way = h * (length(bodies.velocity[b]) + turning + falling + pushed);
    margin[b] = std::isfinite(way) ? way : 0.0;  // a formula is at fault: told after the step
  }
  return margin;
}

bool rolls(const MaterialTable& materials) {
  for (Index a = 0; a < materials.count(); ++a)
    for (Index b = a; b < materials.count(); ++b)
      if (materials.has_pair(a, b) && (materials.pair(a, b).rolling_friction > 0.0 ||
                                       materials.pair(a, b).spinning_friction > 0.0))
        return true;
  return false;
}

/// What `action` finds wrong joins the faults found so far.
template <class Action>
void collect(InputErrors& faults, const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) faults.add(message);
  }
}

/// Scenes that are made in code need not have places.
std::vector<std::string> places_of_joints(const Scene& scene, const World& world) {
  if (scene.joint_places.size() == world.joints.size()) return scene.joint_places;
  std::vector<std::string> places;
  for (const Joint& joint : world.joints) places.push_back(scene.file + ": " + joint.name);
  return places;
}

/// The start of the solve: impulses of contacts and joints in the order of stored rows.
RowVector stored_start(const World& world, const std::vector<JointRow>& rows,
                       const ConeProblem& problem, double h) {
  RowVector start(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  const ContactSet& contacts = world.contacts;
  for (std::size_t j = 0; j < rows.size(); ++j)
    start[j] = world.joints[static_cast<std::size_t>(rows[j].joint)]
                   .impulse[static_cast<std::size_t>(rows[j].place)];
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const auto cone = static_cast<Index>(c);
    const Vec3 force = contacts.impulse[c] + cohesion_pull(world, cone, h) * contacts.normal[c];
    if (contacts.angular_impulse.empty())
      set_spatial_value(problem.cones, start, cone, force);
    else
      set_rolling_value(
          problem.cones, start, cone,
          {force, (1.0 / problem.cones.rolling_length[c]) * contacts.angular_impulse[c]});
  }
  return start;
}

/// Impulses of a solve, back to the contacts; those of joint rows are returned.
std::vector<double> keep_impulses(const ConeProblem& problem, const RowVector& impulses, double h,
                                  World& world, std::size_t joint_rows) {
  ContactSet& contacts = world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const auto cone = static_cast<Index>(c);
    if (contacts.angular_impulse.empty()) {
      contacts.impulse[c] = spatial_value(problem.cones, impulses, cone);
    } else {
      const SixRows rows = rolling_value(problem.cones, impulses, cone);
      contacts.impulse[c] = rows.linear;
      contacts.angular_impulse[c] = problem.cones.rolling_length[c] * rows.angular;
    }
    contacts.impulse[c] = contacts.impulse[c] - cohesion_pull(world, cone, h) * contacts.normal[c];
  }
  return {impulses.begin(), impulses.begin() + static_cast<std::ptrdiff_t>(joint_rows)};
}

}  // namespace

Simulation::Simulation(Scene scene, SolveOptions solver, Communicator comm)
    : scene_(std::move(scene)),
      solver_(std::move(solver)),
      comm_(std::move(comm)),
      world_(make_world(scene_)),
      streams_(scene_.generators.size()) {
  InputErrors errors;
  for (std::size_t g = 0; g < scene_.generators.size(); ++g)
    collect(errors, [&] { add_generated(g); });
  const double g = largest_gravity(scene_, world_);
  settings_ = step_settings(scene_.time, g, smallest_size(world_, scene_));
  constexpr double share_of_gravity = 0.01;
  solver_.measure = Measure::NaturalVelocity;
  if (solver_.tolerance <= 0.0) {
    // without gravity: what moves a body by a millionth of its size in a step
    solver_.tolerance =
        share_of_gravity *
        (g > 0.0 ? g * settings_.h : 1e-4 * smallest_size(world_, scene_) / settings_.h);
    if (!(solver_.tolerance > 0.0)) solver_.tolerance = 1e-9;
  }
  // with the default tolerance: a tenth of what gravity moves a body in a step
  constexpr double steps_of_error = 10.0;
  settings_.touching = steps_of_error * solver_.tolerance * settings_.h;
  collect(errors, [&] { validate_joints(world_, places_of_joints(scene_, world_)); });
  collect(errors, [&] { refuse_events(scene_, world_); });
  collect(errors, [&] { refuse_outside(scene_, world_); });
  collect(errors, [&] { refuse_broken_planes(scene_, world_); });
  detection_.find(world_, std::vector<double>(world_.bodies.id.size(), 0.0), world_.contacts);
  collect(errors, [&] { refuse_overlaps(scene_, world_); });
  errors.throw_if_any();
  world_.contacts.clear();
  set_kinematic_velocities(world_, settings_.h);
  warnings_ = step_warnings(world_, settings_.h);
}

void Simulation::add_generated(std::size_t generator) {
  const Generator& g = scene_.generators[generator];
  GeneratorReport report;
  report.name = g.name;
  if (g.kind != Generator::Kind::Stream) {
    for (const NewBody& body : generate_bodies(g, world_, world_.next_id, report)) {
      append(world_.bodies, body,
             reach_of(world_.shapes[static_cast<std::size_t>(body.shape)], body.scale));
      world_.next_id = body.id + 1;
    }
  }
  generator_reports_.push_back(report);
}

void Simulation::begin_step(StepReport& report) {
  const Phase phase("events");
  bool changed = run_events(scene_, world_, report.removed);
  for (std::size_t g = 0; g < scene_.generators.size(); ++g) {
    const Generator& generator = scene_.generators[g];
    if (generator.kind != Generator::Kind::Stream || !generator.on) continue;
    for (const NewBody& body :
         stream_bodies(generator, world_, settings_.h, world_.next_id, streams_[g])) {
      append(world_.bodies, body,
             reach_of(world_.shapes[static_cast<std::size_t>(body.shape)], body.scale));
      world_.next_id = body.id + 1;
      ++report.inserted;
      changed = true;
    }
  }
  if (changed) detection_.forget();
  set_kinematic_velocities(world_, settings_.h);
}

void Simulation::detect(StepReport& report) {
  const Phase phase("detection");
  ContactSet found;
  report.searched = detection_.find(world_, margins_of(world_, settings_.h), found).searched;
  found.angular_impulse.assign(rolls(world_.materials) ? found.gap.size() : 0, Vec3{});
  report.warm_started = warm_start(world_.contacts, found);
  world_.contacts = std::move(found);
  report.contacts = world_.contacts.count();
  const Overlaps overlaps = overlaps_of(world_);
  report.largest_overlap = overlaps.deepest;
  report.overlap_share = overlaps.share;
  constexpr double deep = 0.5;  // of the smaller body
  if (overlaps.share > deep)
    report.warnings.push_back(fmt::format(
        "step {}: bodies overlap by {:.3g} of the smaller one ({:.3g} m): a smaller time.step, a "
        "smaller tolerance, more iterations or less compliance is needed",
        world_.step + 1, overlaps.share, overlaps.deepest));
}

Simulation::Motions Simulation::solve_step(StepReport& report) {
  Lap lap;
  const double h = settings_.h;
  BodyProblem data;
  Motions motions;
  std::vector<JointRow>& rows = motions.rows;
  std::vector<Vec6> wrench(world_.bodies.id.size(), Vec6{});
  joint_rows(world_, h, rows, wrench);
  body_rows(world_, h, wrench, data);
  contact_rows(world_, h, data);
  contact_biases(world_, settings_, data);
  append_joint_rows(world_, settings_, rows, data);
  report.joint_rows = static_cast<std::int64_t>(rows.size());
  const ConeProblem problem = make_cone_problem(
      std::make_shared<BodyPart>(whole_part(std::move(data))), comm_, SetUp::WithoutSiconosScale);
  RowVector impulses = stored_start(world_, rows, problem, h), gap;
  report.seconds.assemble = lap();

  const Phase phase("solving");
  const SolveReport solved = solve(problem, solver_, comm_, impulses, gap);
  report.status = solved.status;
  report.method = solved.method;
  report.iterations = solved.iterations;
  report.products = solved.operator_products;
  report.error = solved.error;
  report.largest_error = solved.errors.natural_velocity_max;
  report.energy_error = solved.errors.energy;
  const auto& bodies = dynamic_cast<const BodyOperator&>(*problem.delassus);
  motions.velocities = bodies.velocities(impulses, true);
  motions.row_impulses = keep_impulses(problem, impulses, h, world_, rows.size());
  report.seconds.solve = lap();
  return motions;
}

void Simulation::end_step(StepReport& report) {
  Outcome outcome = outcome_of(world_, settings_.h);
  if (!outcome.fast.empty())
    report.warnings.push_back(fmt::format(
        "step {}, t = {:g} s: {} bodies moved by more than their size in one step and may have "
        "passed through others: a smaller time.step is needed. The first: {}",
        report.step, report.time, outcome.fast.size(), describe(world_, outcome.fast.front())));
  if (!outcome.lost.empty()) {
    const std::size_t first = outcome.lost.front();
    const bool finite = is_finite(world_.bodies, first);
    throw RunFailure(
        fmt::format("step {}, t = {:g} s: {} of {} bodies are lost. {}: {}; {}", report.step,
                    report.time, outcome.lost.size(), world_.bodies.count(),
                    finite ? "left the domain" : "not finite", describe(world_, first),
                    finite ? "say domain.outside: remove where bodies may leave, or make the "
                             "domain larger"
                           : "a formula of the scene (force, motor, movement, gravity) may not be "
                             "finite at this time, or a smaller time step may help"),
        report);
  }
  const std::size_t before = report.removed.size();
  keep_bodies(world_, outcome.stays, report.step, report.removed);
  if (report.removed.size() > before) detection_.forget();
  report.bodies = world_.bodies.count();
}

StepReport Simulation::step() {
  StepReport report;
  Lap lap;
  begin_step(report);
  report.seconds.events = lap();
  detect(report);
  report.seconds.detect = lap();
  const Motions motions = solve_step(report);
  lap();
  const Phase phase("integration");
  integrate(world_, settings_.h, motions.velocities);
  update_joints(world_, settings_.h, motions.rows, motions.row_impulses);
  wrap(world_);
  report.step = world_.step;
  report.time = world_.time;
  report.bodies = world_.bodies.count();
  end_step(report);
  report.seconds.integrate = lap();
  if (scene_.stop_unconverged && !(report.error <= solver_.tolerance))
    throw RunFailure(
        fmt::format("step {}, t = {:g} s: the solver ended ({}) with an error of {:.3g} m/s, above "
                    "the tolerance of {:.3g} m/s: raise solver.max_iterations, or say "
                    "solver.unconverged: continue",
                    report.step, report.time, name_of(report.status), report.error,
                    solver_.tolerance),
        report);
  return report;
}

}  // namespace talus
