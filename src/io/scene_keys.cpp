#include "io/scene_keys.hpp"

#include "talus/core/error.hpp"
#include "talus/model/scene.hpp"
#include "talus/solvers/solve.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace talus::io {
namespace {

const std::vector<std::string> of_time{"t"};

SectionRules root_rules() {
  return {.name = "scene",
          .title = "a scene",
          .keys = {
              {"talus", KeyType::Whole, true, "", "", "version of the format: 1"},
              {"title", KeyType::Text, false, "", "", "what is simulated"},
              {"variables", KeyType::NumberTable, false, "", "",
               "numbers, or formulas of other variables, by name; -s NAME=VALUE sets them"},
              {"include", KeyType::Texts, false, "", "",
               "files whose keys come before those of this file"},
              {.name = "time",
               .type = KeyType::Section,
               .required = true,
               .help = "length of steps and of the simulation, and the scheme",
               .section = "time"},
              {.name = "gravity",
               .type = KeyType::Formulas,
               .unit = "m/s2",
               .fallback = "[0, 0, 0]",
               .help = "of all bodies",
               .count = 3,
               .variables = of_time},
              {.name = "domain",
               .type = KeyType::Section,
               .fallback = "without bounds",
               .help = "where bodies may be",
               .section = "domain"},
              {.name = "materials",
               .type = KeyType::NamedSections,
               .help = "by name",
               .section = "material"},
              {.name = "pairs",
               .type = KeyType::Sections,
               .help = "what happens between two materials",
               .section = "pair"},
              {.name = "bodies",
               .type = KeyType::Sections,
               .help = "bodies that have a name",
               .section = "body"},
              {.name = "joints",
               .type = KeyType::Sections,
               .help = "between two bodies",
               .section = "joint"},
              {.name = "springs",
               .type = KeyType::Sections,
               .help = "springs with dampers",
               .section = "spring"},
              {.name = "generators",
               .type = KeyType::Sections,
               .help = "what makes many bodies",
               .section = "generator"},
              {.name = "forces",
               .type = KeyType::Sections,
               .help = "on all bodies of a group",
               .section = "force"},
              {.name = "events",
               .type = KeyType::Sections,
               .help = "changes during the run",
               .section = "event"},
              {.name = "solver",
               .type = KeyType::Settings,
               .help = "method, law and accuracy of the solver",
               .section = "solver"},
              {.name = "max_overlap",
               .type = KeyType::Number,
               .fallback = "0.01",
               .help = "largest overlap at the start, as a share of the size of the smaller body",
               .range = not_negative},
              {.name = "monitors",
               .type = KeyType::Sections,
               .help = "numbers over time",
               .section = "monitor"},
              {.name = "output",
               .type = KeyType::Section,
               .help = "what is written",
               .section = "output"},
              {.name = "checkpoint",
               .type = KeyType::Section,
               .help = "files from which a run goes on",
               .section = "checkpoint"},
          }};
}

SectionRules time_rules() {
  return {.name = "time",
          .title = "time",
          .keys = {
              {.name = "step",
               .required = true,
               .unit = "s",
               .help = "length of a step",
               .range = positive,
               .remedy = "the length of a time step in s"},
              {.name = "end",
               .required = true,
               .unit = "s",
               .help = "simulated time",
               .range = not_negative,
               .remedy = "the simulated time in s"},
              {.name = "scheme",
               .type = KeyType::Choice,
               .fallback = "anitescu-tasora",
               .help = "time stepping",
               .choices = {"anitescu-tasora", "spook"}},
              {.name = "stabilisation",
               .fallback = "0.2",
               .help = "share of a gap's error that one step takes away (anitescu-tasora)",
               .range = {.low = 0.0, .high = 1.0, .low_open = true},
               .remedy = "the share of a gap's error that one step takes away"},
              {.name = "recovery_speed",
               .unit = "m/s",
               .fallback = "from the sizes of bodies",
               .help = "overlaps are pushed apart no faster; `unlimited`: no limit",
               .range = not_negative,
               .choices = {"unlimited"}},
              {.name = "bounce_speed",
               .unit = "m/s",
               .fallback = "2 g h",
               .help = "slower impacts do not bounce",
               .range = not_negative},
              {.name = "damping_time",
               .unit = "s",
               .fallback = "2 h",
               .help = "relaxation time of contacts and joints (spook)",
               .range = positive},
          }};
}

SectionRules domain_rules() {
  return {.name = "domain",
          .title = "the domain",
          .keys = {
              {.name = "min",
               .type = KeyType::Numbers,
               .unit = "m",
               .fallback = "-.inf",
               .help = "lowest corner",
               .range = open_ended,
               .count = 3},
              {.name = "max",
               .type = KeyType::Numbers,
               .unit = "m",
               .fallback = ".inf",
               .help = "highest corner",
               .range = open_ended,
               .count = 3},
              {.name = "outside",
               .type = KeyType::Choice,
               .fallback = "stop",
               .help = "what becomes of a body whose centre leaves",
               .choices = {"stop", "remove"}},
              {.name = "periodic",
               .type = KeyType::Choices,
               .fallback = "[]",
               .help = "axes along which the world repeats itself",
               .choices = {"x", "y", "z"}},
          }};
}

SectionRules material_rules() {
  return {.name = "material",
          .title = "a material",
          .keys = {{.name = "density",
                    .unit = "kg/m3",
                    .fallback = "none: bodies give their mass",
                    .help = "mass per volume",
                    .range = positive}}};
}

SectionRules pair_rules() {
  return {.name = "pair",
          .title = "a pair of materials",
          .keys = {
              {.name = "between",
               .type = KeyType::Texts,
               .required = true,
               .help = "two materials",
               .count = 2},
              {.name = "friction",
               .fallback = "0",
               .help = "Coulomb's coefficient",
               .range = not_negative,
               .remedy = "Coulomb's coefficient; a negative one would make energy"},
              {.name = "restitution",
               .fallback = "0",
               .help = "Newton's coefficient: speed after over before",
               .range = {.low = 0.0, .high = 1.0},
               .remedy = "Newton's coefficient; above 1 every impact would make energy"},
              {.name = "rolling_radius",
               .unit = "m",
               .fallback = "0",
               .help = "rolling friction: largest torque across the normal over the normal force",
               .range = not_negative,
               .remedy = "rolling friction is a length"},
              {.name = "spinning_radius",
               .unit = "m",
               .fallback = "0",
               .help = "spinning friction: largest torque about the normal over the normal force",
               .range = not_negative,
               .remedy = "spinning friction is a length"},
              {.name = "cohesion",
               .unit = "N",
               .fallback = "0",
               .help = "largest normal force that pulls",
               .range = not_negative},
              {.name = "compliance",
               .unit = "m/N",
               .fallback = "0",
               .help = "of the normal direction (spook)",
               .range = not_negative},
              {.name = "damping_time",
               .unit = "s",
               .fallback = "time.damping_time",
               .help = "relaxation time of a gap (spook)",
               .range = positive},
          }};
}

SectionRules force_rules() {
  return {.name = "force",
          .title = "a force",
          .keys = {
              {.name = "on",
               .type = KeyType::Text,
               .required = true,
               .help = "a group, a body or a generator: every body of it"},
              {.name = "force",
               .type = KeyType::Formulas,
               .unit = "N",
               .fallback = "[0, 0, 0]",
               .help = "on each body, at its centre",
               .count = 3,
               .variables = of_time},
              {.name = "torque",
               .type = KeyType::Formulas,
               .unit = "N m",
               .fallback = "[0, 0, 0]",
               .help = "on each body",
               .count = 3,
               .variables = of_time},
              {.name = "acceleration",
               .type = KeyType::Formulas,
               .unit = "m/s2",
               .fallback = "[0, 0, 0]",
               .help = "force per mass",
               .count = 3,
               .variables = of_time},
          }};
}

SectionRules event_rules() {
  const std::vector<std::string> with_target{"remove", "fix", "release", "switch"};
  return {
      .name = "event",
      .title = "an event",
      .kind_key = "type",
      .keys = {
          {.name = "type",
           .type = KeyType::Choice,
           .required = true,
           .help = "what happens",
           .choices = {"remove", "fix", "release", "switch", "gravity", "add"}},
          {.name = "at",
           .unit = "s",
           .help = "when: at the first step that begins then or later",
           .range = not_negative,
           .remedy = "simulated time counts from 0"},
          {.name = "when",
           .type = KeyType::Formula,
           .help = "or: at the first step where this holds (is not 0), once",
           .variables = event_variables},
          {.name = "target",
           .type = KeyType::Text,
           .required = true,
           .help = "a body, group or generator (`remove`, `fix`, `release`); a joint, spring or "
                   "stream (`switch`)",
           .of = with_target},
          {.name = "on",
           .type = KeyType::Flag,
           .required = true,
           .help = "on or off",
           .of = {"switch"}},
          {.name = "value",
           .type = KeyType::Formulas,
           .required = true,
           .unit = "m/s2",
           .help = "gravity from then on",
           .count = 3,
           .variables = of_time,
           .of = {"gravity"}},
          {.name = "bodies",
           .type = KeyType::Sections,
           .required = true,
           .help = "bodies that appear",
           .section = "body",
           .of = {"add"}},
      }};
}

SectionRules solver_rules() {
  return {.name = "solver",
          .title = "the solver",
          .keys = {
              {.name = "method",
               .type = KeyType::Choice,
               .fallback = "auto",
               .help = "of the solver",
               .choices = method_names()},
              {.name = "methods",
               .type = KeyType::Choices,
               .help = "several from the same start: the first that converges, or the least error",
               .choices = method_names()},
              {.name = "candidates",
               .type = KeyType::Choices,
               .help = "the same as `methods`",
               .choices = method_names()},
              {.name = "law",
               .type = KeyType::Choice,
               .fallback = "coulomb",
               .help = "friction law",
               .choices = {"coulomb", "associated", "box"}},
              {.name = "measure",
               .type = KeyType::Choice,
               .fallback = "natural",
               .help = "the error that stops a solve",
               .choices = measure_names()},
              {.name = "tolerance",
               .unit = "m/s",
               .fallback = "0.01 g h",
               .help = "wanted error of every step, in the unit of the measure",
               .range = positive},
              {.name = "max_iterations",
               .type = KeyType::Whole,
               .help = "iterations after which to give up",
               .range = {.low = 1.0}},
              {.name = "stall_iterations",
               .type = KeyType::Whole,
               .help = "give up when the best error fell by less than 1 % over so many",
               .range = {.low = 1.0}},
              {.name = "time_limit",
               .unit = "s",
               .help = "of one solve; the answer then depends on the clock",
               .range = positive},
              {.name = "unconverged",
               .type = KeyType::Choice,
               .fallback = "continue",
               .help = "what to do where a step is above tolerance",
               .choices = {"continue", "stop"}},
              {.name = "warm_start",
               .type = KeyType::Flag,
               .fallback = "true",
               .help = "begin with the impulses of the last step"},
          }};
}

}  // namespace

std::vector<SectionRules> sections_of_the_whole() {
  return {root_rules(), time_rules(),  domain_rules(), material_rules(),
          pair_rules(), force_rules(), event_rules(),  solver_rules()};
}

bool Range::holds(double value) const {
  if (std::isnan(value) || (std::isinf(value) && !infinite)) return false;
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Range::text() const {
  const bool below = low > -std::numeric_limits<double>::infinity();
  const bool above = high < std::numeric_limits<double>::infinity();
  if (below && above)
    return fmt::format("must lie in {}{}, {}{}", low_open ? "(" : "[", low, high,
                       high_open ? ")" : "]");
  if (below) return fmt::format("must be {} {}", low_open ? ">" : ">=", low);
  return infinite ? "must be a number" : "must be finite";
}

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
    for (auto part : {sections_of_the_whole, sections_of_bodies, sections_of_joints,
                      sections_of_generators, sections_of_output}) {
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

}  // namespace talus::io
