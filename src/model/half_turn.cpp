#include "model/half_turn.hpp"

namespace talus {

HalfTurn half_turn(const Sym3& inertia, const Quaternion& q, const Vec3& w, double h) {
  if (dot(w, w) == 0.0) return {q, w};
  // In the axes of the body at the begin, where the inertia is what it is: `part` turns them half
  // the way.
  Vec3 spin = rotate_back(q, w);
  const Vec3 momentum = inertia * spin;
  const Sym3 lightness = inverse(inertia);
  // Each pass leaves about h |w| / 2 of the change of the one before. Where that is above 1 they do
  // not settle, and the turn is of no order; L is kept, and the energy bounded by it, all the same.
  constexpr int most_passes = 16;
  constexpr double settled = 1e-13;
  Quaternion part;
  for (int pass = 0; pass < most_passes; ++pass) {
    part = rotation_by(0.5 * h * spin);
    const Vec3 next = lightness * rotate_back(part, momentum);
    const Vec3 change = next - spin;
    spin = next;
    if (!(dot(change, change) > settled * settled * dot(next, next))) break;
  }
  // `spin` is along the axes that `part` has turned
  const Quaternion half = normalised(q * part);
  return {half, rotate(half, spin)};
}

}  // namespace talus
