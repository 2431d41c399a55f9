#include "talus/stepping/schemes.hpp"

#include "talus/assembly/contact_rows.hpp"
#include "talus/cones/cone_set.hpp"

#include <algorithm>

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

/// The normal row of one contact; `approach` is its present gap velocity.
SpookRow normal_row(const StepSettings& s, const PairProperties& pair, double true_gap,
                    double approach) {
  const double gap = beyond(true_gap, s.touching);
  const bool arrives = gap + s.h * approach < 0.0;
  SpookRow row;
  if (gap > 0.0) {
    row.bias = gap / s.h;  // the gap may be closed, in both schemes
  } else if (s.scheme == Scheme::Spook) {
    const double tau = pair.damping_time > 0.0 ? pair.damping_time : s.damping_time;
    row = spook_row(gap, approach, pair.compliance, tau, s.h);
    // of an impact SPOOK's rows would let a share pass through
    row.bias = std::min(row.bias, 0.0);
    // with compliance the bias is the elastic force: whatever carries the load
    if (pair.compliance == 0.0) row.bias = std::max(row.bias, -s.recovery_speed);
  } else {
    row.bias = std::max(s.stabilisation * gap / s.h, -s.recovery_speed);
  }
  if (pair.restitution > 0.0 && arrives && approach < -s.bounce_speed)
    return {0.0, std::min(pair.restitution * approach, gap > 0.0 ? 0.0 : row.bias)};
  return row;
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

void contact_biases(const World& world, const StepSettings& settings, BodyProblem& problem) {
  const ContactSet& contacts = world.contacts;
  const BodySet& bodies = world.bodies;
  const std::size_t count = contacts.gap.size();
  const bool turned = is_turned(world);
  problem.turning_bias.assign(turned ? count : 0, Vec3{});
#pragma omp parallel for schedule(static) if (count > 1000) default(none) \
    shared(count, contacts, bodies, world, settings, problem, turned)
  for (std::size_t c = 0; c < count; ++c) {
    const PairProperties& pair =
        world.materials.pair(bodies.material[static_cast<std::size_t>(contacts.body_a[c])],
                             bodies.material[static_cast<std::size_t>(contacts.body_b[c])]);
    const Vec3& n = contacts.normal[c];
    const Vec3& t1 = problem.tangent[c];
    const Vec3 t2 = cross(n, t1);
    const double approach = dot(n, contact_velocity(world, static_cast<Index>(c)));
    const SpookRow row = normal_row(settings, pair, contacts.gap[c], approach);
    // Bodies that nothing pushes have velocity 0 in the problem: what they do is said here.
    const Vec3 prescribed = prescribed_contact_velocity(world, static_cast<Index>(c));
    problem.contact_bias[c] = {row.bias + dot(n, prescribed), dot(t1, prescribed),
                               dot(t2, prescribed)};
    problem.normal_compliance[c] = row.compliance;
    if (!turned) continue;
    const Vec3 turning = prescribed_turning(world, static_cast<Index>(c));
    problem.turning_bias[c] = {dot(n, turning), dot(t1, turning), dot(t2, turning)};
  }
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
                       const std::vector<JointRow>& rows, BodyProblem& problem) {
  for (const JointRow& row : rows) {
    const SpookRow wanted = scheme_row(world, settings, row);
    const Index j = problem.add_joint_row(row.body_a, row.body_b, row.block_a, row.block_b,
                                          wanted.bias + prescribed_row_velocity(world, row));
    const auto i = static_cast<std::size_t>(j);
    problem.joint_key[i] = key_of(row);
    problem.joint_compliance[i] = wanted.compliance;
    const double most = row.largest_force < infinity ? settings.h * row.largest_force : infinity;
    problem.joint_upper[i] = most;
    problem.joint_lower[i] = row.kind == JointRow::Kind::AtLeast ? 0.0 : -most;
  }
}

}  // namespace talus
