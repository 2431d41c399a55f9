#include "app/run/scene_words.hpp"

#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

constexpr std::array<const char*, 3> motion_names{"dynamic", "fixed", "kinematic"};

/// "3 spheres, 1 box": those that there are.
std::string shapes_text(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::string> words;
  for (const auto& [name, count] : counts)
    words.push_back(
        counted(count, name, name + (name.ends_with("x") || name.ends_with("sh") ? "es" : "s")));
  return fmt::format("{}", fmt::join(words, ", "));
}

/// "2 revolute, 1 spring"
std::string kinds_text(const std::map<std::string, std::int64_t>& counts) {
  std::vector<std::string> words;
  for (const auto& [name, count] : counts) words.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string joints_text(const std::vector<Joint>& joints) {
  std::map<std::string, std::int64_t> kinds;
  std::int64_t motors = 0;
  for (const Joint& joint : joints) {
    ++kinds[name_of(joint.type)];
    for (const Motor* motor : {&joint.angle_motor, &joint.way_motor})
      motors += motor->type != MotorType::None ? 1 : 0;
  }
  return fmt::format("{}: {}{}", joints.size(), kinds_text(kinds),
                     motors > 0 ? ", with " + counted(motors, "motor") : "");
}

std::string events_text(const std::vector<Event>& events) {
  // in the order of Event::Kind
  constexpr std::array<const char*, 6> names{"remove", "fix",     "release",
                                             "switch", "gravity", "add"};
  std::map<std::string, std::int64_t> kinds;
  for (const Event& event : events) ++kinds[names[static_cast<std::size_t>(event.kind)]];
  return fmt::format("{}: {}", events.size(), kinds_text(kinds));
}

std::string domain_text(const Domain& domain) {
  constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  const std::array<double, 6> ends{domain.low.x,  domain.low.y,  domain.low.z,
                                   domain.high.x, domain.high.y, domain.high.z};
  std::vector<std::string> ways, periodic;
  for (std::size_t k = 0; k < 3; ++k) {
    if (std::isfinite(ends[k]) || std::isfinite(ends[k + 3]))
      ways.push_back(fmt::format("{} {:g} to {:g}", axes[k], ends[k], ends[k + 3]));
    if (domain.periodic[k]) periodic.emplace_back(axes[k]);
  }
  if (ways.empty()) return "";
  const bool all_periodic = periodic.size() == 3;
  return fmt::format(
      "{} m{}{}", fmt::join(ways, ", "),
      periodic.empty() ? "" : fmt::format("; periodic in {}", fmt::join(periodic, ", ")),
      all_periodic                        ? ""
      : domain.outside == Outside::Remove ? "; bodies outside are removed"
                                          : "; a body outside ends the run");
}

std::string solver_text(const Simulation& simulation) {
  const SolveOptions& solver = simulation.solver();
  return fmt::format("law {}, method {}, tolerance {:.3g} m/s, at most {}", name_of(solver.law),
                     name_of(solver.method), solver.tolerance,
                     counted(solver.max_iterations, "iteration"));
}

std::string time_text(const Simulation& simulation, const RunGoal& goal) {
  const std::int64_t done = simulation.world().step;
  const double h = simulation.settings().h;
  const char* const scheme =
      simulation.settings().scheme == Scheme::Spook ? "spook" : "anitescu-tasora";
  if (goal.is_reached(simulation.world())) return fmt::format("step {}: nothing to do", done);
  const double begin = simulation.world().time;
  if (simulation.scene().time.automatic) {
    const StepSettings& settings = simulation.settings();
    return fmt::format(
        "automatic steps of {:g} to {:g} s ({}), error of one at most {:g} m, t = {:g}{}",
        settings.tick, static_cast<double>(settings.most_ticks) * settings.tick, scheme,
        simulation.scene().time.accuracy * settings.smallest_size, begin,
        goal.ticks == RunGoal::never
            ? fmt::format(" s, to step {}", goal.steps)
            : fmt::format(" to {:g} s", static_cast<double>(goal.ticks) * settings.tick));
  }
  return fmt::format(
      "{} of {:g} s ({}), t = {:g} to {:g} s",
      done > 0 ? fmt::format("steps {} to {}", done + 1, goal.steps) : counted(goal.steps, "step"),
      h, scheme, begin, static_cast<double>(goal.steps) * h);
}

}  // namespace

