// What a caller does and asks between steps: docs/library.md.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "assembly/contact_rows.hpp"
#include "assembly/joint_frames.hpp"
#include "core/arithmetic.hpp"
#include "core/key_order.hpp"
#include "model/outer_forces.hpp"
#include "model/row_owners.hpp"
#include "model/scene_checks.hpp"
#include "simulation/contact_forces.hpp"
#include "simulation/energy_sums.hpp"
#include "simulation/events.hpp"
#include "simulation/monitors.hpp"
#include "simulation/said.hpp"
#include "simulation/simulation_parts.hpp"
#include "simulation/start_checks.hpp"
#include "stepping/integrate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace talus {
namespace {

std::string described(const World& world, GlobalId id) {
  const Index body = world.bodies.find(id);
  const Index group = body < 0 ? -1 : world.bodies.group[body];
  return group < 0 ? fmt::format("body {}", id)
                   : fmt::format("body {} ({})", id, world.groups[group]);
}

bool all_finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

std::array<double, 6> numbers_of(const Vec3& a, const Vec3& b) {
  return {a.x, a.y, a.z, b.x, b.y, b.z};
}
std::array<double, 13> numbers_of(const BodyState& s) {
  const Vec3 &x = s.position, &v = s.velocity, &w = s.angular_velocity;
  const Quaternion& q = s.orientation;
  return {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
}

}  // namespace

// ---- what all ranks say -------------------------------------------------------------------------

/// A whole number that a double can hold.
double SimulationParts::seal_of(const std::string& call, std::uint64_t said) {
  return static_cast<double>(mixed_bits(said ^ mixed(call)) >> 12);
}

/// The largest of all ranks of some numbers, where all have said the same. In one message that is
/// as long whatever is called: ranks that call something else must meet in it.
std::array<double, 3> SimulationParts::compared(const std::string& call, double seal,
                                                const std::array<double, 3>& numbers) const {
  std::array<double, 5> most{numbers[0], numbers[1], numbers[2], seal, -seal};
  comm_.largest(most);
  if (most[3] != -most[4])
    throw AgreedInputError(fmt::format(
        "{}: the ranks do not say the same: it is called on all of them, with the same values",
        call));
  return {most[0], most[1], most[2]};
}

/// No rank goes on where the others were called with something else.
void SimulationParts::require_alike(const std::string& call, std::uint64_t said) const {
  compared(call, seal_of(call, said), {});
}

/// How a body moves that some rank owns.
Motion SimulationParts::require_body(const std::string& call, GlobalId body,
                                     std::span<const double> numbers) const {
  require_alike(call, mixed(static_cast<std::uint64_t>(body), numbers));
  constexpr double none = -1.0;
  const Index here = world_.bodies.find(body);
  std::array<double, 1> motion{here < 0 ? none : static_cast<double>(world_.bodies.motion[here])};
  comm_.largest(motion);
  if (motion[0] == none)
    throw AgreedInputError(
        fmt::format("{}: body {} is not there: it has gone, or never was", call, body));
  return static_cast<Motion>(static_cast<int>(motion[0]));
}

void SimulationParts::require_dynamic(const std::string& call, GlobalId body,
                                      std::span<const double> numbers) const {
  const Motion motion = require_body(call, body, numbers);
  InputErrors errors;
  // what is not dynamic is known to all ranks by its name
  if (motion != Motion::Dynamic)
    errors.add(fmt::format("{}: {} is {}: forces and velocities are for dynamic bodies", call,
                           described(world_, body),
                           motion == Motion::Fixed ? "fixed" : "kinematic"));
  if (!all_finite(numbers))
    errors.add(
        fmt::format("{}: body {}: [{}] must be finite", call, body, fmt::join(numbers, ", ")));
  alike([&] { errors.throw_if_any(); });
}

/// The numbers of the one rank to which they belong, on all ranks; zeros where there is none.
std::vector<double> SimulationParts::of_owner(bool mine, std::vector<double> numbers) const {
  std::vector<std::int64_t> bits(numbers.size(), 0);
  if (mine)
    std::transform(numbers.begin(), numbers.end(), bits.begin(),
                   [](double x) { return std::bit_cast<std::int64_t>(x); });
  comm_.sum(bits);
  std::transform(bits.begin(), bits.end(), numbers.begin(),
                 [](std::int64_t x) { return std::bit_cast<double>(x); });
  return numbers;
}

/// Bodies are other ones, or elsewhere: what the last step says of the next one is no longer so.
void SimulationParts::touch() {
  touched_ = true;
  control_.any = false;
}

/// Before callers bring or take energy.
void SimulationParts::start_ledger() {
  const StandardArithmetic arithmetic;
  if (scene_.energy_ledger && !kinetic_) kinetic_ = kinetic_energy(world_, comm_);
}

// ---- forces -------------------------------------------------------------------------------------

void SimulationParts::push(GlobalId body, const Vec3& force, const Vec3& torque) {
  require_dynamic("push", body, numbers_of(force, torque));
  const Index here = world_.bodies.find(body);
  if (here < 0 || !world_.bodies.is_owned(here)) return;
  const auto place = place_of(world_.pushed, body);
  if (place == world_.pushed.end() || place->body != body) {
    world_.pushed.insert(place, {body, force, torque});
    return;
  }
  place->force = place->force + force;
  place->torque = place->torque + torque;
}

void SimulationParts::hold(GlobalId body, const Vec3& force, const Vec3& torque) {
  const auto numbers = numbers_of(force, torque);
  const bool is_nothing =
      std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0.0; });
  // it may be ended of a body that an event has fixed
  if (is_nothing)
    require_body("hold", body, numbers);
  else
    require_dynamic("hold", body, numbers);
  const auto place = place_of(world_.held, body);
  const bool is_there = place != world_.held.end() && place->body == body;
  if (is_there ? numbers_of(place->force, place->torque) == numbers : is_nothing) return;
  control_.any = false;
  if (is_nothing)
    world_.held.erase(place);
  else if (is_there)
    *place = {body, force, torque};
  else
    world_.held.insert(place, {body, force, torque});
}

