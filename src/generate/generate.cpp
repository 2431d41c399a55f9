#include "generate/generate.hpp"

#include "talus/core/error.hpp"

#include "core/arithmetic.hpp"
#include "core/number.hpp"
#include "generate/settings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

/// One key in one kind; a key of several kinds has a line for each, because defaults differ.
struct Line {
  const char* kind;
  const char* key;
  double value, least, most;
};

// The only place that knows which kind uses which key.
constexpr double most_bodies =
    1e7;  // three rows per contact and four contacts per body stay far below 2^31
constexpr Line lines[] = {
    {"stack", "bodies", 20, 1, most_bodies},
    {"stack", "friction", 0.5, 0, 1e6},
    {"stack", "mass_ratio", 1, 1e-6, 1e6},
    {"stack", "speed", 0.01, 0, 1e4},
    {"stack", "step", 0.005, 1e-6, 0.1},
    {"stack", "seed", 1, 0, 1e15},
    {"wall", "bodies", 101, 2, most_bodies},
    {"wall", "width", 0, 0, most_bodies},
    {"wall", "friction", 0.5, 0, 1e6},
    {"wall", "mass_ratio", 1000, 1e-6, 1e6},
    {"wall", "speed", 10, 0, 1e4},
    {"wall", "step", 0.001, 1e-6, 0.1},
    {"packing", "bodies", 1000, 1, most_bodies},
    {"packing", "friction", 0.5, 0, 1e6},
    {"packing", "speed", 0.001, 0, 1e4},
    {"packing", "radius", 0.005, 1e-6, 1e3},
    {"packing", "spread", 0.15, 0, 0.5},
    {"packing", "rolling_friction", 0, 0, 1e3},
    {"packing", "spinning_friction", 0, 0, 1e3},
    {"packing", "step", 0.001, 1e-6, 0.1},
    {"packing", "seed", 1, 0, 1e15},
    {"chain", "bodies", 1000, 1, most_bodies},
    {"chain", "mass_ratio", 1, 1e-6, 1e6},
    {"chain", "speed", 0.01, 0, 1e4},
    {"chain", "step", 0.005, 1e-6, 0.1},
    {"chain", "seed", 1, 0, 1e15},
    {"net", "bodies", 1000, 4, most_bodies},
    {"net", "width", 0, 0, most_bodies},
    {"net", "loops", 1, 0, 1},
    {"net", "mass_ratio", 1, 1e-6, 1e6},
    {"net", "speed", 0.01, 0, 1e4},
    {"net", "step", 0.005, 1e-6, 0.1},
    {"net", "seed", 1, 0, 1e15},
};
const std::vector<std::string> orders = {"alternating", "graded", "top"};

struct Meaning {
  const char *key, *unit, *help;
  std::optional<std::int64_t> GenerateOptions::*integer;
  std::optional<double> GenerateOptions::*real;
};
using Options = GenerateOptions;
constexpr Meaning meanings[] = {
    {"bodies", "", "number of bodies", &Options::bodies, nullptr},
    {"width", "", "bricks per course or tiles per row; 0: as many as rows", &Options::width,
     nullptr},
    {"friction", "", "coefficient of friction", nullptr, &Options::friction},
    {"rolling_friction", "m", "resistance to rolling: torque over normal force", nullptr,
     &Options::rolling_friction},
    {"spinning_friction", "m", "resistance to spinning: torque over normal force", nullptr,
     &Options::spinning_friction},
    {"loops", "", "share of the joints that a tree would not have", nullptr, &Options::loops},
    {"mass_ratio", "", "heavy mass over light mass", nullptr, &Options::mass_ratio},
    {"speed", "m/s", "speed before the step", nullptr, &Options::speed},
    {"step", "s", "time step", nullptr, &Options::step},
    {"radius", "m", "mean radius", nullptr, &Options::radius},
    {"spread", "", "radii are uniform in (1 +- spread) radius", nullptr, &Options::spread},
    {"seed", "", "of the random numbers", &Options::seed, nullptr},
};

const Line* line_of(const std::string& kind, const std::string& key) {
  const auto* found = std::find_if(std::begin(lines), std::end(lines), [&](const Line& line) {
    return line.kind == kind && line.key == key;
  });
  return found == std::end(lines) ? nullptr : found;
}

bool uses_order(const std::string& kind) {
  return kind == "stack";
}

