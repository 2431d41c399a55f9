// Keys of bodies: shapes and how they move.

#include "io/scene/scene_keys.hpp"

#include <utility>

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

// Keys of generators.

namespace {

Key sizes_rule(const std::string& name, const std::string& unit, const std::string& help,
               const std::vector<std::string>& of) {
  return Key(name, KeyType::Number, help)
      .in(unit)
      .within(positive)
      .made_of("distribution")
      .only_of(of);
}

std::vector<SectionRules> generator_shape_rules() {
  KeyRule diameter = sizes_rule("diameter", "m", "a number or a distribution", {"sphere"});
  diameter.required = true;
  Key factor =
      sizes_rule("factor", "", "on all lengths: a number or a distribution", {"box", "compound"});
  factor.or_else("1");
  return {
      {.name = "generator_shape",
       .title = "the shape of a generator",
       .kind_key = "type",
       .keys = {type_rule("kind of shape", {"sphere", "box", "compound"}), diameter, size_rule(),
                parts_rule(), factor}},
      {.name = "distribution",
       .title = "a distribution",
       .kind_key = "type",
       .keys = {type_rule("kind of distribution", {"constant", "uniform", "lognormal", "table"}),
                Key("value", KeyType::Number, "the only size")
                    .needed()
                    .within(positive)
                    .only_of({"constant"}),
                Key("min", KeyType::Number, "least size")
                    .needed()
                    .within(positive)
                    .only_of({"uniform", "lognormal"}),
                Key("max", KeyType::Number, "largest size")
                    .needed()
                    .within(positive)
                    .only_of({"uniform", "lognormal"}),
                Key("median", KeyType::Number, "half are smaller")
                    .needed()
                    .within(positive)
                    .only_of({"lognormal"}),
                Key("deviation", KeyType::Number,
                    "standard deviation of the natural logarithm of the size")
                    .needed()
                    .within(positive)
                    .only_of({"lognormal"}),
                Key("table", KeyType::Pairs,
                    "[size, share] of each size; shares are divided by their sum")
                    .needed()
                    .only_of({"table"}),
                Key("by", KeyType::Choice, "what shares are shares of")
                    .or_else("number")
                    .one_of({"number", "mass"})
                    .only_of({"uniform", "lognormal", "table"})}},
  };
}

SectionRules region_rules() {
  return {
      .name = "region",
      .title = "a region",
      .kind_key = "type",
      .keys = {
          type_rule("kind of region", {"box", "sphere", "cylinder"}),
          Key("min", KeyType::Numbers, "lowest corner").needed().in("m").times(3).only_of({"box"}),
          Key("max", KeyType::Numbers, "highest corner").needed().in("m").times(3).only_of({"box"}),
          Key("centre", KeyType::Numbers, "of the sphere")
              .needed()
              .in("m")
              .times(3)
              .only_of({"sphere"}),
          Key("base", KeyType::Numbers, "middle of its base")
              .needed()
              .in("m")
              .times(3)
              .only_of({"cylinder"}),
          Key("radius", KeyType::Number, "of it")
              .needed()
              .in("m")
              .within(positive)
              .only_of({"sphere", "cylinder"}),
          Key("axis", KeyType::Numbers, "from the base to the other end")
              .or_else("[0, 0, 1]")
              .times(3)
              .only_of({"cylinder"}),
          Key("height", KeyType::Number, "along the axis")
              .needed()
              .in("m")
              .within(not_negative)
              .only_of({"cylinder"})}};
}

std::vector<KeyRule> keys_of_streams() {
  return {Key("mass_rate", KeyType::Formula, "of time; while it is negative nothing comes")
              .needed()
              .in("kg/s")
              .with(of_time)
              .only_of({"stream"}),
          Key("from", KeyType::Number, "when the stream begins")
              .in("s")
              .or_else("0")
              .within(not_negative)
              .only_of({"stream"}),
          Key("until", KeyType::Number, "when it ends")
              .in("s")
              .or_else("none")
              .within(not_negative)
              .only_of({"stream"}),
          Key("mass_limit", KeyType::Number, "in all")
              .in("kg")
              .or_else("none")
              .within(positive)
              .only_of({"stream"}),
          Key("on", KeyType::Flag, "at the start").or_else("true").only_of({"stream"})};
}

SectionRules generator_section() {
  const std::vector<std::string> made{"lattice", "packing", "random", "stream"};
  KeyRule turned = orientation();
  turned.choices = {"random"};
  turned.help = "as of bodies, or `random`";
  turned.of = made;
  SectionRules rules{
      .name = "generator",
      .title = "a generator",
      .kind_key = "type",
      .keys = {
          Key("name", KeyType::Text, "what others call it by, and the group of what it makes")
              .needed(),
          type_rule("how bodies are placed", {"lattice", "packing", "random", "stream", "import"}),
          Key("material", KeyType::Text, "one of `materials`; it needs a density").needed(),
          Key("shape", KeyType::Section, "of each body")
              .needed()
              .made_of("generator_shape")
              .only_of(made),
          Key("region", KeyType::Section,
              "where bodies are; of a stream, the face in which they appear (a thin box or "
              "cylinder)")
              .needed()
              .made_of("region")
              .only_of(made),
          Key("spacing", KeyType::Numbers, "of the lattice along x, y and z")
              .needed()
              .in("m")
              .within(positive)
              .times(3)
              .or_one()
              .only_of({"lattice"}),
          Key("place", KeyType::Choice,
              "where bodies are: `low` touch the lowest corner of their cells, and the first cell "
              "that of the region; `middle` are in the middle of their cells, and these of the "
              "region")
              .or_else("middle")
              .one_of({"low", "middle"})
              .only_of({"lattice"}),
          Key("jitter", KeyType::Number, "each coordinate moves by up to so much")
              .in("m")
              .or_else("0")
              .within(not_negative)
              .only_of({"lattice"}),
          Key("count", KeyType::Whole, "at most so many (lattice), so many (random)")
              .or_else("as many as fit")
              .within(Range{.low = 1.0})
              .only_of({"lattice", "random"}),
          Key("solid_fraction", KeyType::Number, "volume of bodies over volume of the region")
              .within(Range{.low = 0.0, .high = 1.0, .low_open = true, .high_open = true},
                      "bodies cannot fill a region; random packings of spheres reach 0.64")
              .only_of({"packing", "random"}),
          Key("seed", KeyType::Whole, "of the random numbers")
              .or_else("1")
              .within(Range{.low = 0.0, .high = 9007199254740991.0})
              .only_of(made),
          turned, vector_of("velocity", "m/s", "at the start"),
          vector_of("angular_velocity", "rad/s", "at the start, in world axes")}};
  for (KeyRule& key : keys_of_streams()) rules.keys.push_back(std::move(key));
  rules.keys.push_back(
      Key("file", KeyType::Text,
          "LAMMPS data file of spheres, or the state (.h5) that a run has left; relative to "
          "the scene file")
          .needed()
          .only_of({"import"}));
  return rules;
}

}  // namespace

