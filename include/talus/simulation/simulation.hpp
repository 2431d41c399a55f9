#pragma once
// A simulation: owns this rank's share of the state and runs the stages of a step. Output is the
// caller's, who looks at the world and at the reports between steps. All members that are not const
// are collective, but for push_owned(), ask(), copies and moves, and so are those that say so.

#include "talus/model/scene_builder.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/partition/balance_options.hpp"
#include "talus/problem/body_problem.hpp"
#include "talus/simulation/between_steps.hpp"
#include "talus/simulation/energy_ledger.hpp"
#include "talus/solvers/solve.hpp"
#include "talus/stepping/checkpoint.hpp"
#include "talus/stepping/step_settings.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace talus {

/// Seconds by stage.
struct StageSeconds {
  double events = 0.0, share = 0.0, detect = 0.0, assemble = 0.0, solve = 0.0, integrate = 0.0;
  double compare = 0.0;  ///< with shorter steps
  double of_step() const { return events + share + detect + assemble + solve + integrate; }
  double total() const { return of_step() + compare; }
};

/// Exact sums over all ranks: the same for any number of them (energies: monitors.hpp).
/// Collective.
Momenta momenta_of(const World& world, const Communicator& comm);
std::uint64_t trajectory_hash(const BodySet& bodies, const Communicator& comm);

/// How bodies are distributed to ranks. Never changes a result of the operator methods.
struct BalanceSettings {
  enum class By : std::uint8_t {
    Measured,  ///< seconds of each rank: the partition depends on the clock
    Counts     ///< bodies and rows: the partition is repeatable
  };
  BalanceOptions cells;
  By by = By::Measured;
  std::int64_t every =
      0;  ///< also balance after so many steps, whatever it pays; 0: only where it pays
};

/// A body that an event or the domain took out, as it was then.
struct RemovedBody {
  GlobalId id = 0;
  std::string group;
  std::int64_t step = 0;  ///< in which it was removed
  Vec3 position, velocity;
};

/// What two halves of a step make different, over the bodies of all ranks that impulses move. Of a
/// body: of the point of it that differs most, but for where a sphere has turned to. The mean is
/// the largest root mean square over neighbourhoods, as that of the measure natural_local.
struct TimeError {
  double position = 0.0, largest_position = 0.0;  ///< m: mean; of the worst body
  double velocity = 0.0, largest_velocity = 0.0;  ///< m/s, likewise
  double share = 0.0;                             ///< `position` of the size of the smallest body
  /// m2, sums over all bodies: of the step beside its halves, and of these beside their own halves.
  /// The positions have the order log2(coarse / finer) / 2. `finer` < 0: not looked at.
  double coarse = 0.0, finer = -1.0;
};

/// What a user should know of a step. Those of one kind are told now and then, not every time.
struct StepWarning {
  std::string kind;  ///< one word
  std::string text;
};

/// The same on all ranks.
struct StepReport {
  std::int64_t step = 0;   ///< the first is 1
  double time = 0.0;       ///< s, at its end
  double time_step = 0.0;  ///< s
  std::int64_t ticks = 1;  ///< in it
  std::int64_t bodies = 0, contacts = 0, joint_rows = 0, warm_started = 0;
  bool searched = false;  ///< candidate pairs were searched anew
  /// Of the step: more than one where bodies were hit and came farther than contacts had been
  /// looked for. iterations and products are those of all.
  std::int64_t solves = 1;
  std::int64_t outran = 0;  ///< bodies that have come farther all the same
  /// The law of restitution had no answer, or one that makes energy: less was given back.
  bool less_restitution = false;
  SolveStatus status = SolveStatus::Converged;
  Method method = Method::Auto;
  std::int64_t iterations = 0, products = 0;
  double error = 0.0;          ///< m/s: natural residual of the law in its measure, verified
  double rms_error = 0.0;      ///< m/s: root mean square of it over all contacts and rows
  double largest_error = 0.0;  ///< m/s: of the worst contact or row
  double energy_error = 0.0;   ///< J
  double impulse_error = 0.0;  ///< N s: the same natural residual as impulses
  double largest_impulse_error = 0.0;
  std::optional<TimeError> time_error;  ///< of the last step that was compared with shorter ones
  bool compared = false;                ///< that is this step
  double tolerance = 0.0;               ///< m/s
  EnergyLedger energy;                  ///< over all ranks; none where the scene does not want it
  double largest_overlap = 0.0;         ///< m, at the begin of the step
  double overlap_share = 0.0;           ///< the same, largest part of the size of the smaller body
  // Of joints without compliance, at the begin of the step.
  double largest_joint_gap = 0.0;    ///< m: open, or beyond a limit
  double largest_joint_angle = 0.0;  ///< rad, likewise
  double joint_gap_share = 0.0;  ///< of largest_joint_gap: largest part of the smaller body's size
  /// rad: the largest h sqrt(k / I) of bodies on the geometric stiffness of their joints.
  double step_angle = 0.0;
  std::int64_t inserted = 0;
  std::vector<RemovedBody> removed;
  std::vector<StepWarning> warnings;
  std::uint32_t stop_flags = 0;  ///< that any rank has
  std::int64_t moved = 0;        ///< bodies that have gone to another rank
  std::int64_t most_ghosts = 0;  ///< of a rank
  double imbalance = 1.0;        ///< largest over mean work of ranks, when last looked at
  bool balanced = false;         ///< bodies were distributed anew
  /// Calls in which all ranks take part, beside those of its solves.
  std::int64_t collectives = 0;
  StageSeconds seconds;          ///< of this rank
  double balance_seconds = 0.0;  ///< of seconds.share: bodies distributed anew
};

