// Keys of bodies: shapes and how they move.

#include "io/scene_key.hpp"

namespace talus::io {
namespace {

SectionRules body_rules() {
  KeyRule velocity = vector_of("velocity", "m/s", "of the centre of mass");
  KeyRule angular_velocity = vector_of("angular_velocity", "rad/s", "in world axes");
  velocity.of = angular_velocity.of = {"dynamic", "servo"};
  return {.name = "body",
          .title = "a body",
          .kind_key = "motion",
          .kind_default = "dynamic",
          .keys = {
              Key("name", KeyType::Text, "what others call it by").needed(),
              Key("group", KeyType::Text, "bodies of one group share forces and events")
                  .or_else("its name"),
              Key("motion", KeyType::Choice,
                  "`dynamic`: by forces and impulses; `fixed`: never; `kinematic`: as `movement` "
                  "says; `servo`: along an axis, driven by a force")
                  .or_else("dynamic")
                  .one_of({"dynamic", "fixed", "kinematic", "servo"}),
              Key("material", KeyType::Text, "one of `materials`").needed(),
              Key("shape", KeyType::Section, "what touches").needed().made_of("shape"),
              position("of the frame of the shape"),
              orientation(),
              velocity,
              angular_velocity,
              Key("mass", KeyType::Number, "in place of the density")
                  .in("kg")
                  .or_else("from density and volume")
                  .within(positive, "a body that nothing moves is `motion: fixed`"),
              Key("inertia", KeyType::Numbers,
                  "about the centre of mass, in axes of the shape: [xx, yy, zz], or [xx, xy, xz, "
                  "yy, yz, zz]")
                  .in("kg m2")
                  .or_else("from the shape")
                  .times(3, 6),
              Key("movement", KeyType::Section, "how it moves, whatever touches it")
                  .needed()
                  .made_of("movement")
                  .only_of({"kinematic"}),
              Key("servo", KeyType::Section, "its axis and its force")
                  .needed()
                  .made_of("servo")
                  .only_of({"servo"}),
          }};
}

std::vector<SectionRules> shape_rules() {
  const KeyRule diameter{
      .name = "diameter", .unit = "m", .help = "or `radius`", .range = positive, .of = {"sphere"}};
  const KeyRule radius{
      .name = "radius", .unit = "m", .help = "or `diameter`", .range = positive, .of = {"sphere"}};
  return {
      {.name = "shape",
       .title = "a shape",
       .kind_key = "type",
       .keys = {type_rule("kind of shape", {"sphere", "box", "plane", "compound", "mesh"}),
                diameter, radius, size_rule(),
                Key("normal", KeyType::Numbers,
                    "out of the solid half space; the plane goes through `position`")
                    .needed()
                    .times(3)
                    .only_of({"plane"}),
                parts_rule(),
                Key("file", KeyType::Text, "STL file, binary or ASCII; relative to the scene file")
                    .needed()
                    .only_of({"mesh"}),
                Key("scale", KeyType::Number, "m per unit of the file")
                    .or_else("1")
                    .within(positive)
                    .only_of({"mesh"})}},
      {.name = "part",
       .title = "a part",
       .keys = {Key("shape", KeyType::Section, "a sphere or a box").needed().made_of("part_shape"),
                position("in the frame of the body"), orientation()}},
      {.name = "part_shape",
       .title = "the shape of a part",
       .kind_key = "type",
       .keys = {type_rule("kind of shape", {"sphere", "box"}), diameter, radius, size_rule()}},
      {.name = "turn",
       .title = "an orientation",
       .keys = {Key("axis", KeyType::Numbers, "to turn about").needed().times(3),
                Key("angle", KeyType::Number, "to turn by").needed().in("rad")}},
  };
}

std::vector<SectionRules> movement_rules() {
  return {
      {.name = "movement",
       .title = "a movement",
       .keys = {Key("displacement", KeyType::Formulas, "from the position at the start")
                    .in("m")
                    .times(3)
                    .with(of_time),
                Key("velocity", KeyType::Formulas, "integrated by the steps, added to the others")
                    .in("m/s")
                    .times(3)
                    .with(of_time),
                Key("rotation", KeyType::Section, "about an axis").made_of("rotation"),
                Key("vibration", KeyType::Section,
                    "amplitude*(sin(2*pi*frequency*t + phase) - sin(phase)), added to the others")
                    .made_of("vibration")}},
      {.name = "rotation",
       .title = "a rotation",
       .keys = {Key("axis", KeyType::Numbers, "to turn about").needed().times(3),
                Key("through", KeyType::Numbers, "a point of the axis at the start")
                    .in("m")
                    .or_else("position of the body")
                    .times(3),
                Key("angle", KeyType::Formula, "angle, or `rate`").in("rad").with(of_time),
                Key("rate", KeyType::Formula, "angular velocity, integrated by the steps")
                    .in("rad/s")
                    .with(of_time)}},
      {.name = "vibration",
       .title = "a vibration",
       .keys = {Key("amplitude", KeyType::Numbers, "along x, y, z").needed().in("m").times(3),
                Key("frequency", KeyType::Number, "oscillations per second")
                    .needed()
                    .in("1/s")
                    .within(positive),
                Key("phase", KeyType::Number, "at the start").in("rad").or_else("0")}},
      {.name = "servo",
       .title = "a servo",
       .keys = {Key("axis", KeyType::Numbers, "to slide along").needed().times(3),
                Key("force", KeyType::Formula, "along the axis, of time")
                    .needed()
                    .in("N")
                    .with(of_time)}},
  };
}

}  // namespace

std::vector<SectionRules> sections_of_bodies() {
  std::vector<SectionRules> all{body_rules()};
  for (const auto& part : {shape_rules(), movement_rules()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace talus::io
