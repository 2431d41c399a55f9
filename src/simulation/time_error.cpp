#include "talus/simulation/time_error.hpp"

#include "talus/model/ways.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "model/body_traits.hpp"

#include <cmath>

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

}  // namespace talus
