// Keys of generators.

#include "io/scene_key.hpp"

namespace talus::io {
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

SectionRules generator_section() {
  const std::vector<std::string> made{"lattice", "packing", "random", "stream"};
  KeyRule turned = orientation();
  turned.choices = {"random"};
  turned.help = "as of bodies, or `random`";
  turned.of = made;
  return {
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
          turned,
          vector_of("velocity", "m/s", "at the start"),
          vector_of("angular_velocity", "rad/s", "at the start, in world axes"),
          Key("mass_rate", KeyType::Formula, "of time")
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
          Key("on", KeyType::Flag, "at the start").or_else("true").only_of({"stream"}),
          Key("file", KeyType::Text,
              "LAMMPS data file of spheres, or the state (.h5) that a run has left; relative to "
              "the "
              "scene file")
              .needed()
              .only_of({"import"}),
      }};
}

}  // namespace

std::vector<SectionRules> sections_of_generators() {
  std::vector<SectionRules> all{generator_section(), region_rules()};
  const std::vector<SectionRules> parts = generator_shape_rules();
  all.insert(all.end(), parts.begin(), parts.end());
  return all;
}

}  // namespace talus::io
