#include "app/run_observer.hpp"

#include <fmt/format.h>
#include <utility>

namespace talus::app {

RunObserver::RunObserver(const Scene& scene, Facts facts, const Communicator& comm,
                         std::function<void(const std::string&)> tell)
    : facts_(std::move(facts)),
      comm_(comm),
      tell_(std::move(tell)),
      log_(facts_.folder, scene.log, comm_.rank() == 0),
      removed_(facts_.folder) {}

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

void RunObserver::after_step(const World& world, const StepReport& report) {
  const Phase phase("writing the log");
  if (log_.is_due(report)) {
    const Energies energies = energies_of(world, comm_);
    if (comm_.rank() == 0) log_.add(report, energies);
  }
  if (comm_.rank() != 0) return;
  removed_.add(report.removed);
  warn(report);
}

void RunObserver::end() {
  if (comm_.rank() != 0) return;
  for (const std::string& line : warnings_.rest()) tell_(line);
}

}  // namespace talus::app
