// Sums over the ranks, and bodies that come and go.

#include "talus/core/error.hpp"
#include "talus/model/row_homes.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/simulation/monitors.hpp"
#include "talus/simulation/simulation.hpp"
#include "talus/stepping/integrate.hpp"

#include "simulation/events.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace talus {
namespace {

double largest_speed(const BodySet& bodies) {
  double largest = 0.0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    if (bodies.motion[b] == Motion::Dynamic)
      largest = std::max(largest, length(bodies.velocity[b]));
  return largest;
}

/// Contacts of which this rank knows between two steps: those of its bodies. A body that all ranks
/// have counts none of those with others.
std::int64_t contacts_between_steps(const World& world) {
  std::int64_t count = 0;
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    count += speaks_for(world.bodies, world.contacts.body_a[c], world.contacts.body_b[c]) ? 1 : 0;
  return count;
}

}  // namespace

// ---- sums over the ranks ------------------------------------------------------------------------

std::int64_t Simulation::body_count() const {
  std::array<std::int64_t, 1> count{world_.bodies.owned};
  comm_.sum(count);
  return count[0];
}

Momenta momenta_of(const World& world, const Communicator& comm) {
  std::array<std::vector<double>, 6> terms;
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b) {
    if (world.bodies.motion[b] != Motion::Dynamic) continue;
    const auto [p, l] = momenta_of(world, b);
    const std::array<double, 6> numbers{p.x, p.y, p.z, l.x, l.y, l.z};
    for (std::size_t k = 0; k < numbers.size(); ++k) terms[k].push_back(numbers[k]);
  }
  const auto sum = [&](std::size_t k) { return exact_sum(comm, terms[k]); };
  Momenta total;
  total.linear = {sum(0), sum(1), sum(2)};
  total.angular = {sum(3), sum(4), sum(5)};
  return total;
}

std::uint64_t trajectory_hash(const BodySet& bodies, const Communicator& comm) {
  std::array<std::uint64_t, 1> sum{trajectory_hash(bodies)};
  comm.sum(sum);
  return sum[0];
}

/// In the order of ids, the bodies of all ranks, on all ranks.
std::vector<StoredBody> Simulation::everyones(const std::vector<StoredBody>& mine) const {
  std::vector<StoredBody> all = of_all_ranks(comm_, mine);
  std::sort(all.begin(), all.end(),
            [](const StoredBody& a, const StoredBody& b) { return a.body.id < b.body.id; });
  return all;
}

// ---- events -------------------------------------------------------------------------------------

/// New bodies, known to all ranks, become bodies of those that store them.
void Simulation::place(const std::vector<NewBody>& bodies) {
  BodySet& set = world_.bodies;
  std::vector<StoredBody> owned, elsewhere;
  for (const NewBody& body : bodies) {
    const double reach = reach_of(world_.shapes[body.shape], body.scale);
    StoredBody one{body, reach, 0, share_.residence_of(body.motion, reach)};
    const bool common = one.residence != Residence::Local;
    if (!common) one.owner = map_.owner_of(body.id, body.pose.position);
    if (one.owner == comm_.rank())
      owned.push_back(one);
    else if (common)
      elsewhere.push_back(one);
  }
  const Index before = set.owned, more = static_cast<Index>(owned.size());
  insert(set, owned, elsewhere);
  for (auto* list : {&world_.contacts.body_a, &world_.contacts.body_b})
    for (Index& body : *list)
      if (body >= before) body += more;
}

/// Bodies whose mark is 0, of any rank, on all ranks.
void Simulation::remove(const std::vector<std::uint8_t>& stays, std::int64_t step,
                        std::vector<RemovedBody>& removed) {
  std::vector<StoredBody> mine;
  for (Index i = 0; i < world_.bodies.owned; ++i)
    if (stays[i] == 0) mine.push_back(stored(world_.bodies, i));
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(mine.size())};
  comm_.sum(count);
  if (count[0] == 0) return;
  std::vector<GlobalId> ids;
  for (const StoredBody& one : everyones(mine)) {
    ids.push_back(one.body.id);
    removed.push_back({one.body.id, world_.groups[one.body.group], step, one.body.pose.position,
                       one.body.velocity});
  }
  take_out(world_, ids);
  changed_ = true;
}

void Simulation::run_due_events(StepReport& report) {
  EventValues values;
  if (has_conditions(scene_)) {
    std::array<std::int64_t, 2> counts{world_.bodies.owned, contacts_between_steps(world_)};
    std::array<double, 1> speed{largest_speed(world_.bodies)};
    comm_.sum(counts);
    comm_.largest(speed);
    values = {counts[0], counts[1], energies_of(world_, comm_).kinetic, speed[0]};
  }
  const EventEffects effects = run_events(scene_, world_, values);
  if (!effects.changed) return;
  changed_ = true;
  remove(effects.stays, world_.step + 1, report.removed);
  place(effects.added);
}

void Simulation::begin_step(StepReport& report) {
  const Phase phase("running events");
  WorldShare::drop_late(world_);
  changed_ = false;
  if (!scene_.events.empty()) run_due_events(report);
  for (std::size_t g = 0; g < scene_.generators.size(); ++g) {
    const Generator& generator = scene_.generators[g];
    if (generator.kind != Generator::Kind::Stream || !generator.on) continue;
    const std::vector<NewBody> bodies =
        stream_bodies(generator, world_, settings_.h, world_.next_id, streams_[g],
                      [this](const std::vector<StoredBody>& mine) { return everyones(mine); });
    if (bodies.empty()) continue;
    place(bodies);
    world_.next_id = bodies.back().id + 1;
    report.inserted += static_cast<std::int64_t>(bodies.size());
    changed_ = true;
  }
  set_kinematic_velocities(world_, settings_.h);
}

}  // namespace talus
