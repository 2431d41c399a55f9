#include "stepping/schemes.hpp"

#include "talus/cones/cone_set.hpp"

#include "assembly/carried_points.hpp"
#include "assembly/contact_rows.hpp"
#include "assembly/contact_velocities.hpp"
#include "core/arithmetic.hpp"
#include "core/in_parallel.hpp"
#include "model/body_traits.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace talus {
namespace {

/// What SPOOK makes of a row with error g and rate v, of compliance eps and damping time tau:
/// w = G v + eps~ gamma + bias with eps~ = 4 eps / (h^2 (1 + 4 tau / h)) and
/// bias = (4 g / h - v) / (1 + 4 tau / h). [Lacoursiere13, eq. 21 with d read as h]
struct SpookRow {
  double compliance = 0.0, bias = 0.0;
};
SpookRow spook_row(double g, double v, double eps, double tau, double h) {
  const double a = 1.0 / (1.0 + 4.0 * tau / h);
  return {4.0 * eps * a / (h * h), a * (4.0 * g / h - v)};
}

/// What of a gap or overlap is beyond what counts as touching.
double beyond(double gap, double touching) {
  if (gap > touching) return gap - touching;
  return gap < -touching ? gap + touching : 0.0;
}

/// Newton's law for bodies that still have a gap, which the bounce leaves open: gravity, pulling
/// them together with `pull` (m/s2), would have made the impact harder and slowed the way back to
/// this gap. Without it the next bounce is higher by (1 - e^2) of the gap.
double rebound(double restitution, double approach, double gap, double pull) {
  const double e2 = restitution * restitution;
  const double taken = 2.0 * (1.0 - e2) * std::max(pull, 0.0) * std::max(gap, 0.0);
  return std::sqrt(std::max(e2 * approach * approach - taken, 0.0));
}

/// Overlaps of a body of this size with larger ones are pushed apart no faster.
double recovery_speed(const StepSettings& s, double size) {
  if (s.recovery_size == 0.0) return s.recovery_speed;
  if (size == infinity) return infinity;  // planes: the other one is smaller
  return s.recovery_speed * std::sqrt(size / s.recovery_size);
}

/// What contacts ask of their bodies, found once for each.
struct Partner {
  double recovery = 0.0;  ///< m/s: recovery_speed() of its size
  bool falls = false;     ///< gravity moves it
  bool has_arcs = false;  ///< its points go along arcs, and its surface with them
};
std::vector<Partner> partners_of(const World& world, const StepSettings& settings) {
  const BodySet& bodies = world.bodies;
  std::vector<Partner> partners(bodies.id.size());
  in_parallel(partners.size(), [&](std::size_t b) {
    const Shape& shape = world.shapes[bodies.shape[b]];
    const Vec3& w = bodies.angular_velocity[b];
    partners[b] = {recovery_speed(settings, size_of_body(world, b)),
                   bodies.motion[b] == Motion::Dynamic,
                   dot(w, w) != 0.0 && !std::holds_alternative<Sphere>(shape)};
  });
  return partners;
}

/// m/s2: how gravity, `g` along the normal, pulls the bodies of a contact together.
double pull_of(const Partner& a, const Partner& b, double g) {
  return (a.falls ? g : 0.0) - (b.falls ? g : 0.0);
}

/// One contact as its normal row sees it.
struct Touch {
  double gap = 0.0;        ///< m
  double approach = 0.0;   ///< m/s: its present gap velocity
  double lightness = 0.0;  ///< 1/kg: gap velocity per normal impulse; of compliant contacts alone
  double recovery = 0.0;   ///< m/s: what overlaps is pushed apart no faster
  double pull = 0.0;       ///< m/s2: how gravity pulls the bodies together
};

double damping_time(const StepSettings& s, const PairProperties& pair) {
  return pair.damping_time > 0.0 ? pair.damping_time : s.damping_time;
}

/// Of a contact with compliance, in either scheme: it is a spring with a damper, which presses as
/// far as there is an overlap. An open gap has SPOOK's row too, whose force begins where the spring
/// does; of what is left of the gap a damper would know too early.
SpookRow compliant_row(const StepSettings& s, const PairProperties& pair, const Touch& touch) {
  // Entry and exit fall between steps: of the energy of the impact they give and take up to
  // (h w)^2 / 4, w the frequency of the contact alone. A damper of this time takes more than that,
  // and of an impact that is over within a step nothing is left.
  constexpr double share = 0.125, most = 4.0;
  const double turn = s.h * std::sqrt(touch.lightness / pair.compliance);
  const double tau = std::max(damping_time(s, pair), s.h * std::min(share * turn, most));
  SpookRow row = spook_row(touch.gap, touch.approach, pair.compliance, tau, s.h);
  if (touch.gap > 0.0) row.bias = std::max(row.bias, touch.gap / s.h);
  return row;
}

/// Bias of a contact without compliance.
double rigid_bias(const StepSettings& s, const PairProperties& pair, double gap,
                  const Touch& touch) {
  // the gap may be closed, in both schemes; one division for gaps of both signs, which take turns
  const bool is_open = gap > 0.0;
  const double speed = (is_open ? gap : s.stabilisation * gap) / s.h;
  if (s.scheme == Scheme::AnitescuTasora)
    return std::max(speed, is_open ? -infinity : -touch.recovery);
  if (is_open) return speed;
  const SpookRow row = spook_row(gap, touch.approach, 0.0, damping_time(s, pair), s.h);
  // of an impact SPOOK's rows would let a share pass through
  return std::max(std::min(row.bias, 0.0), -touch.recovery);
}

struct NormalRow : SpookRow {
  double bounce = 0.0;  ///< m/s, <= 0: what of the bias is restitution
};

NormalRow normal_row(const StepSettings& s, const PairProperties& pair, const Touch& touch) {
  const double gap = beyond(touch.gap, s.touching);
  const bool arrives = gap + s.h * touch.approach < 0.0;
  const SpookRow row = pair.compliance > 0.0 ? compliant_row(s, pair, touch)
                                             : SpookRow{0.0, rigid_bias(s, pair, gap, touch)};
  if (touch.approach < -s.bounce_speed && arrives && pair.restitution > 0.0) {
    // what a spring has stored comes back when the impact is over, not as a velocity
    const bool is_rigid = pair.compliance == 0.0;
    const double plastic = std::min(0.0, is_rigid && gap <= 0.0 ? row.bias : 0.0);
    const double bias =
        std::min(-rebound(pair.restitution, touch.approach, gap, touch.pull), plastic);
    return {{0.0, bias}, bias - plastic};
  }
  return {row, 0.0};
}

/// Gap velocity that a normal impulse of 1 N s makes at a contact.
double lightness_of(const BodyProblem& problem, std::size_t c) {
  const Vec3& n = problem.normal[c];
  const auto of_body = [&](Index body, const Vec3& point) {
    const auto b = static_cast<std::size_t>(body);
    const Vec3 turn = cross(point - problem.centre[b], n);
    return problem.inverse_mass[b] + dot(turn, problem.inverse_inertia[b] * turn);
  };
  return of_body(problem.contact_body_a[c], problem.point[c]) +
         of_body(problem.contact_body_b[c], problem.point_on_b(static_cast<Index>(c)));
}

/// What points that stick go along arcs, in the tangent plane; nothing of bodies that hit each
/// other or slide. What sticks has, at the begin of a step, no more velocity than the step before
/// has left it so. An impact must not be told of more: friction would drive, and make energy.
/// `velocity`: that of the contact.
Vec3 carried_of(const World& world, const StepSettings& settings, std::size_t c,
                const Vec3& velocity) {
  const Vec3 carried = carried_velocity(world, static_cast<Index>(c), settings.h);
  if (carried.x == 0.0 && carried.y == 0.0 && carried.z == 0.0) return {};
  constexpr double reserve = 2.0;
  const double most = reserve * length(carried) + settings.bounce_speed;
  return length(velocity) <= most ? carried : Vec3{};
}

/// Some body turns as it is told to, and contacts resist rolling.
bool is_turned(const World& world) {
  const BodySet& bodies = world.bodies;
  if (!world.materials.can_roll()) return false;
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    if (bodies.motion[b] == Motion::Kinematic && length(bodies.angular_velocity[b]) > 0.0)
      return true;
  return false;
}

}  // namespace