std::vector<SectionRules> sections_of_generators() {
  std::vector<SectionRules> all{generator_section(), region_rules()};
  const std::vector<SectionRules> parts = generator_shape_rules();
  all.insert(all.end(), parts.begin(), parts.end());
  return all;
}

// Keys of joints and springs.

namespace {

SectionRules joint_section() {
  return {
      .name = "joint",
      .title = "a joint",
      .kind_key = "type",
      .keys = {
          Key("name", KeyType::Text, "what others call it by").needed(),
          type_rule("what it leaves free", {"fixed", "spherical", "revolute", "prismatic",
                                            "cylindrical", "universal", "distance"}),
          Key("between", KeyType::Texts, "two bodies, or a body and `world`").needed().times(2),
          Key("position", KeyType::Numbers,
              "of the joint at the start; of a distance, the point on the first body")
              .needed()
              .in("m")
              .times(3),
          Key("axis", KeyType::Numbers,
              "of the joint at the start (universal: fixed to the first body)")
              .or_else("[0, 0, 1]")
              .times(3)
              .only_of({"revolute", "prismatic", "cylindrical", "universal"}),
          Key("second_axis", KeyType::Numbers, "fixed to the second body, normal to `axis`")
              .needed()
              .times(3)
              .only_of({"universal"}),
          Key("second_position", KeyType::Numbers, "the point on the second body at the start")
              .needed()
              .in("m")
              .times(3)
              .only_of({"distance"}),
          Key("length", KeyType::Number, "the distance that is kept")
              .in("m")
              .or_else("distance of the points")
              .within(positive)
              .only_of({"distance"}),
          Key("limits", KeyType::Section, "of the angle, of the way")
              .or_else("none")
              .made_of("limits")
              .only_of({"revolute", "prismatic", "cylindrical", "distance"}),
          Key("motor", KeyType::Section, "what drives it")
              .made_of("motor")
              .only_of({"revolute", "prismatic", "cylindrical"}),
          Key("motors", KeyType::Sections, "two of them").made_of("motor").only_of({"cylindrical"}),
          Key("compliance", KeyType::Number, "of every row (spook)")
              .in("m/N")
              .or_else("0")
              .within(not_negative),
          Key("collide", KeyType::Flag, "whether its two bodies touch each other while it is on")
              .or_else("false; of a distance, true"),
          Key("on", KeyType::Flag, "at the start").or_else("true"),
      }};
}

}  // namespace

std::vector<SectionRules> sections_of_joints() {
  return {
      joint_section(),
      {.name = "limits",
       .title = "limits",
       .keys = {Key("angle", KeyType::Numbers, "least and largest; .inf: none")
                    .in("rad")
                    .within(open_ended)
                    .times(2),
                Key("way", KeyType::Numbers,
                    "least and largest; of a distance joint, of the distance")
                    .in("m")
                    .within(open_ended)
                    .times(2)}},
      {.name = "motor",
       .title = "a motor",
       .keys = {type_rule("what `value` is", {"position", "speed", "force", "torque"}),
                Key("value", KeyType::Formula, "of time")
                    .needed()
                    .in("rad, m; rad/s, m/s; N m, N")
                    .with(of_time),
                Key("limit", KeyType::Number, "what it can do at most")
                    .in("N m, N")
                    .or_else("none")
                    .within(positive),
                Key("of", KeyType::Choice, "what it drives, where a joint leaves both free")
                    .one_of({"angle", "way"}),
                Key("on", KeyType::Flag, "at the start").or_else("true")}},
      {.name = "spring",
       .title = "a spring",
       .keys =
           {Key("name", KeyType::Text, "what others call it by").needed(),
            Key("between", KeyType::Texts, "two bodies, or a body and `world`").needed().times(2),
            Key("at", KeyType::Points, "the two points at the start, first on the first body")
                .needed()
                .in("m")
                .times(2),
            Key("stiffness", KeyType::Number, "force per length")
                .needed()
                .in("N/m")
                .within(positive),
            Key("damping", KeyType::Number, "force per speed")
                .in("N s/m")
                .or_else("0")
                .within(not_negative),
            Key("length", KeyType::Number, "without force")
                .in("m")
                .or_else("distance of the points")
                .within(not_negative),
            Key("on", KeyType::Flag, "at the start").or_else("true")}},
  };
}

}  // namespace talus::io
