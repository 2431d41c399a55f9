#include "simulation/said.hpp"

#include "talus/geometry/triangle_mesh.hpp"

#include "core/key_order.hpp"

#include <array>
#include <bit>
#include <variant>

namespace talus {
namespace {

/// Number after number, text after text.
class Said {
 public:
  std::uint64_t seal() const { return seal_; }

  void add(double x) { seal_ = mixed_bits(seal_ ^ std::bit_cast<std::uint64_t>(x)); }
  void add(const std::string& text) {
    add(static_cast<double>(text.size()));
    for (const char letter : text) seal_ = mixed_bits(seal_ ^ static_cast<unsigned char>(letter));
  }
  void add(const Vec3& v) {
    for (const double x : {v.x, v.y, v.z}) add(x);
  }
  void add(const Pose& pose) {
    const Quaternion& q = pose.orientation;
    add(pose.position);
    for (const double x : {q.w, q.x, q.y, q.z}) add(x);
  }
  void add(const Expression& formula) {
    const Expression::Definition made = formula.definition();
    add(made.number);
    add(made.text);
    for (const auto& [name, value] : made.constants) {
      add(name);
      add(value);
    }
    for (const std::string& name : made.variables) add(name);
  }
  void add(const std::array<Expression, 3>& formulas) {
    for (const Expression& formula : formulas) add(formula);
  }
  void add(const KinematicMotion& motion) {  // its start is that of the body
    add(motion.way);
    add(motion.velocity);
    add(motion.axis);
    add(motion.through);
    add(motion.angle);
    add(motion.rate);
  }

  void add(const Sphere& sphere) { add(sphere.radius); }
  void add(const Box& box) { add(box.half); }
  void add(const Plane& plane) { add(plane.normal); }
  void add(const Compound& compound) {
    for (const Compound::Part& part : compound.parts) {
      add_one_of(part.shape);
      add(part.pose);
    }
  }
  void add(const Mesh& mesh) {
    if (mesh.triangles == nullptr) return;  // a fault that is told later
    for (const Vec3& vertex : mesh.triangles->vertices()) add(vertex);
    for (const std::array<Index, 3>& corners : mesh.triangles->triangles())
      for (const Index corner : corners) add(static_cast<double>(corner));
  }
  template <class... Kinds>
  void add_one_of(const std::variant<Kinds...>& shape) {
    add(static_cast<double>(shape.index()));
    std::visit([&](const auto& kind) { add(kind); }, shape);
  }

 private:
  std::uint64_t seal_ = 0;
};

}  // namespace

std::uint64_t mixed(std::uint64_t seed, std::span<const double> numbers) {
  for (const double x : numbers) seed = mixed_bits(seed ^ std::bit_cast<std::uint64_t>(x));
  return seed;
}

std::uint64_t mixed(const std::string& text) {
  Said said;
  said.add(text);
  return said.seal();
}

std::uint64_t mixed(const BodySpec& spec) {
  Said said;
  for (const std::string& name : {spec.name, spec.group, spec.material}) said.add(name);
  said.add(static_cast<double>(spec.motion));
  said.add_one_of(spec.shape);
  said.add(spec.pose);
  said.add(spec.velocity);
  said.add(spec.angular_velocity);
  said.add(spec.scale);
  // what is not given is told from what is
  said.add(spec.mass.value_or(0.0));
  said.add((spec.mass ? 1.0 : 0.0) + (spec.inertia ? 2.0 : 0.0) + (spec.movement ? 4.0 : 0.0));
  if (spec.inertia) {
    const Sym3& i = *spec.inertia;
    for (const double x : {i.xx, i.xy, i.xz, i.yy, i.yz, i.zz}) said.add(x);
  }
  if (spec.movement) said.add(*spec.movement);
  return said.seal();
}

}  // namespace talus
