#include "simulation/time_error.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "model/body_traits.hpp"
#include "model/ways.hpp"
#include "simulation/local_means.hpp"
#include "simulation/margins.hpp"
#include "simulation/simulation_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace talus {
namespace {

// What a step costs beside its iterations, in iterations (docs/performance.md).
constexpr double rest_of_step = 20.0;

/// A body as a step has left it.
struct Arrival {
  GlobalId id = 0;
  Vec3 position, velocity, angular_velocity;
  Quaternion orientation;
};

Arrival arrival_of(const BodySet& bodies, std::size_t b) {
  return {bodies.id[b], bodies.position[b], bodies.velocity[b], bodies.angular_velocity[b],
          bodies.orientation[b]};
}

/// The chord of the rotation between two orientations, per distance from the centre.
double chord_between(const Quaternion& a, const Quaternion& b) {
  const Quaternion turn = a * conjugate(b);
  return 2.0 * length(Vec3{turn.x, turn.y, turn.z});
}

}  // namespace

bool ComparisonSchedule::is_due() const {
  if (share <= 0.0 || last <= 0.0) return false;
  // two half steps; and four quarters
  const double expected = (looks_finer() ? 6.0 : 2.0) * last;
  return spent + expected <= share * done;
}

double work_of_step(std::int64_t bodies, std::int64_t contacts, std::int64_t iterations) {
  return static_cast<double>(bodies + contacts) * (static_cast<double>(iterations) + rest_of_step);
}

BodyDifferences differences_of(const World& world, const BodySet& trial, GlobalId before,
                               const Communicator& comm) {
  const BodySet& bodies = world.bodies;
  const Periodicity periodicity = world.periodicity();
  BodyDifferences differences{std::vector<double>(bodies.id.size(), 0.0),
                              std::vector<double>(bodies.id.size(), 0.0)};
  const auto see = [&](std::size_t b, const Arrival& other) {
    const double reach = std::isfinite(bodies.reach[b]) ? bodies.reach[b] : 0.0;
    const double turned =
        turning_reach(world, b) * chord_between(bodies.orientation[b], other.orientation);
    differences.position[b] =
        length(shortest_way(periodicity, other.position, bodies.position[b])) + turned;
    differences.velocity[b] = length(bodies.velocity[b] - other.velocity) +
                              reach * length(bodies.angular_velocity[b] - other.angular_velocity);
  };
  std::vector<Arrival> elsewhere;  // bodies that the step has given to other ranks
  for (std::size_t t = 0; t < static_cast<std::size_t>(trial.owned); ++t) {
    if (trial.motion[t] != Motion::Dynamic || trial.id[t] >= before) continue;
    const Index b = bodies.find(trial.id[t]);
    if (b >= 0 && bodies.is_owned(b))
      see(static_cast<std::size_t>(b), arrival_of(trial, t));
    else if (comm.size() > 1)
      elsewhere.push_back(arrival_of(trial, t));
  }
  if (comm.size() == 1) return differences;
  for (const Arrival& arrival : of_all_ranks(comm, elsewhere)) {
    const Index b = bodies.find(arrival.id);
    if (b >= 0 && bodies.is_owned(b)) see(static_cast<std::size_t>(b), arrival);
  }
  return differences;
}

double sum_of_squares(const std::vector<double>& values, const Communicator& comm) {
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double x : values) squares.push_back(x * x);
  return exact_sum(comm, squares);
}

// A step beside shorter ones: docs/algorithms/stepping.md, "The error in time".

namespace {

// The default tolerance follows steps up to this share of the longest.
constexpr double loosest_of_longest = 0.1;

/// What carried in steps of one length carries in others: the forces stay.
void scale_impulses(World& world, double factor) {
  for (Vec3& impulse : world.contacts.impulse) impulse = factor * impulse;
  for (Vec3& impulse : world.contacts.angular_impulse) impulse = factor * impulse;
  for (Joint& joint : world.joints)
    for (double& impulse : joint.impulse) impulse *= factor;
}

/// s: when an event of a scene that has a time is next; infinite: never.
double next_event(const Scene& scene, double now) {
  double next = infinity;
  for (const Event& event : scene.events)
    if (!event.done && event.at > now) next = std::min(next, event.at);
  for (const Generator& generator : scene.generators) {
    if (generator.kind != Generator::Kind::Stream) continue;
    for (const double at : {generator.from, generator.until})
      if (at > now) next = std::min(next, at);
  }
  return next;
}

}  // namespace

/// Impulses that the step begins from are those of the forces of the last one.
void SimulationParts::take_steps_of(std::int64_t ticks) {
  if (ticks == settings_.ticks) return;
  scale_impulses(world_, static_cast<double>(ticks) / static_cast<double>(settings_.ticks));
  settings_ = with_step(settings_, scene_.time, settings_.tick, ticks);
  if (settings_.tolerance_rate > 0.0) {
    // what the tolerance leaves is a velocity: in long steps heaps must not creep faster
    const double loosest = loosest_of_longest * static_cast<double>(settings_.most_ticks);
    const double counted = std::min(static_cast<double>(ticks), std::max(1.0, loosest));
    solver_.tolerance = settings_.tolerance_rate * counted * settings_.tick;
  }
  set_touching();
}

