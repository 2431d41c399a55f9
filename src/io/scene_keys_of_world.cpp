// Keys of the file itself: time, domain, materials, forces.

#include "io/scene_key.hpp"

namespace talus::io {
namespace {

SectionRules root_rules() {
  return {
      .name = "scene",
      .title = "a scene",
      .keys = {
          Key("talus", KeyType::Whole, "version of the format: 1").needed(),
          Key("title", KeyType::Text, "what is simulated"),
          Key("variables", KeyType::NumberTable,
              "numbers, or formulas of other variables, by name; -s NAME=VALUE sets them"),
          Key("include", KeyType::Texts, "files whose keys come before those of this file"),
          Key("time", KeyType::Section, "length of steps and of the simulation, and the scheme")
              .needed()
              .made_of("time"),
          Key("gravity", KeyType::Formulas, "of all bodies")
              .in("m/s2")
              .or_else("[0, 0, 0]")
              .times(3)
              .with(of_time),
          Key("domain", KeyType::Section, "where bodies may be")
              .or_else("without bounds")
              .made_of("domain"),
          Key("materials", KeyType::NamedSections, "by name").made_of("material"),
          Key("pairs", KeyType::Sections, "what happens between two materials").made_of("pair"),
          Key("bodies", KeyType::Sections, "bodies that have a name").made_of("body"),
          Key("joints", KeyType::Sections, "between two bodies").made_of("joint"),
          Key("springs", KeyType::Sections, "springs with dampers").made_of("spring"),
          Key("generators", KeyType::Sections, "what makes many bodies").made_of("generator"),
          Key("forces", KeyType::Sections, "on all bodies of a group").made_of("force"),
          Key("events", KeyType::Sections, "changes during the run").made_of("event"),
          Key("solver", KeyType::Settings, "method, law and accuracy of the solver")
              .made_of("solver"),
          Key("max_overlap", KeyType::Number,
              "largest overlap at the start, as a share of the size of the smaller body")
              .or_else("0.01")
              .within(not_negative),
          Key("balance", KeyType::Choice,
              "what bodies are dealt out to ranks by: seconds of each rank, or counts of bodies "
              "and rows, which makes the partition itself repeatable")
              .or_else("measured")
              .one_of({"measured", "counts"}),
          Key("monitors", KeyType::Sections, "numbers over time").made_of("monitor"),
          Key("output", KeyType::Section, "what is written").made_of("output"),
          Key("checkpoint", KeyType::Section, "files from which a run goes on")
              .made_of("checkpoint"),
      }};
}

SectionRules time_rules() {
  return {.name = "time",
          .title = "time",
          .keys = {
              Key("step", KeyType::Number,
                  "length of a step; `auto`: chosen from the error that a step makes, up to "
                  "`longest`")
                  .needed()
                  .in("s")
                  .within(positive, "the length of a time step in s")
                  .one_of({"auto"}),
              Key("longest", KeyType::Number, "longest of automatic steps; they need it")
                  .in("s")
                  .within(positive, "the length of a time step in s"),
              Key("shortest", KeyType::Number,
                  "shortest of automatic steps: what their times are multiples of")
                  .in("s")
                  .or_else("longest / 256")
                  .within(positive, "the length of a time step in s"),
              Key("accuracy", KeyType::Number,
                  "of automatic steps: error in the places of bodies that one step may make, as a "
                  "share of the smallest size")
                  .or_else("0.005")
                  .within(positive),
              Key("end", KeyType::Number, "simulated time")
                  .needed()
                  .in("s")
                  .within(not_negative, "the simulated time in s"),
              Key("scheme", KeyType::Choice, "time stepping")
                  .or_else("anitescu-tasora")
                  .one_of({"anitescu-tasora", "spook"}),
              Key("stabilisation", KeyType::Number,
                  "share of a gap's error that one step takes away (anitescu-tasora)")
                  .or_else("0.2")
                  .within(Range{.low = 0.0, .high = 1.0, .low_open = true},
                          "the share of a gap's error that one step takes away"),
              Key("recovery_speed", KeyType::Number,
                  "overlaps are pushed apart no faster; `unlimited`: no limit")
                  .in("m/s")
                  .or_else("from the sizes of bodies")
                  .within(not_negative)
                  .one_of({"unlimited"}),
              Key("bounce_speed", KeyType::Number, "slower impacts do not bounce")
                  .in("m/s")
                  .or_else("2 g h")
                  .within(not_negative),
              Key("damping_time", KeyType::Number,
                  "relaxation time of contacts and joints: of all in spook, else of those with "
                  "compliance")
                  .in("s")
                  .or_else("4 h")
                  .within(positive),
              Key("restitution_law", KeyType::Choice,
                  "what restitution is a share of: of the approach of each contact (newton), or of "
                  "the impulse that stops all approaches (poisson)")
                  .or_else("newton")
                  .one_of({"newton", "poisson"}),
              Key("error_share", KeyType::Number,
                  "share of the work of a run that goes into comparing steps with shorter ones, "
                  "which tells the error of the step length; 0: none")
                  .or_else("0.05")
                  .within(Range{.low = 0.0, .high = 10.0}),
          }};
}

SectionRules domain_rules() {
  return {.name = "domain",
          .title = "the domain",
          .keys = {
              Key("min", KeyType::Numbers, "lowest corner")
                  .in("m")
                  .or_else("-.inf")
                  .within(open_ended)
                  .times(3),
              Key("max", KeyType::Numbers, "highest corner")
                  .in("m")
                  .or_else(".inf")
                  .within(open_ended)
                  .times(3),
              Key("outside", KeyType::Choice, "what becomes of a body whose centre leaves")
                  .or_else("stop")
                  .one_of({"stop", "remove"}),
              Key("periodic", KeyType::Choices, "axes along which the world repeats itself")
                  .or_else("[]")
                  .one_of({"x", "y", "z"}),
          }};
}

SectionRules material_rules() {
  return {.name = "material",
          .title = "a material",
          .keys = {Key("density", KeyType::Number, "mass per volume")
                       .in("kg/m3")
                       .or_else("none: bodies give their mass")
                       .within(positive)}};
}

SectionRules pair_rules() {
  return {
      .name = "pair",
      .title = "a pair of materials",
      .keys = {
          Key("between", KeyType::Texts, "two materials").needed().times(2),
          Key("friction", KeyType::Number, "Coulomb's coefficient")
              .or_else("0")
              .within(not_negative, "Coulomb's coefficient; a negative one would make energy"),
          Key("restitution", KeyType::Number, "Newton's coefficient: speed after over before")
              .or_else("0")
              .within(Range{.low = 0.0, .high = 1.0},
                      "Newton's coefficient; above 1 every impact would make energy"),
          Key("friction_axis", KeyType::Numbers,
              "law box: friction is bounded along this direction, as it lies in the plane of "
              "the contact (world frame), and across it; `slip`: along the slip at the begin of "
              "the step")
              .or_else("the axis of x, y, z that is least along the normal")
              .times(3)
              .one_of({"slip"}),
          Key("rolling_radius", KeyType::Number,
              "rolling friction: largest torque across the normal over the normal force")
              .in("m")
              .or_else("0")
              .within(not_negative, "rolling friction is a length"),
          Key("spinning_radius", KeyType::Number,
              "spinning friction: largest torque about the normal over the normal force")
              .in("m")
              .or_else("0")
              .within(not_negative, "spinning friction is a length"),
          Key("cohesion", KeyType::Number, "largest normal force that pulls")
              .in("N")
              .or_else("0")
              .within(not_negative),
          Key("compliance", KeyType::Number,
              "of the normal direction, in either scheme: a spring with a damper")
              .in("m/N")
              .or_else("0")
              .within(not_negative),
          Key("damping_time", KeyType::Number,
              "of the damper of a contact with compliance; in spook, of every overlap")
              .in("s")
              .or_else("time.damping_time")
              .within(positive),
      }};
}

SectionRules force_rules() {
  return {.name = "force",
          .title = "a force",
          .keys = {
              Key("on", KeyType::Text, "a group, a body or a generator: every body of it").needed(),
              Key("force", KeyType::Formulas, "on each body, at its centre")
                  .in("N")
                  .or_else("[0, 0, 0]")
                  .times(3)
                  .with(of_time),
              Key("torque", KeyType::Formulas, "on each body")
                  .in("N m")
                  .or_else("[0, 0, 0]")
                  .times(3)
                  .with(of_time),
              Key("acceleration", KeyType::Formulas, "force per mass")
                  .in("m/s2")
                  .or_else("[0, 0, 0]")
                  .times(3)
                  .with(of_time),
          }};
}

}  // namespace

std::vector<SectionRules> sections_of_the_world() {
  return {root_rules(),     time_rules(), domain_rules(),
          material_rules(), pair_rules(), force_rules()};
}

}  // namespace talus::io
