// Example 2: run a scene step by step, and look at it on the way.
//
//   ./2_run_a_scene scene.yaml [variable=value ...]
//
// 1. Read the scene. Overrides are those of -s on the command line of talus run.
// 2. Make the simulation: bodies are made, the start is checked. Tolerance 0 means the default,
//    from what acts.
// 3. Step to the end of the scene. Each report has the verified error of its step.
// 4. Look at bodies and contacts between steps: arrays, in SI units, in the world frame.
// 5. Say how well it went: steps above the tolerance, and the energy that no source explains.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <talus/talus.hpp>
#include <utility>
#include <vector>

namespace {

/// The largest speed, m/s, and the sum of all contact forces' normal parts, N.
void look(const talus::World& world, double time_step, double time) {
  double fastest = 0.0, pressed = 0.0;
  for (const talus::Vec3& v : world.bodies.velocity)
    fastest = std::fmax(fastest, std::sqrt(talus::dot(v, v)));
  for (std::size_t c = 0; c < world.contacts.gap.size(); ++c)
    pressed += talus::dot(world.contacts.impulse[c], world.contacts.normal[c]) / time_step;
  std::printf("t = %.3f s: %d contacts press with %.3g N in all, fastest body %.3g m/s\n", time,
              static_cast<int>(world.contacts.count()), pressed, fastest);
}

int run_scene(const std::string& path, const std::vector<std::string>& overrides) {
  // 1.
  talus::Scene scene = talus::read_scene(path, overrides);
  const double end = scene.time.end;

  // 2.
  talus::Simulation simulation(std::move(scene), talus::run_defaults(),
                               talus::Communicator::self());
  for (const std::string& warning : simulation.warnings()) std::printf("%s\n", warning.c_str());

  // 3.
  talus::StepReport report;
  int above = 0;
  double worst = 0.0, unaccounted = 0.0;
  while (simulation.world().time < end * (1.0 - 1e-9)) {
    report = simulation.step(end);
    above += report.error <= report.tolerance ? 0 : 1;
    worst = std::fmax(worst, report.error);
    unaccounted += report.energy.unaccounted();
    // 4.
    if (report.step % 50 == 0) look(simulation.world(), report.time_step, report.time);
  }

  // 5.
  std::printf(
      "%lld steps, %d above the tolerance of %.2e m/s; worst %.2e m/s; %.1e J unaccounted\n",
      static_cast<long long>(report.step), above, report.tolerance, worst, unaccounted);
  return above == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s scene.yaml [variable=value ...]\n", argv[0]);
    return 2;
  }
  try {
    return run_scene(argv[1], {argv + 2, argv + argc});
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
}
