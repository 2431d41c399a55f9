#include "generate/scene_bodies.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/body_problem.hpp"

#include "core/elementary.hpp"
#include "generate/random.hpp"
#include "generate/scene_parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

using GeneratorKind = Generator::Kind;

/// Beyond, spheres of whatever sizes would have to fit like stones of a wall.
constexpr double most_filled = 0.95;

/// Uniform among all orientations: a point of the unit ball in four dimensions.
Quaternion orientation_of(const Generator& generator, std::int64_t number) {
  if (!generator.turned) return generator.orientation;
  KeyedRandom random(generator.seed, static_cast<std::uint64_t>(number), purpose_turn);
  for (;;) {
    const double w = random.uniform(-1.0, 1.0), x = random.uniform(-1.0, 1.0);
    const double y = random.uniform(-1.0, 1.0), z = random.uniform(-1.0, 1.0);
    const double squared = w * w + x * x + y * y + z * z;
    if (squared > 0.01 && squared <= 1.0) return normalised({w, x, y, z});
  }
}

/// Where half of the mass is in smaller bodies.
double median_by_mass(std::vector<std::array<double, 2>> sizes_and_masses, double mass) {
  std::sort(sizes_and_masses.begin(), sizes_and_masses.end());
  double sum = 0.0;
  for (const auto& [size, of_one] : sizes_and_masses)
    if ((sum += of_one) >= 0.5 * mass) return size;
  return 0.0;
}

/// `mass(i)`: of body number i.
template <class Mass>
void describe(const std::vector<double>& sizes, const Mass& mass, GeneratorReport& report) {
  report.count = static_cast<std::int64_t>(sizes.size());
  if (sizes.empty()) return;
  report.smallest = report.largest = sizes.front();
  std::vector<std::array<double, 2>> sizes_and_masses;
  double sum = 0.0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double size = sizes[i], of_one = mass(i);
    report.mass += of_one;
    report.smallest = std::min(report.smallest, size);
    report.largest = std::max(report.largest, size);
    sum += size;
    sizes_and_masses.push_back({size, of_one});
  }
  report.mean = sum / static_cast<double>(sizes.size());
  report.median_by_mass = median_by_mass(std::move(sizes_and_masses), report.mass);
}

std::vector<NewBody> imported(const Generator& generator, GlobalId first_id) {
  std::vector<NewBody> bodies = generator.imported;
  for (NewBody& body : bodies) {
    body.id = first_id++;
    if (!generator.keeps_shapes) {
      body.shape = generator.shape;
      body.material = generator.material;
    }
    body.group = generator.group;
    // what is at rest keeps the bits of its zeros
    const Vec3 &v = generator.velocity, &w = generator.angular_velocity;
    if (dot(v, v) > 0.0) body.velocity = body.velocity + v;
    if (dot(w, w) > 0.0) body.angular_velocity = body.angular_velocity + w;
  }
  return bodies;
}

Placed placed_by(const Generator& generator, const Sizes& sizes, const Pattern& pattern,
                 double& overlap) {
  if (generator.kind == GeneratorKind::Lattice) return lattice(generator, sizes, pattern);
  if (generator.kind == GeneratorKind::Random) return random_places(generator, sizes, pattern);
  return packing(generator, sizes, pattern, overlap);
}

/// A stream makes nothing yet, but what can never come in is told now.
void check_stream(const Generator& generator, const Sizes& sizes, const Pattern& pattern) {
  const double largest = sizes.largest();
  if (directions_with_room(generator.region, pattern.reach * largest) >= 2) return;
  throw fault_of(
      generator,
      fmt::format("the largest size = {:.6g} must fit through the region of the stream, {}: make "
                  "the region wider or cut the sizes off",
                  largest, words_of(generator.region)));
}

}  // namespace

InputError fault_of(const Generator& generator, const std::string& words) {
  return InputError(fmt::format("{}: {}", generator.place, words));
}

Pattern pattern_of(const Generator& generator, const World& world) {
  const Shape& shape = world.shapes[generator.shape];
  const Material& material = world.materials.materials()[generator.material];
  const MassProperties properties = mass_properties(shape);
  if (!(properties.volume > 0.0))
    throw fault_of(generator, fmt::format("shape = {} must have a volume: planes and open meshes "
                                          "cannot be generated",
                                          name_of(shape)));
  constexpr double least_density = 1e-90;  // kg/m3; of a body of any size its inverse is a number
  if (material.density > 0.0 && material.density < least_density)
    throw fault_of(generator, fmt::format("density = {:g} kg/m3 of material {} must be at least "
                                          "{:g}: check its units",
                                          material.density, material.name, least_density));
  if (!(material.density > 0.0))
    throw fault_of(generator, fmt::format("material = {} must have a density: generated bodies "
                                          "take their mass from it",
                                          material.name));
  return {reach_of(shape, 1.0), properties.volume, properties.inertia, material.density, &shape};
}

double solid_volume(const std::vector<double>& sizes, const Pattern& pattern) {
  double cubes = 0.0;
  for (const double size : sizes) cubes += size * size * size;
  return pattern.volume * cubes;
}

