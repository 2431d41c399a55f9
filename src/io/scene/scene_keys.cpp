#include "io/scene/scene_keys.hpp"

#include "talus/core/error.hpp"
#include "talus/model/output_settings.hpp"
#include "talus/model/scene.hpp"
#include "talus/solvers/solve.hpp"

#include "model/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace talus::io {

const KeyRule* SectionRules::find(const std::string& key) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const KeyRule& rule) { return rule.name == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> SectionRules::names() const {
  std::vector<std::string> all;
  for (const KeyRule& rule : keys) all.push_back(rule.name);
  return all;
}

const std::vector<SectionRules>& scene_sections() {
  static const std::vector<SectionRules> all = [] {
    std::vector<SectionRules> sections;
    for (auto part : {sections_of_the_world, sections_of_bodies, sections_of_joints,
                      sections_of_generators, sections_of_running, sections_of_monitors}) {
      std::vector<SectionRules> more = part();
      std::move(more.begin(), more.end(), std::back_inserter(sections));
    }
    return sections;
  }();
  return all;
}

const SectionRules& section_rules(const std::string& name) {
  const auto& all = scene_sections();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SectionRules& s) { return s.name == name; });
  TALUS_ASSERT(found != all.end());
  return *found;
}

bool applies(const KeyRule& rule, const std::string& kind) {
  return rule.of.empty() || kind.empty() ||
         std::find(rule.of.begin(), rule.of.end(), kind) != rule.of.end();
}

// Keys of the file itself: time, domain, materials, forces.

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
              "what bodies are distributed to ranks by: seconds of each rank, or counts of bodies "
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

/// What it may be: model/scene_checks.hpp.
Key pair_number(const char* name, const std::string& help) {
  const PairRule& rule = rule_of_pair(name);
  return Key(name, KeyType::Number, help).within(rule.range, rule.remedy);
}

