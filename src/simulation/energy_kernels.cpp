// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "simulation/energy_kernels.hpp"

#include "core/lane_transpose.hpp"

namespace talus::TALUS_LEVEL {
namespace {

struct LaneVector {
  V8 of[3];
};

/// Numbers of eight places of a list.
TALUS_INLINE V8 gather(const double* list, const int* at, int stride = 1) {
  const auto number = [&](int i) { return list[static_cast<long>(at[i]) * stride]; };
  return V8{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7)};
}
TALUS_INLINE LaneVector gather3(const double* list, const int* at) {
  return {{gather(list, at, 3), gather(list + 1, at, 3), gather(list + 2, at, 3)}};
}
TALUS_INLINE LaneVector load3(const double* p) {
  return {{load(p), load(p + 8), load(p + 16)}};
}
/// Of the points of bodies, one of the two of each contact.
TALUS_INLINE LaneVector speed(const ContactPass& p, const int* contact, const int* body,
                              const LaneVector& point) {
  const auto of = [&](int i) -> const HalfwayBody& { return p.bodies[body[contact[i]]]; };
  V8 centre[4], u[4], w[4];
  lanes_from([&](int i) { return load4(of(i).position); }, centre);
  lanes_from([&](int i) { return load4(of(i).linear); }, u);
  lanes_from([&](int i) { return load4(of(i).angular); }, w);
  const V8 x = point.of[0] - centre[0], y = point.of[1] - centre[1], z = point.of[2] - centre[2];
  return {
      {u[0] + (w[1] * z - w[2] * y), u[1] + (w[2] * x - w[0] * z), u[2] + (w[0] * y - w[1] * x)}};
}
TALUS_INLINE V8 dot(const LaneVector& a, const LaneVector& b) {
  return a.of[0] * b.of[0] + a.of[1] * b.of[1] + a.of[2] * b.of[2];
}
/// a - s n
TALUS_INLINE LaneVector less(const LaneVector& a, V8 s, const LaneVector& n) {
  return {{a.of[0] - s * n.of[0], a.of[1] - s * n.of[1], a.of[2] - s * n.of[2]}};
}

}  // namespace

extern ContactTileKernel contact_tile_energies;
void contact_tile_energies(const ContactPass& p, int tile, ContactTileEnergies& out) {
  const int* contact = p.contact + 8L * tile;
  const LaneVector n = gather3(p.normal, contact), point = gather3(p.point, contact);
  const LaneVector x = load3(p.impulses + 24L * tile), w = load3(p.gap_velocities + 24L * tile);
  const LaneVector of_a = speed(p, contact, p.body_a, point);
  LaneVector v =
      speed(p, contact, p.body_b, p.point_b != nullptr ? gather3(p.point_b, contact) : point);
  for (int k = 0; k < 3; ++k) v.of[k] -= of_a.of[k];
  const V8 pull = p.pull != nullptr ? gather(p.pull, contact) : zero();
  const V8 compliance = p.compliance != nullptr ? gather(p.compliance, contact) : zero();
  const L8 idle = (pull == 0.0) & (dot(x, x) == 0.0);

  const V8 xn = dot(x, n), wn = dot(w, n), vn = dot(v, n);
  const LaneVector wt = less(w, wn, n);
  const V8 mu = load(p.friction + 8L * tile), slip = square_root(dot(wt, wt));
  const V8 sliding = xn * select(mu < __builtin_inf(), mu * slip, zero());
  V8 normal = xn * wn;
  const V8 tangential = dot(x, wt) + sliding;
  if (p.associated) normal -= sliding;
  const auto keep = [&](double* to, V8 term) { store(to, select(idle, zero(), term)); };
  const V8 taken = 0.5 * normal - xn * vn, none = zero();
  const L8 soft = compliance > 0.0;
  const L8 overlaps = gather(p.gap, contact) < 0.0;
  keep(out.springs, select(soft, taken, none));
  keep(out.impact, select(soft, none, taken));
  keep(out.recovered, select(~soft & overlaps & (taken < 0.0), -taken, none));
  keep(out.friction, 0.5 * tangential - dot(less(x, xn, n), v));
  const V8 left = 0.5 * (normal + tangential);
  keep(out.solver, -left);
  keep(out.solver_magnitude, absolute(left));
  keep(out.cohesion, pull * vn);
}

}  // namespace talus::TALUS_LEVEL
