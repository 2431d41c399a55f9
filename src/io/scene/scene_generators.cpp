// Generators: what they make, of which sizes, where.

#include "talus/core/error.hpp"
#include "talus/io/state_file.hpp"

#include "io/lammps_data.hpp"
#include "io/scene/scene_reader.hpp"
#include "model/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

using GeneratorKind = Generator::Kind;

GeneratorKind generator_kind(const std::string& kind) {
  static const std::map<std::string, GeneratorKind> kinds{{"lattice", GeneratorKind::Lattice},
                                                          {"packing", GeneratorKind::Packing},
                                                          {"random", GeneratorKind::Random},
                                                          {"stream", GeneratorKind::Stream},
                                                          {"import", GeneratorKind::Import}};
  return kinds.at(kind);
}

void read_table(const Fields& fields, SizeDistribution& sizes) {
  double sum = 0.0;
  for (const std::vector<double>& row : fields.rows("table", 2)) {
    if (row[0] <= 0.0 || row[1] < 0.0)
      fields.fault("table", fmt::format("table has [{}, {}]: sizes must be > 0, shares >= 0",
                                        row[0], row[1]));
    sizes.table.push_back({row[0], row[1]});
    sum += row[1];
  }
  if (!sizes.table.empty() && sum <= 0.0) fields.fault("table", "table must have a share > 0");
  for (std::array<double, 2>& row : sizes.table) row[1] /= sum;
}

SizeDistribution distribution_of(const Fields& fields) {
  using Distribution = SizeDistribution::Kind;
  static const std::map<std::string, Distribution> kinds{{"constant", Distribution::Constant},
                                                         {"uniform", Distribution::Uniform},
                                                         {"lognormal", Distribution::Lognormal},
                                                         {"table", Distribution::Table}};
  SizeDistribution sizes;
  if (fields.kind().empty()) return sizes;
  sizes.kind = kinds.at(fields.kind());
  sizes.by_mass = fields.text("by") == "mass";
  sizes.low = fields.number(fields.kind() == "constant" ? "value" : "min", 0.0);
  sizes.high = fields.number("max", sizes.low);
  sizes.median = fields.number("median", 0.0);
  sizes.deviation = fields.number("deviation", 0.0);
  if (sizes.high < sizes.low)
    fields.fault("max", fmt::format("max = {} must be at least min = {}", sizes.high, sizes.low));
  if (sizes.kind == Distribution::Lognormal && sizes.low < sizes.high &&
      (sizes.median < sizes.low || sizes.median > sizes.high) && sizes.median > 0.0)
    fields.fault("median", fmt::format("median = {} must lie between min = {} and max = {}",
                                       sizes.median, sizes.low, sizes.high));
  if (fields.has("table")) read_table(fields, sizes);
  return sizes;
}

SizeDistribution sizes_of(const Fields& shape, const std::string& key, double fallback) {
  if (const std::optional<Fields> distribution = shape.section(key))
    return distribution_of(*distribution);
  SizeDistribution sizes;
  const Value* given = shape.value(key);
  sizes.low =
      given != nullptr && given->kind == Value::Kind::Map ? fallback : shape.number(key, fallback);
  sizes.high = sizes.low;
  return sizes;
}

/// Spheres are all one shape of diameter 1, so that sizes are diameters.
Index unit_sphere(SceneReading& reading) {
  if (reading.unit_sphere < 0) {
    reading.unit_sphere = static_cast<Index>(reading.world().shapes.size());
    reading.world().shapes.emplace_back(Sphere{0.5});
  }
  return reading.unit_sphere;
}

bool read_generated_shape(SceneReading& reading, const Fields& shape, Generator& generator) {
  if (shape.kind() == "sphere") {
    generator.shape = unit_sphere(reading);
    generator.sizes = sizes_of(shape, "diameter", 0.0);
    return true;
  }
  generator.sizes = sizes_of(shape, "factor", 1.0);
  std::optional<Shape> made;
  if (shape.kind() == "compound") {
    if (const std::optional<Compound> compound = read_parts(shape)) made = *compound;
  } else if (const std::optional<Vec3> size = shape.vector("size")) {
    made = Box{0.5 * *size};
  }
  if (!made) return false;
  generator.shape = static_cast<Index>(reading.world().shapes.size());
  reading.world().shapes.push_back(*made);
  return true;
}

void read_stream(const Fields& fields, Generator& generator) {
  generator.mass_rate = fields.formula("mass_rate").value_or(Expression());
  if (!generator.mass_rate.varies() && generator.mass_rate.at(0.0) < 0.0)
    fields.fault("mass_rate", fmt::format("mass_rate = {} must not be negative: nothing would come",
                                          generator.mass_rate.at(0.0)));
  generator.from = fields.number("from", 0.0);
  const std::optional<double> until = fields.number("until");
  generator.until = until.value_or(generator.until);
  generator.mass_limit = fields.number("mass_limit", 0.0);
  generator.on = fields.flag("on", true);
  if (until && !(*until > generator.from))
    fields.fault("until", fmt::format("until = {} must be later than from = {}: nothing would come",
                                      *until, generator.from));
}

/// Spheres of the unit shape with the size that the file says.
void take_lammps(const std::string& file, Generator& generator) {
  generator.imported = read_lammps_data(file).bodies;
  for (NewBody& body : generator.imported) {
    body.shape = generator.shape;
    body.material = generator.material;
  }
}

