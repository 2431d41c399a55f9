#pragma once
// Nearest points in the cones and in their duals: the plain versions, one cone at a time, valid for
// every finite input (1e-300 to 1e300, mu = 0 to infinity). The lane versions of
// src/cones/cone_lanes.hpp give the same bits. A friction cone is {axis component >= 0, |tangential
// part| cosine <= sine * axis component}.

#include "talus/cones/cone_set.hpp"

namespace talus {

/// Nearest point of [lower, upper].
double project_interval(double x, double lower, double upper);

/// (normal, tangent) of a planar friction cone.
struct Planar {
  double normal = 0.0, tangent = 0.0;
};
Planar project_planar(const Planar& x, double cosine, double sine);

/// Nearest point of the friction cone about `axis`. [AT10]
Vec3 project_spatial(const Vec3& x, const Vec3& axis, double cosine, double sine);

/// Nearest point of the rolling cone {n >= 0, |t| <= sliding n, |m_R| <= rolling n, |m_S| <=
/// spinning n} about `axis`. Coefficients from 1e100 on count as infinite: they change the answer
/// by 1e-100 of x. docs/decisions/008.
SixRows project_rolling(const SixRows& x, const Vec3& axis, const RollingFriction& friction);

/// Nearest point of its dual {w_n >= sliding |w_t| + rolling |w_R| + spinning |w_S|}.
SixRows project_rolling_dual(const SixRows& w, const Vec3& axis, const RollingFriction& friction);

/// Nearest point of K* (the dual of a friction cone is the cone with cosine and sine exchanged;
/// dual of free is {0}, of non-negative itself). For an interval with a finite bound, which is no
/// cone: the w that some x in it admits (x at the lower bound admits w >= 0, at the upper w <= 0,
/// an infinite bound admits none of its sign).
void project_dual(const ConeSet& cones, const RowVector& w, RowVector& projected);

/// Nearest point of K for every cone.
void project(const ConeSet& cones, const RowVector& x, RowVector& projected);

/// Nearest point of the polar cone K° = -K* for every cone.
void project_polar(const ConeSet& cones, const RowVector& x, RowVector& projected);

/// Euclidean distance of x from K, one number per slot.
std::vector<double> distances(const ConeSet& cones, const RowVector& x);

}  // namespace talus
