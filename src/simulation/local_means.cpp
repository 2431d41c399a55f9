#include "simulation/local_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace talus {
namespace {

/// Mean square of the bodies of a row that impulses move.
double of_row(const World& world, const std::vector<double>& values, Index a, Index b,
              std::vector<std::uint8_t>& met) {
  double sum = 0.0, count = 0.0;
  for (const Index body : {a, b}) {
    if (body == no_body) continue;
    const auto i = static_cast<std::size_t>(body);
    if (world.bodies.motion[i] != Motion::Dynamic) continue;
    met[i] = 1;
    sum += values[i] * values[i];
    count += 1.0;
  }
  return count > 0.0 ? sum / count : 0.0;
}

}  // namespace

double largest_local_mean(const StepGraph& graph, const World& world,
                          const std::vector<JointRow>& rows, const std::vector<double>& values,
                          const Communicator& comm) {
  std::vector<double> of_slot(graph.first_contact + graph.contact.size(), 0.0);
  std::vector<std::uint8_t> met(values.size(), 0);
  for (std::size_t j = 0; j < graph.joint_row.size(); ++j) {
    if (graph.joint_row[j] < 0) continue;  // filling
    const JointRow& row = rows[graph.joint_row[j]];
    of_slot[j] = of_row(world, values, row.body_a, row.body_b, met);
  }
  for (std::size_t k = 0; k < graph.contact.size(); ++k) {
    if (graph.contact[k] < 0) continue;
    const auto c = static_cast<std::size_t>(graph.contact[k]);
    of_slot[graph.first_contact + k] =
        of_row(world, values, world.contacts.body_a[c], world.contacts.body_b[c], met);
  }
  std::array<double, 1> largest{0.0};
  for (std::size_t b = 0; b < static_cast<std::size_t>(world.bodies.owned); ++b)
    if (met[b] == 0) largest[0] = std::max(largest[0], values[b] * values[b]);
  for (const double mean : graph.rows->neighbourhood_means(of_slot))
    largest[0] = std::max(largest[0], mean);
  comm.largest(largest);
  return std::sqrt(largest[0]);
}

}  // namespace talus
