#include "metrics/cone_terms.hpp"

#include "talus/parallel/exact_sum.hpp"

#include "parallel/lane_totals.hpp"
#include "parallel/sum_kernels.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

ConeState with_cone(const ConeSet& cones, Index slot, const Vec3& impulse, const Vec3& gap) {
  const auto s = static_cast<std::size_t>(slot);
  ConeState state;
  state.impulse = impulse;
  state.gap = gap;
  state.friction = cones.friction[s];
  state.cosine = cones.cosine[s];
  state.sine = cones.sine[s];
  state.slot = slot;
  return state;
}

double times_finite(double coefficient, double speed) {
  return std::isinf(coefficient) ? 0.0 : coefficient * speed;
}

}  // namespace

ConeState planar_state(const Iterate& iterate, Index c) {
  const ConeSet& cones = iterate.problem.cones;
  const auto n = static_cast<std::size_t>(cones.planar_row(c, 0));
  const auto t = static_cast<std::size_t>(cones.planar_row(c, 1));
  return with_cone(cones, cones.planar_slot(c), {iterate.impulses[n], iterate.impulses[t], 0.0},
                   {iterate.gap[n], iterate.gap[t], 0.0});
}

ConeState spatial_state(const Iterate& iterate, Index c) {
  const ConeSet& cones = iterate.problem.cones;
  return with_cone(cones, cones.spatial_slot(c),
                   to_contact_frame(cones, c, spatial_value(cones, iterate.impulses, c)),
                   to_contact_frame(cones, c, spatial_value(cones, iterate.gap, c)));
}

ConeState rolling_state(const Iterate& iterate, Index c) {
  const ConeSet& cones = iterate.problem.cones;
  const auto impulse =
      rolling_to_contact_frame(cones, c, rolling_value(cones, iterate.impulses, c));
  const auto gap = rolling_to_contact_frame(cones, c, rolling_value(cones, iterate.gap, c));
  ConeState state = with_cone(cones, cones.rolling_slot(c), impulse.linear, gap.linear);
  const RollingFriction friction = cones.rolling_friction_of(c);
  state.rolls = true;
  state.torque = impulse.angular;
  state.turn = gap.angular;
  state.rolling = friction.rolling;
  state.spinning = friction.spinning;
  return state;
}

Vec3 law_gap(Law law, const ConeState& contact) {
  if (law != Law::Coulomb) return contact.gap;
  const double added = de_saxce_term(contact.rolling_friction(), {contact.gap, contact.turn});
  return {contact.gap.x + added, contact.gap.y, contact.gap.z};
}

double de_saxce_term(const RollingFriction& friction, const SixRows& gap) {
  const Vec3 &w = gap.linear, &turn = gap.angular;
  return times_finite(friction.sliding, length(w.y, w.z)) +
         times_finite(friction.rolling, length(turn.y, turn.z)) +
         times_finite(friction.spinning, std::abs(turn.x));
}

double box_bound(const ConeState& contact) {
  return contact.impulse.x > 0.0 ? contact.friction * contact.impulse.x : 0.0;
}

Vec3 box_torque_bounds(const ConeState& contact) {
  if (!(contact.impulse.x > 0.0)) return {};  // no infinity times zero
  const double rolling = contact.rolling * contact.impulse.x;
  return {contact.spinning * contact.impulse.x, rolling, rolling};
}

std::vector<double> totals(const Communicator& comm,
                           std::initializer_list<std::span<const double>> lists) {
  FusedSums sums(static_cast<int>(lists.size()));
  const auto reduced = sums.reduce(comm, [&](const double* scales, LocalSums& local) {
    int k = 0;
    for (const std::span<const double> terms : lists) {
      add_exact_terms(terms, k, scales[k], local);
      ++k;
    }
  });
  std::vector<double> result(lists.size(), std::numeric_limits<double>::quiet_NaN());
  if (sums.finite()) std::copy_n(reduced.begin(), result.size(), result.begin());
  return result;
}

double total(const Communicator& comm, std::span<const double> terms) {
  return totals(comm, {terms}).front();
}

std::vector<double> largest(const Communicator& comm,
                            std::initializer_list<std::span<const double>> lists) {
  LocalSums maxima(static_cast<int>(lists.size()));
  int k = 0;
  for (const std::span<const double> terms : lists) {
    const std::size_t at_once = LimbSum::most_terms;
    for (std::size_t at = 0; at < terms.size(); at += at_once) {
      const std::span<const double> some = terms.subspan(at, std::min(at_once, terms.size() - at));
      double most = 0.0;
      if (!sum_kernels().largest_term(some.data(), static_cast<long>(some.size()), &most))
        maxima.note_not_finite();
      maxima.note_largest(k, most);
    }
    ++k;
  }
  comm.reduce(maxima);
  std::vector<double> result(lists.size(), std::numeric_limits<double>::quiet_NaN());
  for (int list = 0; maxima.finite() && list < k; ++list) result[list] = maxima.largest(list);
  return result;
}

double largest(const Communicator& comm, std::span<const double> terms) {
  return largest(comm, std::initializer_list<std::span<const double>>{terms})[0];
}

}  // namespace talus
