#include "talus/assembly/warm_start.hpp"

#include "talus/core/rotation.hpp"

#include <algorithm>

namespace talus {
namespace {

/// The normal part along the new normal; the tangential part as near to the old as the new tangent
/// plane allows.
Vec3 turned(const Vec3& impulse, const Vec3& before, const Vec3& now) {
  const double normal = dot(impulse, before);
  const Vec3 tangential = impulse - normal * before;
  return normal * now + (tangential - dot(tangential, now) * now);
}

}  // namespace

std::int64_t warm_start(const ContactSet& before, ContactSet& now) {
  const std::size_t count = now.gap.size();
  const bool rolling = !now.angular_impulse.empty() && !before.angular_impulse.empty();
  std::vector<std::uint8_t> found(count, 0);
#pragma omp parallel for schedule(static) if (count > 1000) default(none) \
    shared(count, before, now, found, rolling)
  for (std::size_t c = 0; c < count; ++c) {
    const auto place = std::lower_bound(before.name.begin(), before.name.end(), now.name[c]);
    if (place == before.name.end() || *place != now.name[c]) continue;
    const auto old = static_cast<std::size_t>(place - before.name.begin());
    found[c] = 1;
    now.impulse[c] = turned(before.impulse[old], before.normal[old], now.normal[c]);
    if (rolling)
      now.angular_impulse[c] =
          turned(before.angular_impulse[old], before.normal[old], now.normal[c]);
  }
  return std::count(found.begin(), found.end(), std::uint8_t{1});
}

}  // namespace talus
