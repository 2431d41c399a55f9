#pragma once
// The energy error of one row, for plots and tests; the sum over a problem is Measure::Energy.

namespace talus {

/// Energy error (J) of impulse x in [lower, upper] with gap velocity w, where `a` > 0 is the row's
/// diagonal of N, compliance included. Zero exactly where x and w are complementary.
/// [Enzenhoefer15, eq. 4-5] with the sign of sigma_u corrected (docs/measures.md). Bounds may be
/// infinite.
double energy_error_row(double x, double w, double a, double lower, double upper);

}  // namespace talus
