#pragma once
// Siconos's e1 and our e2 as the FCLib notes print them, in plain arrays: nothing here uses the
// library.

#include <cstddef>
#include <vector>

namespace talus::support {

/// Contacts in FCLib's order: rows (n, t1[, t2]) per contact.
struct PlainContacts {
  std::size_t dimension = 3;  ///< 2 or 3
  std::vector<double> friction, q, r, u;

  /// |r - P(r - u^)| / max(|q|, |r|, |u|), not divided by a scale below the rounding unit; u^ has
  /// De Saxce's term where `coulomb`.
  double e1(bool coulomb) const;
  /// |r - P(r - u^ / lam)| / max(|q| / lam, |r|, |u| / lam)
  double e2(bool coulomb, double lam) const;
};

double plain_norm(const std::vector<double>& v);

/// Mean over contacts of the infinity norm of the diagonal block; `entry(i, j)` of W, i and j
/// counting contact rows.
template <class Entry>
double plain_lam(std::size_t contacts, std::size_t dimension, const Entry& entry) {
  double sum = 0.0;
  for (std::size_t c = 0; c < contacts; ++c) {
    double largest = 0.0;
    for (std::size_t i = c * dimension; i < (c + 1) * dimension; ++i) {
      double row = 0.0;
      for (std::size_t j = c * dimension; j < (c + 1) * dimension; ++j) {
        const double value = entry(i, j);
        row += value < 0.0 ? -value : value;
      }
      largest = row > largest ? row : largest;
    }
    sum += largest;
  }
  return sum / static_cast<double>(contacts);
}

}  // namespace talus::support
