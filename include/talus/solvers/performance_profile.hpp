#pragma once
// Performance profiles of several methods over several problems [DolanMore02].

#include <string>
#include <vector>

namespace talus {

/// One method's line of a profile: share[k] of all problems were solved at no more than tau[k]
/// times the cost of the best method for each; a staircase that is 0 before tau.front().
struct ProfileLine {
  std::string method;
  std::vector<double> tau, share;
};

/// costs[problem][method] to solve a problem; infinite where it was not solved. A cost below
/// `least_cost` counts as that much: ratios to less mean nothing (nothing to do; below the clock's
/// grain). Problems that no method solved count as unsolved for all. `methods` names the columns.
std::vector<ProfileLine> performance_profile(const std::vector<std::string>& methods,
                                             const std::vector<std::vector<double>>& costs,
                                             double least_cost);

/// The share at factor `tau`.
double share_within(const ProfileLine& line, double tau);

}  // namespace talus
