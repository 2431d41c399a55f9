#include "support/scene_run.hpp"

#include "talus/core/error.hpp"
#include "talus/io/scene_file.hpp"
#include "talus/simulation/run_defaults.hpp"

#include "core/number.hpp"
#include "support/places.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace talus::support {
namespace {

/// What scenes of jobs/scenes/ say of their solver, on the defaults of the program.
SolveOptions solver_of(const Scene& scene) {
  SolveOptions options = run_defaults();
  for (const std::string& said : scene.solver_assignments) {
    const std::size_t equals = said.find('=');
    const std::string key = said.substr(0, equals), value = said.substr(equals + 1);
    if (key == "solver.method")
      options.method = method_named(value);
    else if (key == "solver.tolerance")
      options.tolerance = number_in<double>(value).value();
    else if (key == "solver.max_iterations")
      options.max_iterations = number_in<std::int64_t>(value).value();
    else
      throw std::logic_error("a test cannot set " + key);
  }
  return options;
}

std::array<double, 3> coordinates(const Vec3& v) {
  return {v.x, v.y, v.z};
}

}  // namespace

Simulation start_scene(const std::string& name, const std::vector<std::string>& overrides) {
  Scene scene = read_scene(source_folder() / "jobs" / "scenes" / name, overrides);
  const SolveOptions solver = solver_of(scene);
  return {std::move(scene), solver, Communicator::self()};
}

std::vector<std::size_t> members(const World& world, const std::string& group) {
  const Index wanted = world.find_group(group);
  std::vector<std::size_t> found;
  for (std::size_t b = 0; b < world.bodies.id.size(); ++b)
    if (world.bodies.group[b] == wanted) found.push_back(b);
  return found;
}

double mass(const World& world, const std::vector<std::size_t>& bodies) {
  double sum = 0.0;
  for (const std::size_t b : bodies) sum += world.bodies.mass[b];
  return sum;
}

Vec3 centre_of_mass(const World& world, const std::vector<std::size_t>& bodies) {
  Vec3 sum;
  for (const std::size_t b : bodies) sum = sum + world.bodies.mass[b] * world.bodies.position[b];
  return (1.0 / mass(world, bodies)) * sum;
}

Vec3 momentum(const World& world, const std::vector<std::size_t>& bodies) {
  Vec3 sum;
  for (const std::size_t b : bodies) sum = sum + world.bodies.mass[b] * world.bodies.velocity[b];
  return sum;
}

double quantile(const World& world, const std::vector<std::size_t>& bodies, std::size_t axis,
                double share) {
  std::vector<double> values;
  for (const std::size_t b : bodies)
    values.push_back(coordinates(world.bodies.position[b]).at(axis));
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

Vec3 impulse_by(const World& world, const std::string& group) {
  const Index wanted = world.find_group(group);
  const auto is_member = [&](Index body) {
    return world.bodies.group[static_cast<std::size_t>(body)] == wanted;
  };
  const ContactSet& contacts = world.contacts;
  Vec3 sum;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    const bool by_a = is_member(contacts.body_a[c]), by_b = is_member(contacts.body_b[c]);
    if (by_a == by_b) continue;
    sum = by_a ? sum + contacts.impulse[c] : sum - contacts.impulse[c];
  }
  return sum;
}

const Joint& joint_named(const World& world, const std::string& name) {
  const auto found = std::find_if(world.joints.begin(), world.joints.end(),
                                  [&](const Joint& joint) { return joint.name == name; });
  if (found == world.joints.end()) throw std::logic_error("no joint is called " + name);
  return *found;
}

}  // namespace talus::support