void SimulationParts::push_owned(std::span<const Vec3> forces, std::span<const Vec3> torques) {
  const BodySet& bodies = world_.bodies;
  const auto owned = static_cast<std::size_t>(bodies.owned);
  InputErrors errors;
  const auto check = [&](std::size_t count, const char* what) {
    if (count != owned)
      errors.add(
          fmt::format("push_owned: {} {} for {} bodies that this rank owns: one of each, in "
                      "the order of world().bodies",
                      count, what, owned));
  };
  check(forces.size(), "forces");
  if (!torques.empty()) check(torques.size(), "torques");
  for (std::size_t b = 0; errors.empty() && b < owned; ++b) {
    const auto numbers = numbers_of(forces[b], torques.empty() ? Vec3{} : torques[b]);
    if (!all_finite(numbers))
      errors.add(fmt::format("push_owned: body {}: [{}] must be finite", bodies.id[b],
                             fmt::join(numbers, ", ")));
  }
  // other ranks do not know of it before the step, in which all throw
  if (comm_.size() == 1) errors.throw_if_any();
  if (!errors.empty()) {
    collect(push_errors_, [&] { errors.throw_if_any(); });
    return;
  }
  const std::vector<OuterForce> before = std::move(world_.pushed);
  std::vector<OuterForce>& pushed = world_.pushed;
  pushed.clear();
  pushed.reserve(owned);
  auto known = before.begin();
  for (std::size_t b = 0; b < owned; ++b) {
    OuterForce outer{bodies.id[b], forces[b], torques.empty() ? Vec3{} : torques[b]};
    if (known != before.end() && known->body == outer.body) {
      outer.force = known->force + outer.force;
      outer.torque = known->torque + outer.torque;
      ++known;
    }
    pushed.push_back(outer);
  }
}

// ---- states -------------------------------------------------------------------------------------

