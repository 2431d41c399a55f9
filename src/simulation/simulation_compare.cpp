// A step beside shorter ones: docs/algorithms/stepping.md, "The error in time".

#include "talus/core/error.hpp"
#include "talus/simulation/simulation.hpp"

#include "simulation/default_tolerance.hpp"
#include "simulation/local_means.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace talus {
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
void Simulation::take_steps_of(std::int64_t ticks) {
  if (ticks == settings_.ticks) return;
  scale_impulses(world_, static_cast<double>(ticks) / static_cast<double>(settings_.ticks));
  settings_ = with_step(settings_, scene_.time, settings_.tick, ticks);
  if (settings_.tolerance_rate > 0.0) {
    // what the tolerance leaves is a velocity: in long steps heaps must not creep faster
    const double loosest = loosest_of_longest * static_cast<double>(settings_.most_ticks);
    const double counted = std::min(static_cast<double>(ticks), std::max(1.0, loosest));
    solver_.tolerance = settings_.tolerance_rate * counted * settings_.tick;
  }
  settings_.touching = worst_over_tolerance(solver_.measure) * solver_.tolerance * settings_.h;
}

/// Decided from reduced numbers and from the scene: the same on all ranks.
void Simulation::choose_step(double by) {
  if (!scene_.time.automatic || is_trial_) return;
  double end = std::min(by, next_event(scene_, world_.time));
  if (scene_.time.end > world_.time) end = std::min(end, scene_.time.end);
  const std::int64_t left = std::max(std::int64_t{1}, tick_at(end, settings_.tick) - world_.ticks);
  take_steps_of(
      next_ticks(control_, settings_, scene_.time.accuracy * settings_.smallest_size, left));
}

void Simulation::watch_velocities(const Motions& motions) {
  if (!scene_.time.automatic || is_trial_) return;
  const Phase phase("watching the step");
  const std::vector<double> jumps = jumps_of(world_, motions.velocities, settings_.h);
  control_.jump = largest_local_mean(*motions.graph, world_, rows_, jumps, comm_);
  control_.pace = largest_pace(world_, motions.velocities, comm_);
  control_.any = true;
}

/// From the state as it is, in a copy that is thrown away: nothing of this simulation changes.
Simulation::Trial Simulation::trial_of(int parts) const {
  Simulation copy = *this;
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
  }
  trial.bodies = std::move(copy.world_.bodies);
  return trial;
}

/// Two halves of the coming step, and now and then four quarters, where it is time for them.
std::vector<Simulation::Trial> Simulation::trials() {
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
void Simulation::compare(const std::vector<Trial>& trials, GlobalId before, const StepGraph& graph,
                         StepReport& report) {
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

}  // namespace talus