/// Decided from reduced numbers and from the scene: the same on all ranks.
void SimulationParts::choose_step(double by) {
  if (!scene_.time.automatic || is_trial_) return;
  double end = std::min(by, next_event(scene_, world_.time));
  if (scene_.time.end > world_.time) end = std::min(end, scene_.time.end);
  const std::int64_t left = std::max(std::int64_t{1}, tick_at(end, settings_.tick) - world_.ticks);
  take_steps_of(
      next_ticks(control_, settings_, scene_.time.accuracy * settings_.smallest_size, left));
}

void SimulationParts::watch_velocities(const Motions& motions) {
  if (!scene_.time.automatic || is_trial_) return;
  const Phase phase("watching the step");
  const std::vector<double> jumps = jumps_of(world_, motions.velocities, settings_.h);
  control_.jump = largest_local_mean(*motions.graph, world_, rows_, jumps, comm_);
  control_.pace = largest_pace(world_, motions.velocities, comm_);
  control_.any = true;
}

/// From the state as it is, in a copy that is thrown away: nothing of this simulation changes.
SimulationParts::Trial SimulationParts::trial_of(int parts) const {
  SimulationParts copy = *this;
  copy.is_trial_ = true;
  copy.is_balance_due_ = false;
  copy.ask_ = {};
  copy.scene_.energy_ledger = false;
  copy.scene_.stop_unconverged = false;
  copy.settings_ = with_step(settings_, scene_.time, settings_.tick / parts, settings_.ticks);
  copy.world_.ticks *= parts;
  scale_impulses(copy.world_, 1.0 / parts);
  Trial trial;
  try {
    for (int part = 0; part < parts; ++part) {
      const StepReport report = copy.step();
      trial.work += work_of_step(report.bodies, report.contacts, report.iterations);
    }
  } catch (const RunFailure&) {  // of which all ranks know; the step itself will tell
    trial.failed = true;
  } catch (const AgreedFormulaError&) {  // likewise; the step need not look where this one has
    trial.failed = true;
  } catch (const AgreedFailure&) {  // of contacts that could not be found
    trial.failed = true;
  }
  trial.bodies = std::move(copy.world_.bodies);
  return trial;
}

/// Two halves of the coming step, and now and then four quarters, where it is time for them.
std::vector<SimulationParts::Trial> SimulationParts::trials() {
  std::vector<Trial> all;
  if (is_trial_ || !comparisons_.is_due()) return all;
  const Phase phase("comparing with shorter steps");
  all.push_back(trial_of(2));
  if (comparisons_.looks_finer()) all.push_back(trial_of(4));
  for (const Trial& trial : all) comparisons_.spent += trial.work;
  ++comparisons_.comparisons;
  Phase::set_step(world_.step + 1);
  return all;
}

/// `before`: ids below it were there when the step began.
void SimulationParts::compare(const std::vector<Trial>& trials, GlobalId before,
                              const StepGraph& graph, StepReport& report) {
  if (is_trial_) return;
  comparisons_.step_done(work_of_step(report.bodies, report.contacts, report.iterations));
  report.time_error = comparisons_.latest;
  if (trials.empty() || trials[0].failed) return;
  const Phase phase("comparing with shorter steps");
  const BodyDifferences mine = differences_of(world_, trials[0].bodies, before, comm_);
  TimeError error;
  error.coarse = sum_of_squares(mine.position, comm_);
  if (trials.size() > 1 && !trials[1].failed) {
    World halves;
    halves.shapes = world_.shapes;
    halves.domain = world_.domain;
    halves.bodies = trials[0].bodies;
    error.finer =
        sum_of_squares(differences_of(halves, trials[1].bodies, before, comm_).position, comm_);
  }
  std::array<double, 2> largest{};
  for (std::size_t b = 0; b < mine.position.size(); ++b) {
    largest[0] = std::max(largest[0], mine.position[b]);
    largest[1] = std::max(largest[1], mine.velocity[b]);
  }
  comm_.largest(largest);
  error.largest_position = largest[0];
  error.largest_velocity = largest[1];
  // neighbours on other ranks have theirs from there
  std::vector<Vec6> both(mine.position.size(), Vec6{});
  for (std::size_t b = 0; b < both.size(); ++b) {
    both[b][0] = mine.position[b];
    both[b][1] = mine.velocity[b];
  }
  share_.share_momenta(world_, both);
  const auto mean = [&](std::size_t k) {
    std::vector<double> values(both.size());
    for (std::size_t b = 0; b < both.size(); ++b) values[b] = both[b][k];
    return largest_local_mean(graph, world_, rows_, values, comm_);
  };
  error.position = mean(0);
  error.velocity = mean(1);
  if (settings_.smallest_size > 0.0) error.share = error.position / settings_.smallest_size;
  report.compared = true;
  report.time_error = comparisons_.latest = error;
  if (control_.jump > 0.0) control_.ratio = error.position / control_.jump;
}