BodyState SimulationParts::state_of(GlobalId body) const {
  require_body("state_of", body);
  const BodySet& bodies = world_.bodies;
  const Index here = bodies.find(body);
  const bool mine = here >= 0 && bodies.is_owned(here);
  std::array<double, 13> numbers{};
  if (mine)
    numbers = numbers_of(BodyState{bodies.position[here], bodies.orientation[here],
                                   bodies.velocity[here], bodies.angular_velocity[here]});
  const std::vector<double> n = of_owner(mine, {numbers.begin(), numbers.end()});
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9]}, {n[10], n[11], n[12]}};
}

namespace {

/// As scenes take it; what was read is written back bit by bit.
Quaternion orientation_of(const Quaternion& q, InputErrors& errors, const std::string& called) {
  constexpr double exact = 1e-14;
  if (std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= exact) return q;
  const std::optional<Quaternion> unit = unit_of(q);
  if (!unit) errors.add(called + ": " + not_unit(q));
  return unit.value_or(q);
}

bool same_pose(const BodySet& bodies, Index body, const BodyState& state) {
  const Vec3 &x = bodies.position[body], &y = state.position;
  const Quaternion &p = bodies.orientation[body], &q = state.orientation;
  return x.x == y.x && x.y == y.y && x.z == y.z && p.w == q.w && p.x == q.x && p.y == q.y &&
         p.z == q.z;
}

}  // namespace

void SimulationParts::set_state(GlobalId body, const BodyState& given) {
  require_dynamic("set_state", body, numbers_of(given));
  const std::string called = fmt::format("set_state: body {}", body);
  InputErrors errors;
  BodyState state = given;
  // a plane is everywhere, and on all ranks
  const Index here = world_.bodies.find(body);
  if (here < 0 || std::isfinite(world_.bodies.reach[here])) {
    const std::string fault = fault_of_place(world_.domain, given.position);
    if (!fault.empty()) errors.add(called + " " + fault);
    state.position = brought_back(world_.domain, given.position);
  }
  const std::string far = fault_of_motion(given.position, given.velocity, given.angular_velocity);
  if (!far.empty()) errors.add(called + ": " + far);
  state.orientation = orientation_of(given.orientation, errors, called);
  alike([&] { errors.throw_if_any(); });
  start_ledger();
  BodySet& bodies = world_.bodies;
  // ranks that know a contact of it need not know the body any more
  const bool moves = here >= 0 && !same_pose(bodies, here, state);
  std::array<double, 1> any{moves ? 1.0 : 0.0};
  comm_.largest(any);
  if (any[0] > 0.0) forget_contacts(world_.contacts, {body});
  if (here >= 0) {
    bodies.position[here] = state.position;
    bodies.orientation[here] = state.orientation;
    bodies.velocity[here] = state.velocity;
    bodies.angular_velocity[here] = state.angular_velocity;
  }
  touch();
}

namespace {

struct NamedContact {
  ContactName name;
  BodyContact contact;
};

}  // namespace

std::vector<BodyContact> SimulationParts::contacts_of(GlobalId body) const {
  require_body("contacts_of", body);
  const ContactSet& set = world_.contacts;
  const double h = settings_.h;
  std::vector<NamedContact> mine;
  for (std::size_t c = 0; c < set.gap.size(); ++c) {
    const ContactName& name = set.name[c];
    const bool is_b = name.b == body;
    if ((name.a != body && !is_b) || !speaks_for(world_.bodies, set.body_a[c], set.body_b[c]))
      continue;
    const double sign = is_b ? 1.0 : -1.0;
    BodyContact one;
    one.other = is_b ? name.a : name.b;
    one.point = is_b ? contact_point_on_b(world_, static_cast<Index>(c)) : set.point[c];
    one.normal = sign * set.normal[c];
    one.gap = set.gap[c];
    one.force = (sign / h) * set.impulse[c];
    if (!set.angular_impulse.empty()) one.torque = (sign / h) * set.angular_impulse[c];
    one.state = talus::state_of(world_, c, h);
    mine.push_back({name, one});
  }
  std::vector<NamedContact> all = of_all_ranks(comm_, mine);
  std::sort(all.begin(), all.end(),
            [](const NamedContact& x, const NamedContact& y) { return x.name < y.name; });
  std::vector<BodyContact> contacts;
  for (const NamedContact& one : all) contacts.push_back(one.contact);
  return contacts;
}

