#include "assembly/warm_start.hpp"

#include "talus/core/rotation.hpp"

#include "core/arithmetic.hpp"

#include <algorithm>
#include <limits>

namespace talus {
namespace {

/// The normal part along the new normal; the tangential part as near to the old as the new tangent
/// plane allows.
Vec3 turned(const Vec3& impulse, const Vec3& before, const Vec3& now) {
  const double normal = dot(impulse, before);
  const Vec3 tangential = impulse - normal * before;
  return normal * now + (tangential - dot(tangential, now) * now);
}

/// Of one contact: the compiler's comparison calls a function for the images.
bool is_same(const ContactName& x, const ContactName& y) {
  return x.a == y.a && x.b == y.b && x.feature == y.feature && x.image[0] == y.image[0] &&
         x.image[1] == y.image[1] && x.image[2] == y.image[2];
}

constexpr std::size_t no_place = std::numeric_limits<std::size_t>::max();
constexpr std::size_t piece = 1000;  // contacts that a thread goes through at once

/// visit(c, place) for the contacts c of [begin, end) of `now`, with the place of its namesake in
/// `before`, which is in the order of names, or no_place. So is `now`, as a rule: both are then
/// gone through side by side, and most of one are the next of the other.
template <class Visit>
void each_namesake(const ContactSet& before, const ContactSet& now, std::size_t begin,
                   std::size_t end, const Visit& visit) {
  auto place = before.name.begin();
  const auto stop = before.name.end();
  for (std::size_t c = begin; c < end; ++c) {
    const ContactName& name = now.name[c];
    if (place == stop || !is_same(*place, name)) {
      if (c == begin || name < now.name[c - 1])
        place = std::lower_bound(before.name.begin(), stop, name);
      while (place != stop && *place < name) ++place;
      if (place == stop || !is_same(*place, name)) {
        visit(c, no_place);
        continue;
      }
    }
    visit(c, static_cast<std::size_t>(place - before.name.begin()));
    ++place;
  }
}

}  // namespace

std::int64_t warm_start(const ContactSet& before, ContactSet& now,
                        std::vector<std::uint8_t>* marks) {
  if (marks != nullptr) marks->resize(now.gap.size());
  const std::size_t count = now.gap.size(), pieces = (count + piece - 1) / piece;
  const bool rolling = !now.angular_impulse.empty(), rolled = !before.angular_impulse.empty();
  std::int64_t found = 0;
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) if (pieces > 1) default(none) firstprivate(arithmetic) \
    shared(count, pieces, before, now, rolling, rolled, marks) reduction(+ : found)
  for (std::size_t p = 0; p < pieces; ++p)
    each_namesake(before, now, p * piece, std::min(count, (p + 1) * piece),
                  [&](std::size_t c, std::size_t old) {
                    const bool known = old != no_place;
                    found += known ? 1 : 0;
                    if (marks != nullptr) (*marks)[c] = known ? 1 : 0;
                    const auto kept = [&](const std::vector<Vec3>& impulse) {
                      return turned(impulse[old], before.normal[old], now.normal[c]);
                    };
                    now.impulse[c] = known ? kept(before.impulse) : Vec3{};
                    if (rolling)
                      now.angular_impulse[c] =
                          known && rolled ? kept(before.angular_impulse) : Vec3{};
                  });
  return found;
}

}  // namespace talus