std::vector<std::string> keys_of(const std::string& kind) {
  std::vector<std::string> keys;
  for (const Line& line : lines)
    if (line.kind == kind) keys.emplace_back(line.key);
  if (uses_order(kind)) keys.emplace_back("order");
  return keys;
}

std::string kinds_with(const std::string& key) {
  std::vector<std::string> kinds;
  for (const std::string& kind : generate_kinds())
    if (line_of(kind, key) != nullptr || (key == "order" && uses_order(kind)))
      kinds.push_back(kind);
  return fmt::format("{}", fmt::join(kinds, ", "));
}

std::string unit_of(const Meaning& meaning) {
  return *meaning.unit == '\0' ? "" : fmt::format(" {}", meaning.unit);
}

std::string range_of(const Line& line, const Meaning& meaning) {
  return fmt::format("{} to {}{}", line.least, line.most, unit_of(meaning));
}

bool known_kind(const std::string& kind) {
  const auto& kinds = generate_kinds();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string unknown_kind(const std::string& kind) {
  return fmt::format("generate: kind = \"{}\" is unknown: {}known are {}", kind,
                     did_you_mean(kind, generate_kinds()), fmt::join(generate_kinds(), ", "));
}

std::string not_used(const std::string& kind, const std::string& key) {
  return fmt::format("generate: {} is not used by {} (only by {}): leave it out", key, kind,
                     kinds_with(key));
}

/// The value that holds for a key, default or given; faults are added.
template <class Given>
double value_of(const std::string& kind, const Meaning& meaning, const Given& given,
                InputErrors& errors) {
  const Line* line = line_of(kind, meaning.key);
  if (line == nullptr) {
    if (given) errors.add(not_used(kind, meaning.key));
    return 0.0;
  }
  if (!given) return line->value;
  const auto value = static_cast<double>(*given);
  if (!(value >= line->least && value <= line->most))
    errors.add(fmt::format("generate: {} = {} must be {} for {} (default {}{})", meaning.key,
                           *given, range_of(*line, meaning), kind, line->value, unit_of(meaning)));
  return value;
}

void check_order(const GenerateOptions& options, InputErrors& errors) {
  if (!options.order) return;
  if (!uses_order(options.kind))
    errors.add(not_used(options.kind, "order"));
  else if (std::find(orders.begin(), orders.end(), *options.order) == orders.end())
    errors.add(fmt::format("generate: order = \"{}\" is unknown: {}known are {}", *options.order,
                           did_you_mean(*options.order, orders), fmt::join(orders, ", ")));
}

/// A wall has at least one whole course, a net at least two rows.
void check_width(const GenerateSettings& s, InputErrors& errors) {
  if (s.width == 0) return;
  if (s.kind == "wall" && s.width > s.bodies - 1)
    errors.add(
        fmt::format("generate: width = {} must be at most the number of bricks, {} "
                    "(bodies less the ball; default 0: as many as courses)",
                    s.width, s.bodies - 1));
  if (s.kind == "net" && (s.width < 2 || s.width > s.bodies - 1))
    errors.add(
        fmt::format("generate: width = {} must be 2 to {}: a net of {} bodies is pinned at the "
                    "corners of at least two rows (default 0: as many as rows)",
                    s.width, s.bodies - 1, s.bodies));
}

template <class Number>
void store(std::optional<Number>& field, const std::string& key, const std::string& text,
           const char* what, InputErrors& errors) {
  if (field) return errors.add(fmt::format("generate: {} is given twice", key));
  field = number_in<Number>(text);
  // a fault is reported once: the default keeps the checks of ranges quiet
  if (!field) errors.add(fmt::format("generate: {} = \"{}\" must be {}", key, text, what));
}

void parse_pair(GenerateOptions& options, const std::string& item, InputErrors& errors) {
  const std::size_t equals = item.find('=');
  std::string key = item.substr(0, equals);
  std::replace(key.begin(), key.end(), '-', '_');
  if (equals == std::string::npos)
    return errors.add(fmt::format("generate: \"{}\" must be key=value", item));
  const std::string text = item.substr(equals + 1);
  if (key == "order") {
    if (options.order) return errors.add("generate: order is given twice");
    options.order = text;
    return;
  }
  for (const Meaning& meaning : meanings) {
    if (key != meaning.key) continue;
    if (meaning.integer != nullptr)
      store(options.*meaning.integer, key, text, "a whole number", errors);
    else
      store(options.*meaning.real, key, text, "a number", errors);
    return;
  }
  const std::vector<std::string> keys = keys_of(options.kind);
  errors.add(fmt::format("generate: key \"{}\" is unknown: {}keys of {} are {}", key,
                         did_you_mean(key, keys), options.kind, fmt::join(keys, ", ")));
}

GenerateSettings checked(const GenerateOptions& options, InputErrors& errors) {
  GenerateSettings s;
  s.kind = options.kind;
  const auto find = [&](const char* key) {
    const auto* meaning = std::find_if(std::begin(meanings), std::end(meanings),
                                       [&](const auto& m) { return std::string(m.key) == key; });
    if (meaning->integer != nullptr)
      return value_of(options.kind, *meaning, options.*meaning->integer, errors);
    return value_of(options.kind, *meaning, options.*meaning->real, errors);
  };
  const double bodies = find("bodies"), width = find("width"), seed = find("seed");
  s.friction = find("friction");
  s.mass_ratio = find("mass_ratio");
  s.speed = find("speed");
  s.step = find("step");
  s.radius = find("radius");
  s.spread = find("spread");
  s.rolling_friction = find("rolling_friction");
  s.spinning_friction = find("spinning_friction");
  s.loops = find("loops");
  s.order = options.order.value_or(orders.front());
  check_order(options, errors);
  if (!errors.empty()) return s;  // what follows converts, and compares keys with each other
  s.bodies = static_cast<Index>(bodies);
  s.width = static_cast<Index>(width);
  s.seed = static_cast<std::uint64_t>(seed);
  check_width(s, errors);
  return s;
}

}  // namespace