// ---- joints and what is switched ----------------------------------------------------------------

std::size_t SimulationParts::find_joint(const std::string& call, const std::string& joint) const {
  std::vector<std::string> known;
  for (const Joint& one : world_.joints) known.push_back(one.name);
  const auto found = std::find(known.begin(), known.end(), joint);
  if (found == known.end())
    throw AgreedInputError(call + ": " + is_none_of(joint, "joint or spring", known));
  return static_cast<std::size_t>(found - known.begin());
}

JointState SimulationParts::joint_state(const std::string& name) const {
  require_alike("joint_state", mixed(name));
  const Joint& joint = world_.joints[find_joint("joint_state", name)];
  const bool mine = owns(world_, joint);
  std::vector<double> numbers(11, 0.0);
  const std::optional<JointFrames> frames =
      mine ? frames_of(world_, joint) : std::optional<JointFrames>{};
  if (frames) {
    const auto put = [&](std::size_t place, const Measured& measured) {
      numbers[place] = measured.value;
      numbers[place + 1] = rate_of(measured, *frames, world_.bodies);
    };
    const bool is_line = joint.type == JointType::Distance || joint.type == JointType::Spring;
    numbers[0] = joint.on ? 1.0 : 0.0;
    if (turns_about_axis(joint.type)) put(1, turn_about_axis(*frames, joint.angle));
    if (slides_along_axis(joint.type)) put(3, way_along_axis(*frames));
    if (is_line) put(3, distance_of(*frames));
    const auto reaction = numbers_of(joint.reaction_force, joint.reaction_torque);
    std::copy(reaction.begin(), reaction.end(), numbers.begin() + 5);
  }
  const std::vector<double> n = of_owner(mine, numbers);
  return {n[0] == 1.0, n[1], n[2], n[3], n[4], {n[5], n[6], n[7]}, {n[8], n[9], n[10]}};
}

void SimulationParts::set_motor(const std::string& name, double value, std::optional<Freedom> of) {
  const double which = of ? static_cast<double>(*of) : -1.0;
  require_alike("set_motor", mixed(mixed(name), std::array{value, which}));
  Joint& joint = world_.joints[find_joint("set_motor", name)];
  const bool turns = joint.angle_motor.type != MotorType::None,
             slides = joint.way_motor.type != MotorType::None;
  InputErrors errors;
  if (!of && turns && slides)
    errors.add(fmt::format("set_motor: joint '{}' has two motors: say which", name));
  const bool is_angle = of ? *of == Freedom::Angle : turns;
  if (!(is_angle ? turns : slides))
    errors.add(fmt::format("set_motor: joint '{}' has no motor{}", name,
                           !of        ? ""
                           : is_angle ? " about its axis"
                                      : " along its axis"));
  errors.require(std::isfinite(value), fmt::format("set_motor: joint '{}': value", name), value,
                 "must be finite");
  alike([&] { errors.throw_if_any(); });
  (is_angle ? joint.angle_motor : joint.way_motor).value = Expression(value);
}

namespace {

/// Of what switch_named() switches.
std::vector<bool> all_that_is_on(const Scene& scene, const World& world) {
  std::vector<bool> on;
  for (const Joint& joint : world.joints)
    on.insert(on.end(), {joint.on, joint.angle_motor.on, joint.way_motor.on});
  for (const Generator& generator : scene.generators) on.push_back(generator.on);
  for (const GroupForce& force : world.forces) on.push_back(force.on);
  return on;
}

}  // namespace

void SimulationParts::set_on(const std::string& target, bool on) {
  require_alike("set_on", mixed(mixed(target), std::array{on ? 1.0 : 0.0}));
  const std::string fault = fault_of_switch(scene_, world_, target);
  if (!fault.empty()) throw AgreedInputError("set_on: " + fault);
  const std::vector<bool> before = all_that_is_on(scene_, world_);
  switch_named(scene_, world_, target, on);
  if (all_that_is_on(scene_, world_) != before) control_.any = false;
}

}  // namespace talus
