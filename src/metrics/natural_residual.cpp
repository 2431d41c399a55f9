// The natural map x - P(x - w / g): zero in every cone exactly at a solution, for any g > 0
// [Pang97]. With g_c the mean diagonal of the cone, w / g is the impulse that would stop w alone,
// so that g_c |.|^2 is an energy.

#include "cones/projection.hpp"
#include "core/arithmetic.hpp"
#include "core/of_level.hpp"
#include "metrics/defect_kernels.hpp"
#include "metrics/definitions.hpp"
#include "problem/linear_operator.hpp"

#include <algorithm>

namespace talus {
namespace {

/// x - clip(x - step) written so that a small step is not lost beside a large x.
double row_defect(double x, double step, double lower, double upper) {
  return std::clamp(step, x - upper, x - lower);
}

Vec3 box_defect(const ConeState& contact, const Vec3& step) {
  const Vec3& x = contact.impulse;
  const double bound = box_bound(contact);
  return {row_defect(x.x, step.x, 0.0, infinity), row_defect(x.y, step.y, -bound, bound),
          row_defect(x.z, step.z, -bound, bound)};
}

Vec3 cone_defect(const ConeState& contact, const Vec3& step) {
  const Vec3 moved = contact.impulse - step;
  const Vec3 nearest = project_spatial(moved, {1.0, 0.0, 0.0}, contact.cosine, contact.sine);
  const bool inside = nearest.x == moved.x && nearest.y == moved.y && nearest.z == moved.z;
  // inside, x - P(x - step) is the step; the difference would lose the digits that x is larger by
  return inside ? step : contact.impulse - nearest;
}

/// x - P(x - step) of rows of which some may have stayed where they were: then it is the step.
Vec3 difference(const Vec3& x, const Vec3& moved, const Vec3& nearest, const Vec3& step) {
  return {nearest.x == moved.x ? step.x : x.x - nearest.x,
          nearest.y == moved.y ? step.y : x.y - nearest.y,
          nearest.z == moved.z ? step.z : x.z - nearest.z};
}

double rolling_defect(const ConeState& contact, const Vec3& step, const Vec3& turn) {
  const SixRows moved{contact.impulse - step, contact.torque - turn};
  const SixRows nearest = project_rolling(moved, {1.0, 0.0, 0.0}, contact.rolling_friction());
  return length(safe_length(difference(contact.impulse, moved.linear, nearest.linear, step)),
                safe_length(difference(contact.torque, moved.angular, nearest.angular, turn)));
}

Vec3 box_torque_defect(const ConeState& contact, const Vec3& turn) {
  const Vec3 &m = contact.torque, bound = box_torque_bounds(contact);
  return {row_defect(m.x, turn.x, -bound.x, bound.x), row_defect(m.y, turn.y, -bound.y, bound.y),
          row_defect(m.z, turn.z, -bound.z, bound.z)};
}

/// Those of the spatial cones of one part, in whole tiles: nothing is left in lanes without a cone.
void add_spatial_defects(const Iterate& iterate, std::span<const double> scale, RowPart part,
                         std::vector<double>& defects) {
  const ConeSet& cones = iterate.problem.cones;
  const DefectPass pass{view_of(cones, part), iterate.impulses.data(), iterate.gap.data(),
                        scale.data(),         defects.data(),          iterate.law == Law::Coulomb};
  const Index tiles = pass.cones.spatial_tiles;
  constexpr Index piece = 64;  // tiles: enough for a thread to be worth its waking
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(pass, tiles) if (tiles > 2 * piece)
  for (Index begin = 0; begin < tiles; begin += piece)
    spatial_defects()(pass, begin, std::min(tiles, begin + piece));
  const Index count = part == RowPart::Owned ? cones.spatial_count : cones.mirrors.spatial;
  std::fill_n(defects.begin() + pass.cones.spatial_first_slot + count, padded(count) - count, 0.0);
}

std::vector<double> defects_of(const Iterate& iterate, std::span<const double> scale, Cones which) {
  const ConeSet& cones = iterate.problem.cones;
  // bounds of a box move with x: cone by cone
  const bool in_tiles = iterate.law != Law::Box;
  const auto of_row = [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    return std::abs(
        row_defect(iterate.impulses[k], iterate.gap[k] / scale[k], cones.lower[k], cones.upper[k]));
  };
  const auto of_contact = [&](const ConeState& contact) {
    return contact_defect(iterate.law, contact, scale[contact.slot]);
  };
  std::vector<double> terms =
      cone_terms(iterate, of_row, of_contact, which, in_tiles ? Spatial::LeftOut : Spatial::Too);
  if (!in_tiles) return terms;
  add_spatial_defects(iterate, scale, RowPart::Owned, terms);
  if (which == Cones::Stored) add_spatial_defects(iterate, scale, RowPart::Mirrored, terms);
  return terms;
}

/// g_c |x_c - P(x_c - w_c / g_c)|, m/s.
std::vector<double> velocity_defects(const Iterate& iterate, Cones which) {
  const RowVector& scale = iterate.problem.scale;
  std::vector<double> velocities = defects_of(iterate, scale, which);
  for (std::size_t slot = 0; slot < velocities.size(); ++slot) velocities[slot] *= scale[slot];
  return velocities;
}

double root_mean_square(const Iterate& iterate, std::vector<double> velocities) {
  for (double& velocity : velocities) velocity *= velocity;
  const double cone_count = iterate.problem.cones.cone_count();
  const std::vector<double> sums = totals(iterate.comm, {velocities, {&cone_count, 1}});
  return sums[1] == 0.0 ? 0.0 : std::sqrt(sums[0] / sums[1]);
}

/// Mean squares of the velocity defects over neighbourhoods. Collective.
std::vector<double> local_mean_squares(const Iterate& iterate, std::vector<double> velocities) {
  for (double& velocity : velocities) velocity *= velocity;
  return iterate.problem.delassus->neighbourhood_means(velocities);
}

/// Sets the terms of mirrors to 0.
void leave_out_mirrors(const ConeSet& cones, std::vector<double>& terms) {
  const auto clear = [&](Index first_slot, Index owned, Index mirrors) {
    std::fill_n(terms.begin() + first_slot + padded(owned), mirrors, 0.0);
  };
  clear(0, cones.scalar_count, cones.mirrors.scalar);
  clear(cones.planar_first_slot(), cones.planar_count, cones.mirrors.planar);
  clear(cones.spatial_first_slot(), cones.spatial_count, cones.mirrors.spatial);
  clear(cones.rolling_first_slot(), cones.rolling_count, cones.mirrors.rolling);
}

}  // namespace

namespace baseline {
extern SpatialDefects spatial_defects;
}
namespace v3 {
extern SpatialDefects spatial_defects;
}
namespace v4 {
extern SpatialDefects spatial_defects;
}

SpatialDefects& spatial_defects() {
  return of_level(baseline::spatial_defects, v3::spatial_defects, v4::spatial_defects);
}

double contact_defect(Law law, const ConeState& contact, double scale) {
  const Vec3 w = law_gap(law, contact);
  const Vec3 step{w.x / scale, w.y / scale, w.z / scale};
  if (contact.rolls) {
    const Vec3& t = contact.turn;
    const Vec3 turn{t.x / scale, t.y / scale, t.z / scale};
    return law == Law::Box ? length(safe_length(box_defect(contact, step)),
                                    safe_length(box_torque_defect(contact, turn)))
                           : rolling_defect(contact, step, turn);
  }
  return safe_length(law == Law::Box ? box_defect(contact, step) : cone_defect(contact, step));
}

std::vector<double> defects(const Iterate& iterate, std::span<const double> scale) {
  return defects_of(iterate, scale, Cones::Owned);
}

double natural_residual(const Iterate& iterate) {
  const RowVector& scale = iterate.problem.scale;
  std::vector<double> terms = defects(iterate, scale);
  for (std::size_t slot = 0; slot < terms.size(); ++slot) terms[slot] *= scale[slot] * terms[slot];
  return std::sqrt(total(iterate.comm, terms));
}

void evaluate_velocities(const ConeProblem& problem, Law law, const RowVector& x,
                         const RowVector& gap, const Communicator& comm, ErrorReport& report) {
  const StandardArithmetic arithmetic;
  const Iterate iterate{problem, law, x, gap, comm};
  std::vector<double> impulses = defects_of(iterate, problem.scale, Cones::Stored);
  std::vector<double> velocities(impulses.size());
  for (std::size_t slot = 0; slot < impulses.size(); ++slot)
    velocities[slot] = problem.scale[slot] * impulses[slot];
  const std::vector<double> local = local_mean_squares(iterate, velocities);
  leave_out_mirrors(problem.cones, velocities);
  leave_out_mirrors(problem.cones, impulses);
  const std::vector<double> most = largest(comm, {velocities, impulses, local});
  report.natural_velocity_max = most[0];
  report.natural_impulse_max = most[1];
  report.natural_local = std::sqrt(most[2]);
  for (std::vector<double>* terms : {&velocities, &impulses})
    for (double& term : *terms) term *= term;
  const double cone_count = problem.cones.cone_count();
  const std::vector<double> sums = totals(comm, {velocities, impulses, {&cone_count, 1}});
  const auto mean = [&](double sum) { return sums[2] == 0.0 ? 0.0 : std::sqrt(sum / sums[2]); };
  report.natural_velocity = mean(sums[0]);
  report.natural_impulse = mean(sums[1]);
}

double natural_velocity(const Iterate& iterate) {
  return root_mean_square(iterate, velocity_defects(iterate, Cones::Owned));
}

double natural_local(const Iterate& iterate) {
  return std::sqrt(
      largest(iterate.comm, local_mean_squares(iterate, velocity_defects(iterate, Cones::Stored))));
}

double natural_tau(const Iterate& iterate) {
  const double scale = iterate.problem.mean_diagonal;  // 1 / tau
  const auto slots = static_cast<std::size_t>(iterate.problem.cones.slots());
  std::vector<double> squares = defects(iterate, std::vector<double>(slots, scale));
  for (double& length : squares) length *= length;
  return scale * std::sqrt(total(iterate.comm, squares));
}

}  // namespace talus
