// Keys of monitors.

#include "talus/model/output_settings.hpp"

#include "io/scene_key.hpp"

namespace talus::io {

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
