// Sums over the ranks, and bodies that come and go.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "generate/scene_bodies.hpp"
#include "model/row_owners.hpp"
#include "simulation/events.hpp"
#include "simulation/joint_gaps.hpp"
#include "simulation/monitors.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "stepping/integrate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
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

std::int64_t SimulationParts::body_count() const {
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
std::vector<StoredBody> SimulationParts::everyones(const std::vector<StoredBody>& mine) const {
  std::vector<StoredBody> all = of_all_ranks(comm_, mine);
  std::sort(all.begin(), all.end(),
            [](const StoredBody& a, const StoredBody& b) { return a.body.id < b.body.id; });
  return all;
}

// ---- events -------------------------------------------------------------------------------------

/// New bodies, known to all ranks, become bodies of those that store them.
void SimulationParts::place(const std::vector<NewBody>& bodies) {
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
  // ghosts are in front of the new ones that all ranks have, late ghosts behind them
  const Index before = set.owned, late = set.count() - set.late;
  const auto more = static_cast<Index>(owned.size()), common = static_cast<Index>(elsewhere.size());
  insert(set, owned, elsewhere);
  for (auto* list : {&world_.contacts.body_a, &world_.contacts.body_b})
    for (Index& body : *list)
      if (body >= before) body += body >= late ? more + common : more;
}

/// Bodies whose mark is 0, of any rank, on all ranks.
void SimulationParts::remove(const std::vector<std::uint8_t>& stays, std::int64_t step,
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

void SimulationParts::run_due_events(StepReport& report) {
  EventValues values;
  if (has_conditions(scene_)) {
    std::array<std::int64_t, 2> counts{world_.bodies.owned, contacts_between_steps(world_)};
    std::array<double, 1> speed{largest_speed(world_.bodies)};
    reduce(comm_, {counts, speed});
    values = {counts[0], counts[1], energies_of(world_, comm_).kinetic, speed[0]};
  }
  const EventEffects effects = run_events(scene_, world_, values);
  if (!effects.changed) return;
  changed_ = true;
  remove(effects.stays, world_.step + 1, report.removed);
  place(effects.added);
}

namespace {

/// Formulas where the step will look at them, but for those of streams. All ranks have them all and
/// find the same fault, before one of them alone does.
void check_formulas(const World& world, double h) {
  const double t = world.time, middle = t + 0.5 * h, end = t + h;
  value_at(world.gravity, t);
  for (const GroupForce& force : world.forces)
    if (force.on)
      for (const auto* formulas : {&force.force, &force.torque, &force.acceleration})
        value_at(*formulas, t);
  for (const KinematicMotion& motion : world.motions) {
    // events may have fixed or released the body; one that is led all ranks have
    const Index body = world.bodies.find(motion.body);
    if (body < 0 || world.bodies.motion[body] != Motion::Kinematic) continue;
    for (const double time : {0.0, t, end}) {
      value_at(motion.way, time);
      motion.angle.at(time);
    }
    value_at(motion.velocity, middle);
    motion.rate.at(middle);
  }
  for (const Joint& joint : world.joints)
    for (const Motor* motor : {&joint.angle_motor, &joint.way_motor}) {
      if (!joint.on || !motor->on || motor->type == MotorType::None) continue;
      const bool follows = motor->type == MotorType::Position;
      motor->value.at(follows ? t : middle);
      motor->value.at(follows ? end : middle);
    }
}

}  // namespace

void SimulationParts::begin_step(StepReport& report) {
  const Phase phase("running events");
  share_.drop_late(world_);
  changed_ = touched_;
  touched_ = false;
  // conditions are of values that all ranks have, and so are the motions of what is added
  if (!scene_.events.empty()) alike([&] { run_due_events(report); });
  alike([this] { check_formulas(world_, settings_.h); });
  for (std::size_t g = 0; g < scene_.generators.size(); ++g) {
    const Generator& generator = scene_.generators[g];
    if (generator.kind != Generator::Kind::Stream || !generator.on) continue;
    const std::vector<NewBody> bodies = alike([&] {
      return stream_bodies(generator, world_, settings_.h, world_.next_id, streams_[g],
                           [this](const std::vector<StoredBody>& mine) { return everyones(mine); });
    });
    if (bodies.empty()) continue;
    place(bodies);
    world_.next_id = bodies.back().id + 1;
    report.inserted += static_cast<std::int64_t>(bodies.size());
    changed_ = true;
  }
  set_kinematic_velocities(world_, settings_.h);
}

// What a step sees of its joints before it is solved: how far they are open, and whether loads in
// them are stiffer than the step can follow.

namespace {

std::string words_of(const World& world, const StiffBody& stiff, double h) {
  if (stiff.body == no_body) return "";
  const auto b = static_cast<std::size_t>(stiff.body);
  const char* advice =
      stiff.sways ? "it is not followed, and from 2 on steps are unstable: keep time.step below"
                  : "it is held back, which is stable, and not followed: that takes a time.step "
                    "below";
  return fmt::format(
      "joint '{}' pulls body {} ({}) with {:.3g} N: h sqrt({}) = {:.3g}. How it swings on a load "
      "above {:g} is too fast for the step; {} {:.2g} s",
      world.joints[stiff.joint].name, world.bodies.id[b],
      world.bodies.group[b] >= 0 ? world.groups[world.bodies.group[b]] : "?", stiff.force,
      stiff.sways ? "T / (m l)" : "T l / I", stiff.step_angle, followed_angle, advice,
      h * followed_angle / stiff.step_angle);
}

}  // namespace

std::string warning_of_stiff_start(const World& world, double h, double gravity) {
  const StiffBody stiff = stiffest_at_start(world, h, gravity);
  if (!(stiff.step_angle > followed_angle)) return "";
  return "with three times the weight that hangs on them, " + words_of(world, stiff, h);
}

/// Inertia that the step's problem adds where joints are too stiff for it; the same on all ranks
/// that have the body.
void SimulationParts::find_stiff_bodies(StepReport& report) {
  added_.clear();
  if (world_.joints.empty()) return;
  const double h = settings_.h;
  const StiffBodies& stiff = ahead_.stiff;
  added_ = added_inertia(world_, h, stiff);
  report.step_angle = ahead_.step_angle;
  if (!(ahead_.step_angle > followed_angle)) return;
  if (comm_.size() > 1) {
    added_.resize(world_.bodies.id.size(), Sym3{});
    std::vector<Vec6> numbers(added_.size());
    for (std::size_t b = 0; b < added_.size(); ++b) {
      const Sym3& i = added_[b];
      numbers[b] = {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz};
    }
    share_.share_momenta(world_, numbers);
    for (std::size_t b = 0; b < added_.size(); ++b) {
      const Vec6& n = numbers[b];
      added_[b] = {n[0], n[1], n[2], n[3], n[4], n[5]};
    }
  }
  if (report.solves > 1) return;  // it is told already
  report.warnings.push_back(
      {"stiff", fmt::format("step {}: {}", report.step,
                            text_of_largest(comm_, stiff.stiffest.step_angle,
                                            words_of(world_, stiff.stiffest, h)))});
}

/// Collective where some are.
void SimulationParts::warn_of_open_joints(StepReport& report) const {
  const double worst = std::max(report.joint_gap_share / most_joint_gap,
                                report.largest_joint_angle / most_joint_angle);
  if (!(worst > 1.0)) return;
  const JointGaps& gaps = ahead_.gaps;
  const std::string name = text_of_largest(comm_, gaps.worst, world_.joints[gaps.joint].name);
  report.warnings.push_back(
      {"joint", fmt::format("step {}: joints are open by up to {:.3g} m ({:.3g} % of the smaller "
                            "body) and {:.3g} rad, the worst is '{}': a smaller time.step, a "
                            "smaller tolerance or more iterations are needed",
                            report.step, report.largest_joint_gap, 100.0 * report.joint_gap_share,
                            report.largest_joint_angle, name)});
}

}  // namespace talus
