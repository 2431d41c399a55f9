#include "support/wide_bodies.hpp"

namespace talus::support {
namespace {

/// Hands every second pair of rows to a wide body, now as its body A and now as its body B.
void hand_over(std::vector<Index>& body_a, std::vector<Index>& body_b,
               const std::vector<Index>& wide) {
  for (std::size_t row = 0; row < body_a.size(); ++row) {
    const std::size_t turn = row / 2 % (2 * wide.size());
    if (turn >= wide.size()) continue;
    auto& side = row % 2 == 0 ? body_a[row] : body_b[row];
    const Index other = row % 2 == 0 ? body_b[row] : body_a[row];
    if (other != wide[turn]) side = wide[turn];
  }
  // a few between wide bodies, and between one and the immovable body
  constexpr std::size_t few = 4;
  for (std::size_t row = 0; row < few && body_a.size() >= 2 * few; ++row) {
    body_a[row] = wide.front();
    body_b[row] = wide.size() > 1 ? wide.back() : no_body;
    body_a[few + row] = row % 2 == 0 ? wide.back() : 0;
    body_b[few + row] = row % 2 == 0 ? 0 : wide.back();
  }
}

}  // namespace

std::vector<Index> wide_places(const WideBodies& options) {
  std::vector<Index> places;
  for (Index k = 1; k <= options.wide; ++k)
    places.push_back(k * options.bodies.bodies / (options.wide + 1));
  return places;
}

BodyProblem wide_bodies(const WideBodies& options) {
  BodyProblem p = random_bodies(options.bodies);
  const std::vector<Index> wide = wide_places(options);
  hand_over(p.contact_body_a, p.contact_body_b, wide);
  hand_over(p.joint_body_a, p.joint_body_b, wide);
  return p;
}

}  // namespace talus::support
