#pragma once
// What all measures share: the cones of a problem one by one, each friction cone in its contact
// frame, and sums over cones that do not depend on their order.

#include "talus/metrics/measures.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>

namespace talus {

/// What is judged: impulses with their gap velocity, under one law.
struct Iterate {
  const ConeProblem& problem;
  Law law;
  const RowVector& impulses;  ///< x, N s
  const RowVector& gap;       ///< w = N x + r, m/s
  const Communicator& comm;
};

/// One friction cone in its contact frame: x, y, z of the vectors are n, t1, t2. A planar cone has
/// t2 = 0, so that no measure has to tell the two apart. Rolling cones have torques too.
struct ConeState {
  Vec3 impulse, gap;
  double friction = 0.0, cosine = 1.0, sine = 0.0;
  Index slot = 0;
  bool rolls = false;
  Vec3 torque, turn;  ///< (s, r1, r2): torque impulse / length, N s; angular gap velocity * length
  double rolling = 0.0, spinning = 0.0;  ///< mu_r / length, mu_s / length

  RollingFriction rolling_friction() const { return {friction, rolling, spinning}; }
};

ConeState planar_state(const Iterate& iterate, Index c);
ConeState spatial_state(const Iterate& iterate, Index c);
ConeState rolling_state(const Iterate& iterate, Index c);

/// (a^2 + b^2)^1/2 for all of 1e-300 to 1e300. Not std::hypot, whose bits differ between C
/// libraries.
inline double length(double a, double b) {
  if (a == 0.0) return std::abs(b);
  const double largest_part = std::max(std::abs(a), std::abs(b));
  if (std::isinf(largest_part)) return largest_part;
  const double a_part = a / largest_part, b_part = b / largest_part;
  return largest_part * std::sqrt(a_part * a_part + b_part * b_part);
}
/// Not core's length(), whose squares overflow and vanish earlier.
inline double safe_length(const Vec3& a) {
  return length(a.x, length(a.y, a.z));
}

/// What the Coulomb law adds to w_N (De Saxce): mu |w_T|, for rolling cones + mu_r |w_R| + mu_s
/// |w_S|, from the gap in its contact frame (n, t1, t2 | s, r1, r2). An infinite coefficient
/// forbids its velocity altogether, so that nothing needs to be added.
double de_saxce_term(const RollingFriction& friction, const SixRows& gap);

/// The velocity that the law sets against the impulse: Coulomb's is w with De Saxce's term. (It
/// adds nothing to the angular velocity of a rolling cone.)
Vec3 law_gap(Law law, const ConeState& contact);

/// Half width of the intervals of t1 and t2 under Law::Box, from the current normal impulse; and
/// those of (s, r1, r2).
double box_bound(const ConeState& contact);
Vec3 box_torque_bounds(const ConeState& contact);

/// Whether terms are those of owned cones (mirrors: 0), or of mirrors too.
enum class Cones { Owned, Stored };

/// Whether spatial cones are among them, or come in tiles from elsewhere.
enum class Spatial { Too, LeftOut };

/// One number per slot (filling: 0): of_row(i) for scalar rows, of_contact(state) for friction
/// cones.
template <class OfRow, class OfContact>
std::vector<double> cone_terms(const Iterate& iterate, const OfRow& of_row,
                               const OfContact& of_contact, Cones which = Cones::Owned,
                               Spatial spatial_cones = Spatial::Too) {
  const ConeSet& cones = iterate.problem.cones;
  const bool one_by_one = spatial_cones == Spatial::Too;
  const Index spatial_count = one_by_one ? cones.spatial_count : 0;
  const Index spatial_mirrors = one_by_one ? cones.mirrors.spatial : 0;
  std::vector<double> terms(static_cast<std::size_t>(cones.slots()), 0.0);
  double* const scalar = terms.data();
  double* const planar = terms.data() + cones.planar_first_slot();
  double* const spatial = terms.data() + cones.spatial_first_slot();
  double* const rolling = terms.data() + cones.rolling_first_slot();
  // waking threads for a few cones costs more than the cones
  [[maybe_unused]] const bool worth_threads =
      cones.slots() - (one_by_one ? 0 : cones.spatial_slots()) > 1024;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel if (worth_threads) default(none) firstprivate(arithmetic) \
    shared(cones, iterate, of_row, of_contact, scalar, planar, spatial, rolling, spatial_count)
  {
#pragma omp for schedule(static) nowait
    for (Index i = 0; i < cones.scalar_count; ++i) scalar[i] = of_row(i);
#pragma omp for schedule(static) nowait
    for (Index c = 0; c < cones.planar_count; ++c) planar[c] = of_contact(planar_state(iterate, c));
#pragma omp for schedule(static) nowait
    for (Index c = 0; c < spatial_count; ++c) spatial[c] = of_contact(spatial_state(iterate, c));
#pragma omp for schedule(static)
    for (Index c = 0; c < cones.rolling_count; ++c)
      rolling[c] = of_contact(rolling_state(iterate, c));
  }
  if (which == Cones::Owned) return terms;
  // the border of a share: few, and no work for threads
  const auto each_mirror = [](Index owned, Index mirrors, const auto& visit) {
    for (Index m = 0; m < mirrors; ++m) visit(padded(owned) + m);
  };
  each_mirror(cones.scalar_count, cones.mirrors.scalar, [&](Index i) { scalar[i] = of_row(i); });
  each_mirror(cones.planar_count, cones.mirrors.planar,
              [&](Index c) { planar[c] = of_contact(planar_state(iterate, c)); });
  each_mirror(cones.spatial_count, spatial_mirrors,
              [&](Index c) { spatial[c] = of_contact(spatial_state(iterate, c)); });
  each_mirror(cones.rolling_count, cones.mirrors.rolling,
              [&](Index c) { rolling[c] = of_contact(rolling_state(iterate, c)); });
  return terms;
}

/// Sums of several lists of terms in one fused reduction; all NaN when a term is not finite.
/// Collective.
std::vector<double> totals(const Communicator& comm,
                           std::initializer_list<std::span<const double>> lists);

/// One sum of them. Collective.
double total(const Communicator& comm, std::span<const double> terms);

/// Largest of the non-negative terms of each of some lists, 0 where there are none, all NaN when
/// one is not finite. Collective.
std::vector<double> largest(const Communicator& comm,
                            std::initializer_list<std::span<const double>> lists);
/// Of one list. Collective.
double largest(const Communicator& comm, std::span<const double> terms);

}  // namespace talus
