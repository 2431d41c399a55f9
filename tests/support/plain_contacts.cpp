#include "support/plain_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::support {
namespace {

double tangent_length(const double* value, std::size_t dimension) {
  return dimension == 2 ? std::abs(value[1]) : std::hypot(value[1], value[2]);
}

/// 0 if mu |t| <= -n; y if |t| <= mu n; else n' = (mu |t| + n) / (1 + mu^2), t' = mu n' t / |t|.
void project(double* value, double mu, std::size_t dimension) {
  const double n = value[0], t = tangent_length(value, dimension);
  if (mu * t <= -n) {
    std::fill_n(value, dimension, 0.0);
  } else if (t > mu * n) {
    value[0] = (mu * t + n) / (1.0 + mu * mu);
    for (std::size_t k = 1; k < dimension; ++k) value[k] *= mu * value[0] / t;
  }
}

/// |r - P(r - u^ / lam)|
double natural_map(const PlainContacts& contacts, bool coulomb, double lam) {
  const std::size_t dimension = contacts.dimension;
  std::vector<double> defect = contacts.r;
  for (std::size_t c = 0; c < contacts.friction.size(); ++c) {
    const double* const r = contacts.r.data() + c * dimension;
    const double* const u = contacts.u.data() + c * dimension;
    const double mu = contacts.friction[c];
    double y[3] = {};
    for (std::size_t k = 0; k < dimension; ++k) y[k] = r[k] - u[k] / lam;
    if (coulomb) y[0] -= mu * tangent_length(u, dimension) / lam;
    project(y, mu, dimension);
    for (std::size_t k = 0; k < dimension; ++k) defect[c * dimension + k] -= y[k];
  }
  return plain_norm(defect);
}

}  // namespace

double plain_norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

double PlainContacts::e1(bool coulomb) const {
  const double scale = std::max({plain_norm(q), plain_norm(r), plain_norm(u)});
  const double defect = natural_map(*this, coulomb, 1.0);
  return scale <= std::numeric_limits<double>::epsilon() ? defect : defect / scale;
}

double PlainContacts::e2(bool coulomb, double lam) const {
  return natural_map(*this, coulomb, lam) /
         std::max({plain_norm(q) / lam, plain_norm(r), plain_norm(u) / lam});
}

}  // namespace talus::support
