#pragma once
// The Fischer-Burmeister functions behind the merit, one row or cone at a time.

#include "metrics/cone_terms.hpp"

namespace talus {

/// phi(a, b) = (a^2 + b^2)^1/2 - a - b: zero exactly where a >= 0, b >= 0, a b = 0 [Fischer92].
/// Relative error of a few roundings everywhere; an infinite `a` stands for a bound that does not
/// exist.
double complementarity(double a, double b);

/// For x in [lower, upper] with gap velocity w, in the same units [Billups95]. Zero exactly at a
/// solution.
double interval_complementarity(double x, double w, double lower, double upper);

/// Phi(x, y) = (x^2 + y^2)^1/2 - x - y in the Jordan algebra of the second-order cone {x >= |(y,
/// z)|}: zero exactly where both lie in the cone and x . y = 0 [Fukushima02].
Vec3 cone_complementarity(const Vec3& x, const Vec3& y);

}  // namespace talus
