#include "support/hub_bodies.hpp"

namespace talus::support {
namespace {

/// Hands every second pair of rows to a hub body, now as its body A and now as its body B.
void hand_over(std::vector<Index>& body_a, std::vector<Index>& body_b,
               const std::vector<Index>& hub) {
  for (std::size_t row = 0; row < body_a.size(); ++row) {
    const std::size_t turn = row / 2 % (2 * hub.size());
    if (turn >= hub.size()) continue;
    auto& side = row % 2 == 0 ? body_a[row] : body_b[row];
    const Index other = row % 2 == 0 ? body_b[row] : body_a[row];
    if (other != hub[turn]) side = hub[turn];
  }
  // a few between hub bodies, and between one and the immovable body
  constexpr std::size_t few = 4;
  for (std::size_t row = 0; row < few && body_a.size() >= 2 * few; ++row) {
    body_a[row] = hub.front();
    body_b[row] = hub.size() > 1 ? hub.back() : no_body;
    body_a[few + row] = row % 2 == 0 ? hub.back() : 0;
    body_b[few + row] = row % 2 == 0 ? 0 : hub.back();
  }
}

}  // namespace

std::vector<Index> hub_places(const HubBodies& options) {
  std::vector<Index> places;
  for (Index k = 1; k <= options.hub; ++k)
    places.push_back(k * options.bodies.bodies / (options.hub + 1));
  return places;
}

BodyProblem hub_bodies(const HubBodies& options) {
  BodyProblem p = random_bodies(options.bodies);
  const std::vector<Index> hub = hub_places(options);
  hand_over(p.contact_body_a, p.contact_body_b, hub);
  hand_over(p.joint_body_a, p.joint_body_b, hub);
  return p;
}

}  // namespace talus::support
