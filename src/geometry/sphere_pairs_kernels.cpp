// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "core/lane_transpose.hpp"
#include "geometry/sphere_pairs.hpp"

namespace talus::TALUS_LEVEL {

// Operation for operation that of narrow_phase.cpp.
void sphere_contacts(const SpherePlace* places, const double* margin, const SpherePairTile* pairs,
                     SphereContactTile* contacts, int tile_count) {
  const auto margins = [&](const int* body) {
    return V8{margin[body[0]], margin[body[1]], margin[body[2]], margin[body[3]],
              margin[body[4]], margin[body[5]], margin[body[6]], margin[body[7]]};
  };
  for (int i = 0; i < tile_count; ++i) {
    const SpherePairTile& p = pairs[i];
    SphereContactTile& c = contacts[i];
    V8 a[4], b[4];  // x, y, z, radius
    lanes_from([&](int lane) { return load4(&places[p.a[lane]].x); }, a);
    lanes_from([&](int lane) { return load4(&places[p.b[lane]].x); }, b);
    const V8 dx = b[0] + load(p.way_x) - a[0], dy = b[1] + load(p.way_y) - a[1];
    const V8 dz = b[2] + load(p.way_z) - a[2];
    const V8 distance = square_root(dx * dx + dy * dy + dz * dz);
    const L8 apart = distance > zero();
    const V8 nx = select(apart, dx / distance, zero()), ny = select(apart, dy / distance, zero());
    const V8 nz = select(apart, dz / distance, broadcast(1.0));
    const V8 gap = distance - (a[3] + b[3]);
    const V8 along = a[3] + broadcast(0.5) * gap;
    store(c.px, a[0] + along * nx);
    store(c.py, a[1] + along * ny);
    store(c.pz, a[2] + along * nz);
    store(c.nx, nx);
    store(c.ny, ny);
    store(c.nz, nz);
    store(c.gap, gap);
    const L8 spheres = (a[3] >= zero()) & (b[3] >= zero());
    c.touching = lane_bits(spheres & (gap <= margins(p.a) + margins(p.b)));
    c.others = lane_bits(~spheres);
  }
}

}  // namespace talus::TALUS_LEVEL