/// The run cannot go on: a body left the domain, a number is not finite. Names the step, the
/// bodies, where they are and what they touched.
class RunFailure : public std::runtime_error {
 public:
  RunFailure(const std::string& what, StepReport of_step)
      : std::runtime_error(what), report(std::move(of_step)) {}
  StepReport report;  ///< of the step that failed
};

/// The contact problem of a step, as the run solves it.
struct FrozenStep {
  BodyProblem problem;
  Solution start;   ///< from which it begins: impulses of the step before
  Solution answer;  ///< that it finds
  StepReport report;
};

class SimulationParts;  // src/simulation/simulation_parts.hpp

class Simulation {
 public:
  /// Makes the bodies of the scene and its generators and checks the start. Throws InputError: all
  /// faults that only show then (overlaps at the start, joints that do not fit, regions that are
  /// full, bodies outside the domain, events that cannot be). `solver`: tolerance 0 means a default
  /// from what acts (docs/algorithms/stepping.md); any measure but NaturalVelocity means
  /// NaturalLocal.
  Simulation(Scene scene, SolveOptions solver, Communicator comm, BalanceSettings balance = {});

  /// Goes on: the same bits as of one that has never stopped, whatever the ranks, with the options
  /// that it had. `solver`: tolerance 0 means the one of the checkpoint. Throws InputError, on all
  /// ranks: another law, a damaged checkpoint, numbers of steps, pairs and joints that no scene may
  /// have, slices of other ranks, ranks that do not say the same. Collective: each rank gives its
  /// own slice, and all else alike.
  Simulation(Checkpoint from, SolveOptions solver, Communicator comm, BalanceSettings balance = {});

  /// Asked at the end of every step: stop flags of this rank that no rank may follow alone, at most
  /// eight bits (StepReport::stop_flags). Not collective: each rank says what it is to be asked.
  void ask(std::function<std::uint32_t()> stop_flags);

  /// Where steps are automatic, one ends at `by` (s) at the latest, or at the first tick after.
  /// Throws InputError, on all ranks, where they say another time or make another call.
  StepReport step(double by = infinity);

  // ---- what callers do to bodies (docs/library.md) ----

  /// A force (N) and a torque (N m) on a body in the next step, about its centre of mass, along the
  /// axes of the world; those of several calls add up. Collective: all ranks say the same. Throws
  /// InputError, on all ranks, where there is no such body, where forces do not move it, or where a
  /// number is not finite. Automatic steps do not begin short for it, which loops say before every
  /// step, nor for set_motor(): a jump is followed from the step after. For all else here they do.
  void push(GlobalId body, const Vec3& force, const Vec3& torque = {});
  /// The same in every step, until it is said again of this body; zero: no more, which may be said
  /// of any body. Checkpoints have it.
  void hold(GlobalId body, const Vec3& force, const Vec3& torque = {});
  /// As push(), for all bodies that this rank owns, in their order in world().bodies; no torques
  /// where there are none. Not collective: each rank gives its own, or nothing. Where there are
  /// more or fewer than bodies, or a number is not finite, one rank throws InputError here; of
  /// several all throw it in the next step(), and the simulation is of no use afterwards.
  void push_owned(std::span<const Vec3> forces, std::span<const Vec3> torques = {});