NormalRows contact_biases(const World& world, const StepSettings& settings, BodyProblem& problem) {
  const ContactSet& contacts = world.contacts;
  const std::size_t count = contacts.gap.size();
  const bool turned = is_turned(world);
  const Vec3 gravity = value_at(world.gravity, world.time);
  const ContactVelocities velocities = contact_velocities(world, problem.point_b);
  const std::vector<Partner> partners = partners_of(world, settings);
  const double of_none = recovery_speed(settings, 0.0);  // what touches without an overlap
  problem.turning_bias.assign(turned ? count : 0, Vec3{});
  NormalRows rows{std::vector<double>(count, 0.0), std::vector<double>(count, 0.0)};
  in_parallel(count, [&](std::size_t c) {
    const PairProperties& pair = pair_of(world, c);
    const Partner &a = partners[contacts.body_a[c]], &b = partners[contacts.body_b[c]];
    const Vec3& n = contacts.normal[c];
    const Vec3 velocity = ContactVelocities::at(velocities.all, c);
    Touch touch{contacts.gap[c], dot(n, velocity)};
    touch.pull = pull_of(a, b, dot(gravity, n));
    if (pair.compliance > 0.0) touch.lightness = lightness_of(problem, c);
    touch.recovery = touch.gap < 0.0 ? std::min(a.recovery, b.recovery) : of_none;
    const NormalRow row = normal_row(settings, pair, touch);
    problem.normal_compliance[c] = row.compliance;
    rows.bias[c] = row.bias;
    rows.bounce[c] = row.bounce;
    problem.contact_bias[c].x = row.bias;
    const bool has_arcs = a.has_arcs || b.has_arcs;
    if (velocities.prescribed.empty() && !has_arcs) return;
    // Bodies that nothing pushes have velocity 0 in the problem: what they do is said here.
    const Vec3 prescribed =
        velocities.prescribed.empty() ? Vec3{} : ContactVelocities::at(velocities.prescribed, c);
    const Vec3 carried = has_arcs ? carried_of(world, settings, c, velocity) : Vec3{};
    const Vec3 along = prescribed + carried;
    const Vec3& t1 = problem.tangent[c];
    const Vec3 t2 = cross(n, t1);
    problem.contact_bias[c] = {row.bias + dot(n, prescribed), dot(t1, along), dot(t2, along)};
    if (!turned) return;
    const Vec3 turning = prescribed_turning(world, static_cast<Index>(c));
    problem.turning_bias[c] = {dot(n, turning), dot(t1, turning), dot(t2, turning)};
  });
  return rows;
}

