// What a generator would make is counted before anything is made.

#include "core/memory.hpp"
#include "generate/scene_parts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

/// m3, from the first that would be drawn.
double mean_volume(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  constexpr std::uint64_t samples = 1000;
  double cubes = 0.0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const double size = sizes.draw(generator.seed, i);
    cubes += size * size * size;
  }
  return pattern.volume * cubes / static_cast<double>(samples);
}

double expected_bodies(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  const double region = volume_of(generator.region);
  const double asked = generator.count >= 0 ? static_cast<double>(generator.count) : infinity;
  if (generator.kind == Generator::Kind::Lattice) {
    const Vec3& s = generator.spacing;
    return std::min(asked, region / (s.x * s.y * s.z));
  }
  // of bodies that come as long as one finds a place: some 0.38 of equal spheres
  constexpr double most_filled = 0.4;
  const double fraction = generator.solid_fraction > 0.0 ? generator.solid_fraction : most_filled;
  return std::min(asked, fraction * region / mean_volume(generator, sizes, pattern));
}

}  // namespace

void require_room(const Generator& generator, const Sizes& sizes, const Pattern& pattern,
                  int ranks) {
  constexpr double bytes_of_place = 32.0, bytes_of_body = 800.0;
  const double bodies = expected_bodies(generator, sizes, pattern);
  const double bytes = bodies * (bytes_of_place + bytes_of_body / ranks);
  const double most = most_memory_allowed();
  constexpr double gigabyte = 1e9, most_numbers = std::numeric_limits<Index>::max();
  if (bodies <= most_numbers && bytes <= most) return;
  throw fault_of(
      generator,
      fmt::format("makes about {:.3g} bodies, for which {:.3g} GB are needed: {}; make the region "
                  "smaller, the bodies larger or their spacing wider",
                  bodies, bytes / gigabyte,
                  bytes <= most ? fmt::format("more than {:.3g} have no numbers", most_numbers)
                                : fmt::format("this program may have {:.3g} GB on this machine",
                                              most / gigabyte)));
}

}  // namespace talus
