#include "support/plain_contacts.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

double plain_norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

double PlainContacts::error(bool coulomb, double lam) const {
  std::vector<double> defect = r;
  for (std::size_t c = 0; c < friction.size(); ++c) {
    const std::size_t begin = c * dimension;
    double y[3] = {};
    for (std::size_t k = 0; k < dimension; ++k) y[k] = r[begin + k] - u[begin + k] / lam;
    if (coulomb) y[0] -= friction[c] * tangent_length(u.data() + begin, dimension) / lam;
    project(y, friction[c], dimension);
    for (std::size_t k = 0; k < dimension; ++k) defect[begin + k] -= y[k];
  }
  return plain_norm(defect) / std::max({plain_norm(q) / lam, plain_norm(r), plain_norm(u) / lam});
}

}  // namespace talus::support
