#include "solvers/de_saxce.hpp"

#include "talus/core/rotation.hpp"

#include "parallel/tile_ranges.hpp"
#include "problem/linear_operator.hpp"

#include <cmath>
#include <utility>

namespace talus {
namespace {

/// An infinite friction lets nothing slide.
double times_finite(double friction, double size) {
  return friction < infinity ? friction * size : 0.0;
}

double across(const Vec3& value, const Vec3& axis) {
  return length(value - dot(axis, value) * axis);
}

}  // namespace

DeSaxceTerm::DeSaxceTerm(const ConeProblem& problem)
    : problem_(problem),
      term_(static_cast<std::size_t>(problem.stored_rows()), 0.0),
      gap_(term_.size(), 0.0) {
  if (problem.skew != nullptr) skew_part_.resize(term_.size());
}

void DeSaxceTerm::read_gap(const RowVector& x, const RowVector& gx) {
  if (problem_.skew != nullptr) problem_.skew->apply(x, skew_part_);
  for (std::size_t i = 0; i < gap_.size(); ++i)
    gap_[i] = gx[i] - term_[i] + (skew_part_.empty() ? 0.0 : skew_part_[i]);
}

void DeSaxceTerm::renew(const RowVector& x, RowVector& gx, RowVector& gx_previous) {
  read_gap(x, gx);
  before_ = term_;
  if (skew_part_.empty())
    term_.assign(term_.size(), 0.0);
  else
    term_ = skew_part_;
  lift();
  for (std::size_t i = 0; i < term_.size(); ++i) {
    const double change = term_[i] - before_[i];
    gx[i] += change;
    gx_previous[i] += change;
  }
}

void DeSaxceTerm::add_to(RowVector& gx, RowVector& gx_previous) const {
  for (std::size_t i = 0; i < term_.size(); ++i) {
    gx[i] += term_[i];
    gx_previous[i] += term_[i];
  }
}

/// Adds (mu |w_t| + mu_r |w_R| + mu_s |w_S|) n of all cones, mirrors too.
void DeSaxceTerm::lift() {
  const ConeSet& cones = problem_.cones;
  for_tile_ranges(cones.planar_slots(), [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      term_[cones.planar_row(c, 0)] += times_finite(cones.friction[cones.planar_slot(c)],
                                                    std::abs(gap_[cones.planar_row(c, 1)]));
  });
  for_tile_ranges(cones.spatial_slots(), [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const Vec3 axis = cones.axis_of(c);
      const double size = times_finite(cones.friction[cones.spatial_slot(c)],
                                       across(spatial_value(cones, gap_, c), axis));
      set_spatial_value(cones, term_, c, spatial_value(cones, term_, c) + size * axis);
    }
  });
  for_tile_ranges(cones.rolling_slots(), [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const Vec3 axis = cones.axis_of(cones.rolling_frame(c));
      const RollingFriction friction = cones.rolling_friction_of(c);
      const SixRows gap = rolling_value(cones, gap_, c);
      const double size = times_finite(friction.sliding, across(gap.linear, axis)) +
                          times_finite(friction.rolling, across(gap.angular, axis)) +
                          times_finite(friction.spinning, std::abs(dot(axis, gap.angular)));
      SixRows term = rolling_value(cones, term_, c);
      term.linear = term.linear + size * axis;
      set_rolling_value(cones, term_, c, term);
    }
  });
}

}  // namespace talus
