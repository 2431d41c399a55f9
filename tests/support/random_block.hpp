#pragma once
// Random diagonal blocks of one cone, and how far an impulse is from its law: written down once
// more, without the code under test.

#include "generate/random.hpp"
#include "solvers/local_cone.hpp"

namespace talus::support {

enum class Kind { Good, Ill, Singular, Diagonal };

FrictionAngle angle_of(double mu);
double length_of(const Vec3& x);
double largest_of(const Mat3& a);
double power_of_ten(KeyedRandom& random, double from, double to);

/// Q diag Q^T with random orthonormal Q and eigenvalues of the kind asked for.
Mat3 random_block(Kind kind, KeyedRandom& random);
Vec3 random_vector(KeyedRandom& random);

/// Nearest point of {|t| <= mu n}, in the textbook's form.
Vec3 nearest(double mu, const Vec3& x);

/// |x - P(x - w / a)| over |x| + |b| / a, with a the largest entry of A; the Coulomb law has w_N +
/// mu |w_T|, which enlarges a rounding of w by mu.
double fault(bool coulomb, double mu, const Mat3& a, const Vec3& b, const Vec3& x);

}  // namespace talus::support