namespace {

// Of its own size: how far a body may come within a step. What comes farther asks for margins as
// wide as its neighbourhood.
constexpr double most_way = 0.25;
// A step that is chosen makes less than it may: its error is foreseen from the last one.
constexpr double safety = 0.8;
// How much longer than the last one a step may be.
constexpr std::int64_t most_growth = 2;

}  // namespace

std::vector<double> jumps_of(const World& world, const std::vector<Vec6>& after, double h) {
  const BodySet& bodies = world.bodies;
  std::vector<double> jumps(after.size(), 0.0);
  for (std::size_t b = 0; b < jumps.size(); ++b) {
    if (bodies.motion[b] != Motion::Dynamic) continue;
    const Vec6& u = after[b];
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    jumps[b] = 0.5 * h *
               (length(v - bodies.velocity[b]) +
                turning_reach(world, b) * length(w - bodies.angular_velocity[b]));
  }
  return jumps;
}

double largest_pace(const World& world, const std::vector<Vec6>& after, const Communicator& comm) {
  std::array<double, 1> pace{0.0};
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b) {
    if (world.bodies.motion[b] != Motion::Dynamic) continue;
    pace[0] = std::max(pace[0], way_of(world, b, after[b], 1.0) / size_of_body(world, b));
  }
  comm.largest(pace);
  return pace[0];
}

std::int64_t next_ticks(const StepControl& control, const StepSettings& settings, double accuracy,
                        std::int64_t left) {
  std::int64_t ticks = 1;
  if (control.any) {
    const double expected = control.expected_error();
    // the error of a step goes with h squared
    const double factor =
        expected > 0.0 ? safety * std::sqrt(accuracy / expected) : static_cast<double>(most_growth);
    ticks = static_cast<std::int64_t>(std::floor(
        static_cast<double>(settings.ticks) * std::min(factor, static_cast<double>(most_growth))));
    const double way = control.pace * settings.tick;  // per tick, in sizes
    if (way > 0.0 && static_cast<double>(ticks) * way > most_way)
      ticks = static_cast<std::int64_t>(std::floor(most_way / way));
    ticks = std::clamp(ticks, std::int64_t{1}, settings.most_ticks);
  }
  if (ticks >= left) return std::max(std::int64_t{1}, left);
  // two equal steps rather than one and a rest
  return 2 * ticks > left ? (left + 1) / 2 : ticks;
}

std::int64_t tick_at(double time, double tick) {
  constexpr double hair = 1e-9;  // times are rounded
  constexpr double most = 9e15;
  const double ticks = std::ceil(time / tick * (1.0 - hair));
  return ticks < most ? static_cast<std::int64_t>(ticks) : std::numeric_limits<std::int64_t>::max();
}

namespace {

/// Mean square of the bodies of a row that impulses move.
double of_row(const World& world, const std::vector<double>& values, Index a, Index b,
              std::vector<std::uint8_t>& met) {
  double sum = 0.0, count = 0.0;
  for (const Index body : {a, b}) {
    if (body == no_body) continue;
    const auto i = static_cast<std::size_t>(body);
    if (world.bodies.motion[i] != Motion::Dynamic) continue;
    met[i] = 1;
    sum += values[i] * values[i];
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

}  // namespace

double largest_local_mean(const StepGraph& graph, const World& world,
                          const std::vector<JointRow>& rows, const std::vector<double>& values,
                          const Communicator& comm) {
  std::vector<double> of_slot(graph.first_contact + graph.contact.size(), 0.0);
  std::vector<std::uint8_t> met(values.size(), 0);
  for (std::size_t j = 0; j < graph.joint_row.size(); ++j) {
    if (graph.joint_row[j] < 0) continue;  // filling
    const JointRow& row = rows[graph.joint_row[j]];
    of_slot[j] = of_row(world, values, row.body_a, row.body_b, met);
  }
  for (std::size_t k = 0; k < graph.contact.size(); ++k) {
    if (graph.contact[k] < 0) continue;
    const auto c = static_cast<std::size_t>(graph.contact[k]);
    of_slot[graph.first_contact + k] =
        of_row(world, values, world.contacts.body_a[c], world.contacts.body_b[c], met);
  }
  std::array<double, 1> largest{0.0};
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b)
    if (met[b] == 0) largest[0] = std::max(largest[0], values[b] * values[b]);
  for (const double mean : graph.rows->neighbourhood_means(of_slot))
    largest[0] = std::max(largest[0], mean);
  comm.largest(largest);
  return std::sqrt(largest[0]);
}

}  // namespace talus
