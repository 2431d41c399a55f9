#include "metrics/cone_terms.hpp"

#include "talus/parallel/exact_sum.hpp"

#include "parallel/lane_totals.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

ContactState with_cone(const ConeSet& cones, Index slot, const Vec3& impulse, const Vec3& gap) {
  const auto s = static_cast<std::size_t>(slot);
  return {impulse, gap, cones.friction[s], cones.cosine[s], cones.sine[s], slot};
}

}  // namespace

ContactState planar_state(const Iterate& iterate, Index c) {
  const ConeSet& cones = iterate.problem.cones;
  const auto n = static_cast<std::size_t>(cones.planar_row(c, 0));
  const auto t = static_cast<std::size_t>(cones.planar_row(c, 1));
  return with_cone(cones, cones.planar_slot(c), {iterate.impulses[n], iterate.impulses[t], 0.0},
                   {iterate.gap[n], iterate.gap[t], 0.0});
}

ContactState spatial_state(const Iterate& iterate, Index c) {
  const ConeSet& cones = iterate.problem.cones;
  return with_cone(cones, cones.spatial_slot(c),
                   to_contact_frame(cones, c, spatial_value(cones, iterate.impulses, c)),
                   to_contact_frame(cones, c, spatial_value(cones, iterate.gap, c)));
}

double length(double a, double b) {
  if (a == 0.0) return std::abs(b);
  const double largest_part = std::max(std::abs(a), std::abs(b));
  if (std::isinf(largest_part)) return largest_part;
  const double a_part = a / largest_part, b_part = b / largest_part;
  return largest_part * std::sqrt(a_part * a_part + b_part * b_part);
}

double length(const Vec3& a) {
  return length(a.x, length(a.y, a.z));
}

Vec3 law_gap(Law law, const ContactState& contact) {
  if (law != Law::Coulomb || std::isinf(contact.friction)) return contact.gap;
  const double slip = length(contact.gap.y, contact.gap.z);
  return {contact.gap.x + contact.friction * slip, contact.gap.y, contact.gap.z};
}

double box_bound(const ContactState& contact) {
  return contact.impulse.x > 0.0 ? contact.friction * contact.impulse.x : 0.0;
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

double largest(const Communicator& comm, std::span<const double> terms) {
  LocalSums maximum(1);
  for (const double term : terms) {
    if (std::isfinite(term))
      maximum.note_largest(0, term);
    else
      maximum.note_not_finite();
  }
  comm.reduce(maximum);
  return maximum.finite() ? maximum.largest(0) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace talus
