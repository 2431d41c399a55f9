#pragma once
// What the two laws' exact local solvers share. Everything here is in scaled units: the block's
// largest entry lies in (1/2, 1], and so does b's, so that nothing overflows for inputs of 1e-150
// to 1e150.

#include "solvers/local_cone.hpp"

#include <array>

namespace talus::local {

/// Added to the scaled diagonal: no more than the rounding of the block itself, and enough to make
/// it invertible.
inline constexpr double regularisation = 1e-15;
/// A part of b that a singular direction cannot answer counts as rounding up to this size.
inline constexpr double null_noise = 1e-14;
/// An impulse larger than this (in scaled units, where it is at most the condition number) means
/// that the block is singular and b outside its range: nothing answers it.
inline constexpr double largest_impulse = 1e13;
/// Smaller than any slope that matters; the square does not underflow.
inline constexpr double smallest_slope = 1e-100;

/// Newton's method squares its relative error: after a step as small as this nothing is left to do.
inline constexpr double last_newton_step = 1e-9;

using Pair = std::array<double, 2>;

/// Power of two not smaller than |x| (for finite x > 0).
double power_of_two_above(double x);
double largest_entry(const Vec3& b);

/// Scaled units: no square overflows, and one that vanishes may.
double length(const Pair& t);
Pair rotated(const TangentFrame& frame, double t1, double t2);
Pair rotated_back(const TangentFrame& frame, const Pair& t);

/// b reduced to the tangent plane: c = b_T - A_Tn b_N / A_nn, in the Schur frame; noise in null
/// directions removed.
Pair reduced_tangent(const LocalCone& cone, const Vec3& b);
/// -(S + alpha)^-1 c in the Schur frame.
Pair tangent_impulse(const LocalCone& cone, double alpha, const Pair& c);
/// The x_N with u_N = 0 for a given x_T (Schur frame).
double normal_impulse(const LocalCone& cone, double b_normal, const Pair& tangent);

/// True where every component is finite and below largest_impulse.
bool is_usable(const Vec3& x);

}  // namespace talus::local
