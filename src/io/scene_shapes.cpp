// Shapes of bodies and of the parts of compounds.

#include "talus/core/error.hpp"
#include "talus/geometry/triangle_mesh.hpp"
#include "talus/io/stl_file.hpp"

#include "io/scene_reader.hpp"

#include <fmt/format.h>

namespace talus::io {
namespace {

std::optional<Sphere> sphere_of(const Fields& shape) {
  const std::optional<double> diameter = shape.number("diameter"), radius = shape.number("radius");
  if (shape.has("diameter") == shape.has("radius")) {
    shape.fault("radius", shape.has("radius") ? "a sphere has a diameter or a radius, not both"
                                              : "a sphere needs the key diameter or radius, in m");
    return std::nullopt;
  }
  if (diameter) return Sphere{0.5 * *diameter};
  if (radius) return Sphere{*radius};
  return std::nullopt;
}

std::optional<Box> box_of(const Fields& shape) {
  const std::optional<Vec3> size = shape.vector("size");
  if (!size) return std::nullopt;
  return Box{0.5 * *size};
}

std::optional<Compound::Part> part_of(const Fields& part) {
  Compound::Part result;
  result.pose.position = part.vector("position", {});
  result.pose.orientation = read_orientation(part).value_or(Quaternion{});
  const std::optional<Fields> shape = part.section("shape");
  if (!shape) return std::nullopt;
  if (shape->kind() == "sphere") {
    const std::optional<Sphere> sphere = sphere_of(*shape);
    if (!sphere) return std::nullopt;
    result.shape = *sphere;
  } else {
    const std::optional<Box> box = box_of(*shape);
    if (!box) return std::nullopt;
    result.shape = *box;
  }
  return result;
}

/// What is odd in a mesh and no fault yet.
std::string oddities_of(const MeshFaults& faults) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(faults.degenerate, "triangles without area (left out)");
  add(faults.duplicate, "triangles given twice (left out)");
  add(faults.flipped, "edges between triangles that face opposite sides");
  add(faults.crowded_edges, "edges of more than two triangles");
  if (faults.inside_out) text += fmt::format("{}normals point inwards", text.empty() ? "" : ", ");
  return text;
}

std::optional<Mesh> mesh_of(SceneReading& reading, const Fields& shape) {
  const std::string file = shape.text("file");
  const double scale = shape.number("scale", 1.0);
  if (file.empty()) return std::nullopt;
  std::shared_ptr<const TriangleMesh>& mesh = reading.meshes[fmt::format("{} {}", scale, file)];
  if (mesh != nullptr) return Mesh{mesh};
  try {
    mesh = std::make_shared<const TriangleMesh>(read_stl(file, scale));
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) shape.fault("file", message);
    return std::nullopt;
  }
  const std::string odd = oddities_of(mesh->faults());
  if (!odd.empty())
    reading.scene.notes.push_back(
        fmt::format("{}: {}: {}", text_of(shape.place("file")), file, odd));
  return Mesh{mesh};
}

}  // namespace

std::optional<Compound> read_parts(const Fields& shape) {
  Compound compound;
  const std::vector<Fields> parts = shape.sections("parts");
  for (const Fields& part : parts)
    if (std::optional<Compound::Part> read = part_of(part)) compound.parts.push_back(*read);
  if (shape.has("parts") && parts.empty())
    shape.fault("parts", "parts must have at least one part");
  if (parts.empty() || compound.parts.size() != parts.size()) return std::nullopt;
  return compound;
}

Index read_shape(SceneReading& reading, const Fields& shape) {
  std::vector<Shape>& shapes = reading.world().shapes;
  const auto added = [&](const auto& found) -> Index {
    if (!found) return -1;
    shapes.emplace_back(*found);
    return static_cast<Index>(shapes.size()) - 1;
  };
  const std::string& kind = shape.kind();
  if (kind == "sphere") return added(sphere_of(shape));
  if (kind == "box") return added(box_of(shape));
  if (kind == "compound") return added(read_parts(shape));
  if (kind == "mesh") return added(mesh_of(reading, shape));
  if (kind != "plane") return -1;
  const std::optional<Vec3> normal = shape.direction("normal");
  return added(normal ? std::optional<Plane>(Plane{*normal}) : std::nullopt);
}

}  // namespace talus::io
