#pragma once
// Elementary functions with the same bits on every machine: products, sums, divisions and square
// roots only, which IEEE 754 rounds in one way. Those of the C library have other last digits
// where a processor has fused multiply-add, and in other versions. Within 2 units in the last place
// for |x| <= 1e6 (sine, cosine, tangent) and wherever the result is a normal number (the others).

namespace talus {

double sine(double x);
double cosine(double x);
double tangent(double x);
/// Angle of (x, y) from the x axis, in (-pi, pi].
double arc_tangent(double y, double x);
double arc_sine(double x);    ///< NaN outside [-1, 1]
double arc_cosine(double x);  ///< NaN outside [-1, 1]
double exponential(double x);
double natural_logarithm(double x);  ///< -infinity at 0, NaN below
double power(double base, double exponent);

inline constexpr double pi = 3.14159265358979323846;

}  // namespace talus