  // ---- what they read, write and switch ----

  /// The same on all ranks. Collective. Throws InputError where there is no such body.
  BodyState state_of(GlobalId body) const;
  /// From here a dynamic body goes on. What its contacts carried is forgotten where it is moved or
  /// turned; overlaps and open joints are closed by the steps. Collective: all ranks say the same.
  /// Throws InputError, on all ranks: no such body, not dynamic, not finite, beyond 1e100, an
  /// orientation that is none, a place outside the domain (along periodic axes it is brought back).
  void set_state(GlobalId body, const BodyState& state);
  /// In canonical order, the same on all ranks; none before the first step. Collective. Throws
  /// InputError where there is no such body.
  std::vector<BodyContact> contacts_of(GlobalId body) const;
  /// The same on all ranks. Collective. Throws InputError where there is no such joint or spring.
  JointState joint_state(const std::string& joint) const;
  /// What the motor of a joint follows or applies from now on (Motor::value). `of`: needed where
  /// the joint has two. Collective: all ranks say the same. Throws InputError, on all ranks.
  void set_motor(const std::string& joint, double value, std::optional<Freedom> of = {});
  /// As the event `switch` of scenes: a joint, "axle.motor", a stream, forces of a group.
  /// Collective: all ranks say the same. Throws InputError, on all ranks.
  void set_on(const std::string& target, bool on);

  // ---- bodies that they bring and take ----

  /// A body comes, at rest or as it says; returns its id, the next one. Its material is one of the
  /// scene; its group may be new, and is then no other body's name; its name is no other body's,
  /// also of one that has gone. What it overlaps it is pushed out of by the steps. Those are set by
  /// its size where it is the smallest; a default tolerance stays what it was. Collective: all
  /// ranks say the same. Throws InputError, on all ranks, with what a scene would be refused for.
  GlobalId add(const BodySpec& body);
  /// Many, at the price of one: returns the id of the first, in whose order the others follow. None
  /// comes where one of them is refused.
  GlobalId add(std::span<const BodySpec> bodies);
  /// A body goes, with the joints to it. Collective: all ranks say the same. Throws InputError
  /// where there is no such body.
  void remove(GlobalId body);

  /// All that goes on from here: for write_checkpoint() (io/checkpoint_file.hpp), or for another
  /// Simulation. Its `scene_text` and `program` are the caller's to fill. All ranks know all joints
  /// afterwards. Collective. Throws InputError, on all ranks, where bodies are pushed: that is of
  /// the next step, and the caller's to say again.
  Checkpoint checkpoint();

  /// The problem of the next step, which is not taken: the simulation is of no use afterwards. On
  /// one rank.
  FrozenStep freeze();

  /// Every rank knows what joints remember and do. Collective.
  void gather_joints();

  /// Of all ranks. Collective.
  std::int64_t body_count() const;

  /// This rank's bodies and the ghosts that it needs, and the contacts of its bodies.
  const World& world() const;
  const Communicator& communicator() const;
  const BalanceSettings& balance_settings() const;
  /// Copies that this rank has of others' bodies.
  std::int64_t ghost_count() const;
  /// Largest over mean work of the ranks, over the last window of steps.
  double imbalance() const;
  const Scene& scene() const;
  const SolveOptions& solver() const;
  /// What set the default tolerance; empty where it was given.
  const std::string& tolerance_reason() const;
  const StepSettings& settings() const;
  const std::vector<GeneratorReport>& generators() const;
  const std::vector<StreamState>& streams() const;
  /// What a user should know before the run: a step that lets bodies pass through walls, ...
  const std::vector<std::string>& warnings() const;

  /// What it is made of, for who looks inside; none of it is a promise.
  const SimulationParts& parts() const { return *parts_; }

  /// A copy goes on by itself, on the same ranks.
  Simulation(const Simulation& other);
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(const Simulation& other);
  Simulation& operator=(Simulation&& other) noexcept;
  ~Simulation();

 private:
  std::unique_ptr<SimulationParts> parts_;
};

}  // namespace talus
