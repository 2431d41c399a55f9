#include "talus/solvers/performance_profile.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

/// r_p,s = t_p,s / min over methods of t_p,s for one method s. [DolanMore02, sec. 2]
std::vector<double> ratios_of(std::size_t method, const std::vector<std::vector<double>>& costs,
                              double least_cost) {
  std::vector<double> ratios;
  for (const std::vector<double>& row : costs) {
    if (!std::isfinite(row[method])) continue;
    const double best = std::max(least_cost, *std::min_element(row.begin(), row.end()));
    ratios.push_back(std::max(least_cost, row[method]) / best);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

}  // namespace

std::vector<ProfileLine> performance_profile(const std::vector<std::string>& methods,
                                             const std::vector<std::vector<double>>& costs,
                                             double least_cost) {
  for (const std::vector<double>& row : costs) TALUS_ASSERT(row.size() == methods.size());
  const auto problems = static_cast<double>(costs.size());
  std::vector<ProfileLine> lines;
  for (std::size_t s = 0; s < methods.size(); ++s) {
    ProfileLine line{methods[s], {}, {}};
    const std::vector<double> ratios = ratios_of(s, costs, least_cost);
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      if (k + 1 < ratios.size() && ratios[k + 1] == ratios[k]) continue;
      line.tau.push_back(ratios[k]);
      line.share.push_back(static_cast<double>(k + 1) / problems);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

double share_within(const ProfileLine& line, double tau) {
  const auto above = std::upper_bound(line.tau.begin(), line.tau.end(), tau);
  return above == line.tau.begin() ? 0.0 : line.share[above - line.tau.begin() - 1];
}

}  // namespace talus