SectionRules rules_of_pairs() {
  return {
      .name = "pair",
      .title = "a pair of materials",
      .keys = {
          Key("between", KeyType::Texts, "two materials").needed().times(2),
          pair_number("friction", "Coulomb's coefficient").or_else("0"),
          pair_number("restitution", "Newton's coefficient: speed after over before").or_else("0"),
          Key("friction_axis", KeyType::Numbers,
              "law box: friction is bounded along this direction, as it lies in the plane of "
              "the contact (world frame), and across it; `slip`: along the slip at the begin of "
              "the step")
              .or_else("the axis of x, y, z that is least along the normal")
              .times(3)
              .one_of({"slip"}),
          pair_number("rolling_radius",
                      "rolling friction: largest torque across the normal over the normal force")
              .in("m")
              .or_else("0"),
          pair_number("spinning_radius",
                      "spinning friction: largest torque about the normal over the normal force")
              .in("m")
              .or_else("0"),
          pair_number("cohesion", "largest normal force that pulls").in("N").or_else("0"),
          pair_number("compliance",
                      "of the normal direction, in either scheme: a spring with a damper")
              .in("m/N")
              .or_else("0"),
          pair_number("damping_time",
                      "of the damper of a contact with compliance; in spook, of every overlap")
              .in("s")
              .or_else("time.damping_time"),
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
  return {root_rules(),     time_rules(),     domain_rules(),
          material_rules(), rules_of_pairs(), force_rules()};
}

// Keys of the run: events, solver, output.

namespace {

SectionRules event_rules() {
  const std::vector<std::string> with_target{"remove", "fix", "release", "switch"};
  return {
      .name = "event",
      .title = "an event",
      .kind_key = "type",
      .keys = {
          Key("type", KeyType::Choice, "what happens")
              .needed()
              .one_of({"remove", "fix", "release", "switch", "gravity", "add"}),
          Key("at", KeyType::Number, "when: at the first step that begins then or later")
              .in("s")
              .within(not_negative, "simulated time counts from 0"),
          Key("when", KeyType::Formula, "or: at the first step where this holds (is not 0), once")
              .with(event_variables),
          Key("target", KeyType::Text,
              "a body, group or generator (`remove`, `fix`, `release`); a joint, spring, stream, "
              "group "
              "with forces, or `JOINT.motor` (`switch`)")
              .needed()
              .only_of(with_target),
          Key("on", KeyType::Flag, "on or off").needed().only_of({"switch"}),
          Key("value", KeyType::Formulas, "gravity from then on")
              .needed()
              .in("m/s2")
              .times(3)
              .with(of_time)
              .only_of({"gravity"}),
          Key("bodies", KeyType::Sections, "bodies that appear")
              .needed()
              .made_of("body")
              .only_of({"add"}),
      }};
}

SectionRules solver_rules() {
  return {
      .name = "solver",
      .title = "the solver",
      .keys = {
          Key("method", KeyType::Choice, "of the solver").or_else("auto").one_of(method_names()),
          Key("methods", KeyType::Choices,
              "several from the same start: the first that converges, or the least energy error")
              .one_of(method_names()),
          Key("candidates", KeyType::Choices, "the same as `methods`").one_of(method_names()),
          Key("law", KeyType::Choice, "friction law")
              .or_else("coulomb")
              .one_of({"coulomb", "associated", "box"}),
          Key("measure", KeyType::Choice, "the error that ends a solve")
              .or_else("natural_local")
              .one_of({"natural_local", "natural_velocity"}),
          Key("tolerance", KeyType::Number, "wanted error of every step")
              .in("m/s")
              .or_else("from what acts")
              .within(positive),
          Key("max_iterations", KeyType::Whole, "iterations after which to give up")
              .or_else("10000")
              .within(Range{.low = 1.0}),
          Key("stall_iterations", KeyType::Whole,
              "give up when the best error fell by less than 1 % over so many")
              .within(Range{.low = 1.0}),
          Key("time_limit", KeyType::Number, "of one solve; the answer then depends on the clock")
              .in("s")
              .within(positive),
          Key("unconverged", KeyType::Choice, "what to do where a step is above tolerance")
              .or_else("continue")
              .one_of({"continue", "stop"}),
      }};
}

}  // namespace

std::vector<SectionRules> sections_of_running() {
  return {
      event_rules(),
      solver_rules(),
      {.name = "output",
       .title = "output",
       .keys = {Key("log", KeyType::Section, "lines of progress").made_of("log"),
                Key("paraview", KeyType::Section, "files for ParaView").made_of("paraview"),
                Key("snapshots", KeyType::Section, "states in HDF5").made_of("snapshots"),
                Key("energy_ledger", KeyType::Flag,
                    "whether the report says where energy came from and where it went")
                    .or_else("true")}},
      {.name = "log",
       .title = "the log",
       .keys = {Key("every", KeyType::Number, "simulated time").needed().in("s").within(positive),
                Key("columns", KeyType::Choices, "what a line has")
                    .or_else("all of them")
                    .one_of(log_columns)}},
      {.name = "paraview",
       .title = "the files for ParaView",
       .keys = {Key("every", KeyType::Number, "simulated time").needed().in("s").within(positive),
                Key("bodies", KeyType::Choices, "fields of bodies, beside position and id")
                    .or_else("all but angular_velocity and mass")
                    .one_of(paraview_body_fields),
                Key("contacts", KeyType::Choices, "fields of contacts")
                    .or_else("[force, state, gap]")
                    .one_of(paraview_contact_fields),
                Key("parts", KeyType::Choices, "what a frame has")
                    .or_else("all of them")
                    .one_of(paraview_parts),
                Key("ranks_per_file", KeyType::Whole, "so many ranks leave one file of each part")
                    .or_else("16")
                    .within(Range{.low = 1.0, .high = 1e6})}},
      {.name = "snapshots",
       .title = "the snapshots",
       .keys = {Key("every", KeyType::Number, "simulated time").needed().in("s").within(positive)}},
      {.name = "checkpoint",
       .title = "the checkpoint",
       .keys = {Key("every", KeyType::Number, "simulated time").in("s").within(positive),
                Key("wall", KeyType::Number, "time on the clock").in("s").within(positive),
                Key("keep", KeyType::Whole, "how many are kept")
                    .or_else("2")
                    .within(Range{.low = 1.0, .high = 1e6})}},
  };
}

// Keys of monitors.

std::vector<SectionRules> sections_of_monitors() {
  const std::vector<std::string> axes{"x", "y", "z"};
  return {
      {.name = "monitor",
       .title = "a monitor",
       .kind_key = "type",
       .keys = {
           Key("name", KeyType::Text, "of its file, monitors/NAME.csv").needed(),
           type_rule("what is measured", monitor_kinds),
           Key("every", KeyType::Number, "simulated time").needed().in("s").within(positive),
           Key("of", KeyType::Text,
               "a body, group or generator: of its bodies alone; of `reaction`, a joint or spring. "
               "`load`, `reaction` and `track` need it")
               .or_else("all that impulses move"),
           Key("region", KeyType::Section,
               "where; `solid_fraction` and `stress`, which divide by its volume, need it")
               .or_else("everywhere")
               .made_of("region")
               .only_of({"coordination", "solid_fraction", "stress", "fabric", "forces"}),
           Key("axis", KeyType::Choice, "along which")
               .needed()
               .one_of(axes)
               .only_of({"quantiles", "profile"}),
           Key("up", KeyType::Choice, "of which coordinate the quantiles are")
               .or_else("z")
               .one_of(axes)
               .only_of({"profile"}),
           Key("values", KeyType::Numbers, "shares of the bodies that are below")
               .or_else("[0.5]; of `profile`, [0.5, 0.9]")
               .within(Range{.low = 0.0, .high = 1.0})
               .only_of({"quantiles", "profile"}),
           Key("from", KeyType::Number, "where the first bin begins")
               .needed()
               .in("m")
               .only_of({"profile"}),
           Key("to", KeyType::Number,
               "where the last bin ends: m of `profile`, multiples of the "
               "mean of `forces`")
               .or_else("6, of `forces`")
               .only_of({"profile", "forces"}),
           Key("bins", KeyType::Whole, "how many")
               .or_else("20; 60 of `forces`")
               .within(Range{.low = 1.0, .high = 10000.0})
               .only_of({"profile", "forces"}),
           Key("at", KeyType::Numbers, "a point of the plane; torques of `load` are about it")
               .in("m")
               .or_else("[0, 0, 0]")
               .times(3)
               .only_of({"flow", "load"}),
           Key("normal", KeyType::Numbers, "of the plane: what goes this way counts as positive")
               .or_else("[0, 0, 1]")
               .times(3)
               .only_of({"flow"}),
       }}};
}

}  // namespace talus::io