namespace {

/// Bias and compliance of a joint's row.
SpookRow scheme_row(const World& world, const StepSettings& s, const JointRow& row) {
  if (row.kind == JointRow::Kind::Velocity) return {row.compliance, -row.target};
  if (row.kind == JointRow::Kind::AtLeast && row.error > 0.0) return {0.0, row.error / s.h};
  // A motor's error looks ahead to the end of the step; what is wrong already is this.
  const double error = row.error + s.h * row.target;
  if (s.scheme == Scheme::AnitescuTasora && row.compliance == 0.0)
    return {0.0, s.stabilisation * error / s.h - row.target};
  const double tau = row.damping_time >= 0.0 ? row.damping_time : s.damping_time;
  SpookRow spook =
      spook_row(error, row_velocity(world, row) - row.target, row.compliance, tau, s.h);
  spook.bias -= row.target;
  if (row.kind == JointRow::Kind::AtLeast) spook.bias = std::min(spook.bias, 0.0);
  return spook;
}

}  // namespace

void append_joint_rows(const World& world, const StepSettings& settings,
                       const std::vector<JointRow>& rows, BodyProblem& problem,
                       const std::vector<Sym3>& added) {
  const auto is_stiff = [&](Index body) {
    if (body == no_body || added.empty()) return false;
    const Sym3& more = added[body];
    return more.xx + more.yy + more.zz > 0.0;
  };
  for (const JointRow& row : rows) {
    // links that the step cannot follow swing to and fro: their velocity tells nothing of the step
    const double carried = is_stiff(row.body_a) || is_stiff(row.body_b) ? 0.0 : row.carried;
    const SpookRow wanted = scheme_row(world, settings, row);
    const Index j =
        problem.add_joint_row(row.body_a, row.body_b, row.block_a, row.block_b,
                              wanted.bias + carried + prescribed_row_velocity(world, row));
    const auto i = static_cast<std::size_t>(j);
    problem.joint_key[i] = key_of(row);
    problem.joint_compliance[i] = wanted.compliance;
    const double most = row.largest_force < infinity ? settings.h * row.largest_force : infinity;
    problem.joint_upper[i] = most;
    problem.joint_lower[i] = row.kind == JointRow::Kind::AtLeast ? 0.0 : -most;
  }
}

}  // namespace talus
