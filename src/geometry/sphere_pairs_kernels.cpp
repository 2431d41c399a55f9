// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "core/lanes.hpp"
#include "geometry/sphere_pairs.hpp"

namespace talus::TALUS_LEVEL {

// Operation for operation that of narrow_phase.cpp.
void sphere_contacts(const SpherePairTile* pairs, SphereContactTile* contacts, int tile_count) {
  for (int i = 0; i < tile_count; ++i) {
    const SpherePairTile& p = pairs[i];
    SphereContactTile& c = contacts[i];
    const V8 ax = load(p.ax), ay = load(p.ay), az = load(p.az), radius = load(p.a_radius);
    const V8 dx = load(p.bx) - ax, dy = load(p.by) - ay, dz = load(p.bz) - az;
    const V8 distance = square_root(dx * dx + dy * dy + dz * dz);
    const L8 apart = distance > zero();
    const V8 nx = select(apart, dx / distance, zero()), ny = select(apart, dy / distance, zero());
    const V8 nz = select(apart, dz / distance, broadcast(1.0));
    const V8 gap = distance - (radius + load(p.b_radius));
    const V8 along = radius + broadcast(0.5) * gap;
    store(c.px, ax + along * nx);
    store(c.py, ay + along * ny);
    store(c.pz, az + along * nz);
    store(c.nx, nx);
    store(c.ny, ny);
    store(c.nz, nz);
    store(c.gap, gap);
  }
}

}  // namespace talus::TALUS_LEVEL