std::string generator_text(const Simulation& simulation, std::size_t generator) {
  const GeneratorReport& g = simulation.generators()[generator];
  const Index shape = simulation.scene().generators[generator].shape;
  const bool has_size =  // of other shapes the factor is known by which they are made larger
      shape < 0 || std::holds_alternative<Sphere>(simulation.world().shapes[shape]);
  return fmt::format(
      "{}: {}, {:.6g} kg, {} {:.4g} to {:.4g}{}{}", g.name, counted(g.count, "body", "bodies"),
      g.mass, has_size ? "sizes" : "its shape times", g.smallest, g.largest, has_size ? " m" : "",
      g.wanted_solid_fraction > 0.0 ? fmt::format(", solid fraction {:.4f} of {:.4f} wanted",
                                                  g.solid_fraction, g.wanted_solid_fraction)
                                    : "");
}

std::string groups_text(const std::map<std::string, std::int64_t>& counts,
                        const std::string& where_all) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<std::string, std::int64_t>> groups(counts.begin(), counts.end());
  if (groups.size() > most)  // those of one size stay in the order of their names
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", groups[i].second, groups[i].first);
  std::int64_t rest = 0;
  for (std::size_t i = most; i < groups.size(); ++i) rest += groups[i].second;
  if (rest > 0)
    text += fmt::format(" and {} in {} more groups{}", rest, groups.size() - most, where_all);
  return text;
}

BodyCounts count_bodies(const World& world, const Communicator& comm) {
  constexpr std::size_t shapes = std::variant_size_v<Shape>, first_group = 4 + shapes;
  const BodySet& bodies = world.bodies;
  std::vector<std::int64_t> counts(first_group + world.groups.size() + 1, 0);
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    const Shape& shape = world.shapes[bodies.shape[b]];
    const Index group = bodies.group[b];
    ++counts[0];
    ++counts[1 + static_cast<std::size_t>(bodies.motion[b])];
    ++counts[4 + shape.index()];
    ++counts[group >= 0 ? first_group + static_cast<std::size_t>(group) : counts.size() - 1];
  }
  comm.sum(counts);
  BodyCounts all;
  all.all = counts[0];
  for (std::size_t m = 0; m < 3; ++m) all.of_motion[m] = counts[1 + m];
  const std::array<Shape, shapes> examples{Sphere{}, Box{}, Plane{}, Compound{}, Mesh{}};
  for (const Shape& shape : examples)
    if (counts[4 + shape.index()] > 0) all.of_shape[name_of(shape)] = counts[4 + shape.index()];
  for (std::size_t g = 0; g < world.groups.size(); ++g)
    if (counts[first_group + g] > 0) all.of_group[world.groups[g]] = counts[first_group + g];
  if (counts.back() > 0) all.of_group["?"] = counts.back();
  return all;
}

std::vector<LabelledText> scene_lines(const Simulation& simulation, const BodyCounts& counts,
                                      const RunGoal& goal) {
  const Scene& scene = simulation.scene();
  const World& world = simulation.world();
  std::vector<LabelledText> lines;
  const auto add = [&](const char* label, const std::string& text) {
    if (!text.empty()) lines.push_back({label, text});
  };
  add("scene", scene.file + (scene.title.empty() ? "" : ": " + scene.title));
  std::vector<std::string> motions;
  for (std::size_t m = 0; m < 3; ++m)
    if (counts.of_motion[m] > 0)
      motions.push_back(fmt::format("{} {}", counts.of_motion[m], motion_names[m]));
  add("bodies", counts.all == 0 ? "none yet"
                                : fmt::format("{}: {}; {}", counts.all, fmt::join(motions, ", "),
                                              shapes_text(counts.of_shape)));
  if (!counts.of_group.empty())
    add("groups", std::to_string(counts.of_group.size()) + groups_text(counts.of_group, ""));
  if (!world.joints.empty()) add("joints", joints_text(world.joints));
  for (std::size_t g = 0; g < simulation.generators().size(); ++g)
    if (simulation.generators()[g].count > 0) add("generator", generator_text(simulation, g));
  for (const Generator& g : scene.generators)
    if (g.kind == Generator::Kind::Stream) add("generator", g.name + ": a stream");
  if (!scene.events.empty()) add("events", events_text(scene.events));
  if (!world.forces.empty())
    add("forces", counted(world.forces.size(), "group", "groups") + " of bodies");
  add("domain", domain_text(world.domain));
  add("time", time_text(simulation, goal));
  add("solver", solver_text(simulation));
  return lines;
}

}  // namespace talus::app