const std::vector<std::string>& generate_kinds() {
  static const std::vector<std::string> kinds = {"stack", "wall", "packing", "chain", "net"};
  return kinds;
}

std::vector<GenerateKey> generate_keys(const std::string& kind) {
  if (!known_kind(kind)) throw InputError(unknown_kind(kind));
  std::vector<GenerateKey> keys;
  for (const Meaning& meaning : meanings) {
    const Line* line = line_of(kind, meaning.key);
    if (line == nullptr) continue;
    keys.push_back({meaning.key, meaning.unit, meaning.help, fmt::format("{}", line->value),
                    range_of(*line, meaning)});
  }
  if (uses_order(kind))
    keys.push_back({"order", "", "which plates are heavy", orders.front(),
                    fmt::format("{}", fmt::join(orders, ", "))});
  return keys;
}

GenerateSettings settled(const GenerateOptions& options) {
  if (!known_kind(options.kind)) throw InputError(unknown_kind(options.kind));
  InputErrors errors;
  GenerateSettings settings = checked(options, errors);
  errors.throw_if_any();
  return settings;
}

GenerateOptions parse_generate(const std::string& text) {
  GenerateOptions options;
  const std::size_t comma = text.find(',');
  options.kind = text.substr(0, comma);
  if (!known_kind(options.kind)) throw InputError(unknown_kind(options.kind));
  InputErrors errors;
  for (std::size_t from = comma; from != std::string::npos;) {
    const std::size_t to = text.find(',', from + 1);
    parse_pair(options, text.substr(from + 1, to == std::string::npos ? to : to - from - 1),
               errors);
    from = to;
  }
  checked(options, errors);
  errors.throw_if_any();
  return options;
}

namespace {

BodyProblem made(const GenerateSettings& settings) {
  if (settings.kind == "stack") return make_stack(settings);
  if (settings.kind == "wall") return make_wall(settings);
  if (settings.kind == "packing") return make_packing(settings);
  if (settings.kind == "chain") return make_chain(settings);
  TALUS_ASSERT(settings.kind == "net");
  return make_net(settings);
}

}  // namespace

BodyProblem generate(const GenerateOptions& options) {
  const StandardArithmetic arithmetic;
  const GenerateSettings settings = settled(options);
  BodyProblem problem = made(settings);
  problem.time_step = settings.step;
  return problem;
}

BodySlice generate_slice(const GenerateOptions& options, int rank, int ranks) {
  const GenerateSettings settings = settled(options);
  if (settings.kind == "packing") return make_packing_slice(settings, rank, ranks);
  return slice_of(generate(options), rank, ranks);
}

}  // namespace talus
