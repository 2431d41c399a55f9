#include "app/run_observer.hpp"

#include "talus/simulation/contact_forces.hpp"

#include <fmt/format.h>
#include <utility>

namespace talus::app {

RunObserver::RunObserver(const Scene& scene, Facts facts, const Communicator& comm,
                         std::function<void(const std::string&)> tell)
    : facts_(std::move(facts)),
      comm_(comm),
      tell_(std::move(tell)),
      log_(facts_.folder, scene.log),
      removed_(facts_.folder),
      paraview_(facts_.folder + "/paraview", scene.paraview, comm),
      paraview_rhythm_(scene.paraview.every) {}

void RunObserver::warn(const StepReport& report) {
  std::vector<StepWarning> warnings = report.warnings;
  if (!(report.error <= facts_.tolerance))
    warnings.push_back(
        {"tolerance",
         fmt::format("step {}: the solver ended ({}) after {} iterations with an error of {:.3g} "
                     "m/s, above the tolerance of {:.3g} m/s: more solver.max_iterations, a "
                     "smaller time.step or a larger solver.tolerance is needed",
                     report.step, name_of(report.status), report.iterations, report.error,
                     facts_.tolerance)});
  for (const StepWarning& warning : warnings)
    if (const auto text = warnings_.tell(warning, report.step)) tell_(*text);
}

void RunObserver::begin(const World& world) {
  if (paraview_rhythm_.on()) paraview_.write(world, contact_forces(world, facts_.h));
}

void RunObserver::write(const World& world, double time) {
  const bool frame = paraview_rhythm_.due(time);
  if (!frame) return;
  const ContactForces forces = contact_forces(world, facts_.h);
  paraview_.write(world, forces);
}

void RunObserver::after_step(const World& world, const StepReport& report) {
  log_.add(report, world);
  removed_.add(report.removed);
  warn(report);
  write(world, report.time);
}

void RunObserver::failed(const World& world, const StepReport& report) {
  log_.add(report, world);
  removed_.add(report.removed);
  warn(report);
}

void RunObserver::end() {
  for (const std::string& line : warnings_.rest()) tell_(line);
}

}  // namespace talus::app