std::vector<double> drawn_sizes(const Generator& generator, const Sizes& sizes,
                                const Pattern& pattern) {
  const double region = volume_of(generator.region), wanted = generator.solid_fraction * region;
  const double ball = 4.0 / 3.0 * pi * pattern.reach * pattern.reach * pattern.reach;
  const bool by_fraction = generator.solid_fraction > 0.0;
  // turned as they like, bodies need the spheres that hold them
  const double most = most_filled * std::min(1.0, pattern.volume / ball);
  if (by_fraction && !(generator.solid_fraction < most))
    throw fault_of(generator, fmt::format("solid_fraction = {} must be below {:.2f}: nothing can "
                                          "be packed so densely at random; equal spheres reach "
                                          "0.6 to 0.62",
                                          generator.solid_fraction, most));
  if (!by_fraction && generator.count < 0)
    throw fault_of(generator, fmt::format("solid_fraction = {} must be positive: the share of the "
                                          "region that bodies fill",
                                          generator.solid_fraction));
  const auto most_bodies = generator.count < 0 ? std::numeric_limits<std::size_t>::max()
                                               : static_cast<std::size_t>(generator.count);
  std::vector<double> drawn;
  double solid = 0.0;
  while (drawn.size() < most_bodies) {
    const double size = sizes.draw(generator.seed, drawn.size());
    if (directions_with_room(generator.region, pattern.reach * size) < 3)
      throw fault_of(generator, fmt::format("size = {:.6g} must fit into the region, {}: make the "
                                            "region larger or cut the sizes off",
                                            size, words_of(generator.region)));
    const double volume = pattern.volume * size * size * size;
    // the last one comes in where that is nearer to what is wanted
    if (by_fraction && solid + 0.5 * volume > wanted) break;
    solid += volume;
    drawn.push_back(size);
  }
  if (drawn.empty() && generator.count != 0)
    throw fault_of(generator,
                   fmt::format("solid_fraction = {} must be that of one body at least: {} holds "
                               "less than half a body; make it larger",
                               generator.solid_fraction, words_of(generator.region)));
  return drawn;
}

NewBody body_of(const Generator& generator, const Pattern& pattern, std::int64_t number,
                const Vec3& centre, double size) {
  NewBody body;
  body.shape = generator.shape;
  body.scale = size;
  body.material = generator.material;
  body.group = generator.group;
  const double cube = size * size * size, to_inertia = pattern.density * cube * size * size;
  body.mass = pattern.density * pattern.volume * cube;
  const Sym3& i = pattern.inertia;
  body.inertia = {to_inertia * i.xx, to_inertia * i.xy, to_inertia * i.xz,
                  to_inertia * i.yy, to_inertia * i.yz, to_inertia * i.zz};
  body.pose = {centre, orientation_of(generator, number)};
  body.velocity = generator.velocity;
  body.angular_velocity = generator.angular_velocity;
  return body;
}

std::vector<NewBody> generate_bodies(const Generator& generator, const World& world,
                                     GlobalId first_id, GeneratorReport& report) {
  return generate_slice(generator, world, first_id, 0, 1, report);
}

std::vector<NewBody> generate_slice(const Generator& generator, const World& world,
                                    GlobalId first_id, int rank, int ranks,
                                    GeneratorReport& report) {
  report = {};
  report.name = generator.name;
  std::vector<NewBody> bodies;
  if (generator.kind == GeneratorKind::Import) {
    bodies = imported(generator, first_id);
    std::vector<double> sizes;
    for (const NewBody& body : bodies) sizes.push_back(body.scale);
    describe(
        sizes, [&](std::size_t i) { return bodies[i].mass; }, report);
    const SliceRange mine = slice_range(static_cast<GlobalId>(bodies.size()), rank, ranks);
    return {bodies.begin() + mine.first, bodies.begin() + mine.last};
  }
  const std::vector<std::string> faults = faults_of(generator.sizes);
  if (!faults.empty()) throw fault_of(generator, faults.front());
  const Sizes sizes(generator.sizes);
  const Pattern pattern = pattern_of(generator, world);
  if (generator.kind == GeneratorKind::Stream) {
    check_stream(generator, sizes, pattern);
    return bodies;
  }
  if (generator.kind == GeneratorKind::Lattice) check_lattice(generator);
  require_room(generator, sizes, pattern, ranks);
  const Placed placed = placed_by(generator, sizes, pattern, report.largest_overlap);
  const SliceRange mine = slice_range(static_cast<GlobalId>(placed.size.size()), rank, ranks);
  for (GlobalId number = mine.first; number < mine.last; ++number) {
    const auto i = static_cast<std::size_t>(number);
    bodies.push_back(body_of(generator, pattern, number, placed.centre[i], placed.size[i]));
    bodies.back().id = first_id + number;
  }
  const double of_unit = pattern.density * pattern.volume;
  describe(
      placed.size,
      [&](std::size_t i) { return of_unit * (placed.size[i] * placed.size[i] * placed.size[i]); },
      report);
  const double region = volume_of(generator.region);
  report.solid_fraction = solid_volume(placed.size, pattern) / region;
  if (generator.kind != GeneratorKind::Lattice && generator.count < 0) {
    report.wanted_solid_fraction = generator.solid_fraction;
    report.wanted_mass = generator.solid_fraction * region * pattern.density;
  }
  report.largest_deviation = largest_deviation(sizes, generator.sizes.by_mass, placed.size);
  return bodies;
}

}  // namespace talus
