#pragma once
// A simulation: owns the state and runs the stages of a step. Output is the caller's, who looks at
// the world and at the reports between steps.

#include "talus/assembly/joint_rows.hpp"
#include "talus/generate/scene_bodies.hpp"
#include "talus/model/detection.hpp"
#include "talus/model/scene.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/solvers/solve.hpp"
#include "talus/stepping/step_settings.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace talus {

/// Seconds by stage.
struct StageSeconds {
  double events = 0.0, detect = 0.0, assemble = 0.0, solve = 0.0, integrate = 0.0;
  double total() const { return events + detect + assemble + solve + integrate; }
};

/// A body that an event or the domain took out, as it was then.
struct RemovedBody {
  GlobalId id = 0;
  std::string group;
  std::int64_t step = 0;  ///< in which it was removed
  Vec3 position, velocity;
};

/// What a user should know of a step. Those of one kind are told now and then, not every time.
struct StepWarning {
  std::string kind;  ///< one word
  std::string text;
};

struct StepReport {
  std::int64_t step = 0;  ///< the first is 1
  double time = 0.0;      ///< s, at its end
  std::int64_t bodies = 0, contacts = 0, joint_rows = 0, warm_started = 0;
  bool searched = false;  ///< candidate pairs were searched anew
  SolveStatus status = SolveStatus::Converged;
  Method method = Method::Auto;
  std::int64_t iterations = 0, products = 0;
  double error = 0.0;            ///< m/s: natural residual of the law, verified
  double largest_error = 0.0;    ///< m/s: of the worst contact or row
  double energy_error = 0.0;     ///< J
  double largest_overlap = 0.0;  ///< m, at the begin of the step
  double overlap_share = 0.0;    ///< the same, largest part of the size of the smaller body
  std::int64_t inserted = 0;
  std::vector<RemovedBody> removed;
  std::vector<StepWarning> warnings;
  StageSeconds seconds;
};

/// The run cannot go on: a body left the domain, a number is not finite. Names the step, the
/// bodies, where they are and what they touched.
class RunFailure : public std::runtime_error {
 public:
  RunFailure(const std::string& what, StepReport of_step)
      : std::runtime_error(what), report(std::move(of_step)) {}
  StepReport report;  ///< of the step that failed
};

class Simulation {
 public:
  /// Makes the bodies of the scene and its generators and checks the start. Throws InputError: all
  /// faults that only show then (overlaps at the start, joints that do not fit, regions that are
  /// full, bodies outside the domain, events that cannot be). `solver`: tolerance 0 means 0.01 g h.
  Simulation(Scene scene, SolveOptions solver, Communicator comm);

  StepReport step();

  const World& world() const { return world_; }
  const Scene& scene() const { return scene_; }
  const SolveOptions& solver() const { return solver_; }
  const StepSettings& settings() const { return settings_; }
  const std::vector<GeneratorReport>& generators() const { return generator_reports_; }
  const std::vector<StreamState>& streams() const { return streams_; }
  /// What a user should know before the run: a step that lets bodies pass through walls, ...
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void add_generated(std::size_t generator);
  void begin_step(StepReport& report);
  void detect(StepReport& report);
  /// What a solve has found.
  struct Motions {
    std::vector<Vec6> velocities;  ///< per body
    std::vector<JointRow> rows;
    std::vector<double> row_impulses;
  };
  Motions solve_step(StepReport& report);
  void end_step(StepReport& report);

  Scene scene_;
  SolveOptions solver_;
  Communicator comm_;
  StepSettings settings_;
  World world_;
  Detection detection_;
  std::vector<GeneratorReport> generator_reports_;
  std::vector<StreamState> streams_;  ///< per generator
  std::vector<std::string> warnings_;
};

}  // namespace talus