/// The dynamic bodies of a state of ours, with their shapes, and materials where the scene has
/// those; bit for bit where and as fast as they were.
void take_state(SceneReading& reading, const std::string& file, Generator& generator) {
  SavedState state = read_state(file);
  std::vector<Index> shapes(state.shapes.size(), -1);
  InputErrors errors;
  for (NewBody& body : state.bodies) {
    if (body.motion != Motion::Dynamic) continue;
    const auto from = static_cast<std::size_t>(body.shape);
    const Shape& shape = state.shapes[from];
    const std::string& group = state.groups[body.group];
    if (std::holds_alternative<Mesh>(shape) || std::holds_alternative<Plane>(shape)) {
      errors.add(
          fmt::format("{}: body {} ({}) is a {}, which cannot be imported: make it in the "
                      "scene",
                      file, body.id, group, talus::name_of(shape)));
      continue;
    }
    if (const auto* sphere = std::get_if<Sphere>(&shape)) {
      body.scale = 2.0 * sphere->radius * body.scale;  // exact
      body.shape = generator.shape;
    } else {
      if (shapes[from] < 0) {
        shapes[from] = static_cast<Index>(reading.world().shapes.size());
        reading.world().shapes.push_back(shape);
      }
      body.shape = shapes[from];
    }
    const Index material = reading.world().materials.find(state.materials[body.material]);
    body.material = material >= 0 ? material : generator.material;
    generator.imported.push_back(body);
  }
  errors.throw_if_any();
}

void read_import(SceneReading& reading, const Fields& fields, Generator& generator) {
  const std::string file = fields.text("file");
  generator.shape = unit_sphere(reading);
  generator.velocity = fields.vector("velocity", {});
  generator.angular_velocity = fields.vector("angular_velocity", {});
  if (file.empty()) return;
  generator.keeps_shapes = file.ends_with(".h5");
  try {
    generator.keeps_shapes ? take_state(reading, file, generator) : take_lammps(file, generator);
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) fields.fault("file", message);
  }
  for (NewBody& body : generator.imported) body.group = generator.group;
}

void check_density(SceneReading& reading, const Fields& fields, const Generator& generator) {
  if (generator.material < 0 || generator.kind == GeneratorKind::Import) return;
  const Material& material = reading.world().materials.materials()[generator.material];
  if (material.density == 0.0)
    fields.fault("material", fmt::format("material {} has no density, which the bodies of a "
                                         "generator need: give it one",
                                         material.name));
}

/// What says how many bodies there will be.
void check_amount(const Fields& fields) {
  if (fields.kind() == "packing" && !fields.has("solid_fraction"))
    fields.fault("", "a packing needs the key solid_fraction: 0.55 is loose, 0.6 dense");
  if (fields.kind() != "random") return;
  if (fields.has("count") == fields.has("solid_fraction"))
    fields.fault("solid_fraction", fields.has("count")
                                       ? "random has count or solid_fraction, not both"
                                       : "random needs the key count or solid_fraction");
}

bool read_made(SceneReading& reading, const Fields& fields, Generator& generator) {
  const std::optional<Fields> shape = fields.section("shape");
  const std::optional<Fields> region = fields.section("region");
  const bool has_shape = shape && read_generated_shape(reading, *shape, generator);
  if (region) generator.region = read_region(*region, generator.kind == GeneratorKind::Stream);
  generator.turned = fields.text("orientation") == "random";
  generator.orientation = read_orientation(fields).value_or(Quaternion{});
  generator.velocity = fields.vector("velocity", {});
  generator.angular_velocity = fields.vector("angular_velocity", {});
  generator.seed = static_cast<std::uint64_t>(fields.whole("seed").value_or(1));
  generator.spacing = fields.vector("spacing", {});
  generator.low = fields.text("place") == "low";
  generator.jitter = fields.number("jitter", 0.0);
  generator.count = fields.whole("count").value_or(-1);
  generator.solid_fraction = fields.number("solid_fraction", 0.0);
  check_amount(fields);
  if (generator.kind == GeneratorKind::Stream) read_stream(fields, generator);
  return has_shape && region;
}

}  // namespace

void read_generators(SceneReading& reading, const Fields& root) {
  for (const Fields& fields : root.sections("generators")) {
    Generator generator;
    generator.name = read_name(fields, reading.bodies);
    generator.place = text_of(fields.place());
    const std::string material = fields.text("material");
    generator.material =
        material.empty() ? -1 : material_of(reading, material, fields.place("material"));
    if (fields.kind().empty() || generator.name.empty()) continue;
    generator.kind = generator_kind(fields.kind());
    if (reading.world().find_group(generator.name) >= 0 &&
        text_of(reading.bodies.at(generator.name)) == text_of(fields.place("name")))
      fields.fault("name",
                   fmt::format("name = '{}' is the name of a group of bodies, too: rename one",
                               generator.name));
    generator.group = group_named(reading.world(), generator.name);
    check_density(reading, fields, generator);
    bool whole = true;
    if (generator.kind == GeneratorKind::Import)
      read_import(reading, fields, generator);
    else
      whole = read_made(reading, fields, generator);
    if (whole && generator.material >= 0) reading.scene.generators.push_back(std::move(generator));
  }
}

}  // namespace talus::io
