// Keys of the run: events, solver, output (monitors: scene_keys_of_monitors.cpp).

#include "talus/model/scene.hpp"
#include "talus/solvers/solve.hpp"

#include "io/scene_key.hpp"

namespace talus::io {
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

}  // namespace talus::io
