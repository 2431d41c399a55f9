#include "talus/simulation/time_error.hpp"

#include "talus/model/ways.hpp"

#include "simulation/weighted_mean.hpp"

#include <algorithm>
#include <array>
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

class Comparison {
 public:
  explicit Comparison(const World& world) : world_(world), periodicity_(world.periodicity()) {}

  /// A body owned here, beside where it arrived by other steps.
  void see(std::size_t b, const Arrival& other) {
    const BodySet& bodies = world_.bodies;
    const double reach = std::isfinite(bodies.reach[b]) ? bodies.reach[b] : 0.0;
    const bool sphere =
        std::holds_alternative<Sphere>(world_.shapes[static_cast<std::size_t>(bodies.shape[b])]);
    const double turned =
        sphere ? 0.0 : reach * chord_between(bodies.orientation[b], other.orientation);
    const double way =
        length(shortest_way(periodicity_, other.position, bodies.position[b])) + turned;
    const double speed = length(bodies.velocity[b] - other.velocity) +
                         reach * length(bodies.angular_velocity[b] - other.angular_velocity);
    ways_.push_back(way);
    speeds_.push_back(speed);
    most_[0] = std::max(most_[0], way);
    most_[1] = std::max(most_[1], speed);
  }

  bool finish(const Communicator& comm, TimeError& error) {
    std::array<std::int64_t, 1> count{static_cast<std::int64_t>(ways_.size())};
    comm.sum(count);
    if (count[0] == 0) return false;
    comm.largest(most_);
    error.position = self_weighted_mean(ways_, comm);
    error.velocity = self_weighted_mean(speeds_, comm);
    error.largest_position = most_[0];
    error.largest_velocity = most_[1];
    return true;
  }

 private:
  const World& world_;
  Periodicity periodicity_;
  std::vector<double> ways_, speeds_;
  std::array<double, 2> most_{};
};

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

bool compare_bodies(const World& world, const BodySet& trial, GlobalId before,
                    const Communicator& comm, TimeError& error) {
  Comparison comparison(world);
  std::vector<Arrival> elsewhere;  // bodies that the step has given to other ranks
  for (std::size_t t = 0; t < static_cast<std::size_t>(trial.owned); ++t) {
    if (trial.motion[t] != Motion::Dynamic || trial.id[t] >= before) continue;
    const Index b = world.bodies.find(trial.id[t]);
    if (b >= 0 && world.bodies.is_owned(b))
      comparison.see(static_cast<std::size_t>(b), arrival_of(trial, t));
    else if (comm.size() > 1)
      elsewhere.push_back(arrival_of(trial, t));
  }
  if (comm.size() > 1)
    for (const Arrival& arrival : of_all_ranks(comm, elsewhere)) {
      const Index b = world.bodies.find(arrival.id);
      if (b >= 0 && world.bodies.is_owned(b)) comparison.see(static_cast<std::size_t>(b), arrival);
    }
  return comparison.finish(comm, error);
}

}  // namespace talus
