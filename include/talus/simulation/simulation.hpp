#pragma once
// A simulation: owns this rank's share of the state and runs the stages of a step. Output is the
// caller's, who looks at the world and at the reports between steps. All members that are not const
// are collective, and so are those that say so.

#include "talus/assembly/geometric_stiffness.hpp"
#include "talus/assembly/joint_rows.hpp"
#include "talus/core/error.hpp"
#include "talus/generate/scene_bodies.hpp"
#include "talus/model/detection.hpp"
#include "talus/model/scene_builder.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/partition/balance.hpp"
#include "talus/partition/cell_map.hpp"
#include "talus/partition/step_part.hpp"
#include "talus/partition/world_share.hpp"
#include "talus/simulation/between_steps.hpp"
#include "talus/simulation/energy_ledger.hpp"
#include "talus/simulation/impact_reach.hpp"
#include "talus/simulation/time_error.hpp"
#include "talus/solvers/solve.hpp"
#include "talus/stepping/checkpoint.hpp"
#include "talus/stepping/schemes.hpp"
#include "talus/stepping/step_settings.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
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

/// A body that has come farther in a step than contacts were looked for.
struct Outran {
  GlobalId body = 0;
  double way = 0.0;   ///< m
  double size = 0.0;  ///< m
  Vec3 position;
};

/// The contact problem of a step, as the run solves it.
struct FrozenStep {
  BodyProblem problem;
  Solution start;   ///< from which it begins: impulses of the step before
  Solution answer;  ///< that it finds
  StepReport report;
};

struct StepGraph;         // src/simulation/local_means.hpp
struct SimulationMemory;  // src/simulation/simulation_memory.cpp

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
  /// ranks: another law, a damaged checkpoint, slices of other ranks. Collective: each rank gives
  /// its own slice.
  Simulation(Checkpoint from, SolveOptions solver, Communicator comm, BalanceSettings balance = {});

  /// Asked at the end of every step: stop flags of this rank that no rank may follow alone, at most
  /// eight bits (StepReport::stop_flags).
  void ask(std::function<std::uint32_t()> stop_flags) { ask_ = std::move(stop_flags); }

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
  /// Throws InputError, on all ranks: no such body, not dynamic, not finite, an orientation that is
  /// none, a place outside the domain (along periodic axes it is brought back into it).
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
  /// scene; its group may be new; its name is no other body's, also of one that has gone. What it
  /// overlaps it is pushed out of by the steps. Those are set by its size where it is the smallest;
  /// a default tolerance stays what it was. Collective: all ranks say the same. Throws InputError,
  /// on all ranks, with what a scene would be refused for.
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
  void gather_joints() { share_.gather_joints(world_, hub_); }

  /// Of all ranks. Collective.
  std::int64_t body_count() const;

  /// This rank's bodies and the ghosts that it needs, and the contacts of its bodies.
  const World& world() const { return world_; }
  const Communicator& communicator() const { return comm_; }
  const BalanceSettings& balance_settings() const { return balance_; }
  /// Marks per body: more rows than one rank keeps, in the last step.
  const std::vector<std::uint8_t>& hub() const { return hub_; }
  /// Copies that this rank has of others' bodies.
  std::int64_t ghost_count() const { return share_.ghost_count(); }
  /// Largest over mean work of the ranks, over the last window of steps.
  double imbalance() const { return watch_.last_imbalance(); }
  const Detection& detection() const { return detection_; }
  const Scene& scene() const { return scene_; }
  const SolveOptions& solver() const { return solver_; }
  /// What set the default tolerance; empty where it was given.
  const std::string& tolerance_reason() const { return tolerance_reason_; }
  const StepSettings& settings() const { return settings_; }
  const std::vector<GeneratorReport>& generators() const { return generator_reports_; }
  const std::vector<StreamState>& streams() const { return streams_; }
  const ComparisonSchedule& comparisons() const { return comparisons_; }
  const StepControl& control() const { return control_; }
  /// What a user should know before the run: a step that lets bodies pass through walls, ...
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Simulation(SimulationMemory memory, Checkpoint& from, SolveOptions solver, Communicator comm,
             BalanceSettings balance);

  // At the start.
  void share_named();
  void add_generated(std::size_t generator);
  void choose_settings();
  void check_start(InputErrors& errors);
  void deal_out();

  // What callers do.
  void touch();
  void start_ledger();
  void see_size(double size);
  void require_alike(const std::string& call, std::uint64_t said) const;
  Motion require_body(const std::string& call, GlobalId body,
                      std::span<const double> numbers = {}) const;
  void require_dynamic(const std::string& call, GlobalId body,
                       std::span<const double> numbers) const;
  std::vector<double> of_owner(bool mine, std::vector<double> numbers) const;
  std::size_t find_joint(const std::string& call, const std::string& joint) const;

  // Stages.
  void choose_step(double by);
  void take_steps_of(std::int64_t ticks);
  void begin_step(StepReport& report);
  void run_due_events(StepReport& report);
  void place(const std::vector<NewBody>& bodies);
  void remove(const std::vector<std::uint8_t>& stays, std::int64_t step,
              std::vector<RemovedBody>& removed);
  void share(StepReport& report);
  void balance();
  void redistribute(StepReport& report);
  void detect(StepReport& report);
  /// What a solve has found.
  struct Motions {
    std::vector<Vec6> velocities;      ///< per body
    std::vector<double> row_impulses;  ///< per joint row
    std::vector<LimbSum> energy;       ///< energy_sums() of the step so far
    std::shared_ptr<const StepGraph> graph;
  };
  void watch_velocities(const Motions& motions);
  /// What a number of shorter steps make of the time of one.
  struct Trial {
    BodySet bodies;
    double work = 0.0;  ///< of ComparisonSchedule
    bool failed = false;
  };
  std::vector<Trial> trials();
  Trial trial_of(int parts) const;
  void compare(const std::vector<Trial>& trials, GlobalId before, const StepGraph& graph,
               StepReport& report);
  StepPart assemble(StepReport& report, NormalRows& normals);
  void find_stiff_bodies(StepReport& report);
  void see_joint_gaps(StepReport& report) const;
  Motions move(StepReport& report, FrozenStep* frozen);
  Motions solve_step(StepReport& report, const SolveOptions& options, FrozenStep* frozen);
  SolveOptions rough_options() const;
  std::vector<double> margins() const;
  bool have_outrun(Motions& motions, const StepReport& report);
  void find_unseen(const Motions& motions, const std::vector<double>& ways,
                   std::vector<Outran>& outran);
  std::vector<Mover> expected_hits() const;
  void find_contacts(StepReport& report);
  void find_contacts_again(StepReport& report);
  void tell_outran(const std::vector<Outran>& outran, StepReport& report) const;
  void end_step(StepReport& report);
  void balance_energy(Motions& motions, StepReport& report) const;
  void report_fast(const std::vector<std::size_t>& fast, StepReport& report) const;
  void stop_at_lost(const std::vector<std::size_t>& lost, const StepReport& report) const;
  void sum_report(StepReport& report) const;
  void watch(const StepReport& report);
  std::vector<StoredBody> everyones(const std::vector<StoredBody>& mine) const;

  Scene scene_;
  SolveOptions solver_;
  Communicator comm_;
  BalanceSettings balance_;
  std::string tolerance_reason_;
  StepSettings settings_;
  World world_;
  Detection detection_;
  WorldShare share_;
  CellMap map_;
  BalanceWatch watch_{BalanceRules{}};
  std::vector<GeneratorReport> generator_reports_;
  std::vector<StreamState> streams_;  ///< per generator
  ComparisonSchedule comparisons_;
  StepControl control_;
  bool is_trial_ = false;  ///< of shorter steps, in a copy: bodies stay with their ranks
  std::vector<std::string> warnings_;
  // Of the step.
  std::vector<double> margin_;   ///< m, per body: how far contacts were looked for
  std::vector<Outran> outran_;   ///< whose margins have grown since it began
  ImpactReach reach_;            ///< of those, round about
  std::vector<Outran> left_;     ///< that were not followed any more
  std::set<std::string> names_;  ///< that no new body may have; before the first add() none
  bool touched_ = false;         ///< callers have moved bodies, brought or taken them
  bool changed_ = false;         ///< bodies have come or gone, or move in another way
  bool any_pushed_ = false;      ///< World::pushed of some rank has something
  InputErrors push_errors_;      ///< of this rank, which others do not know of yet
  bool is_balance_due_ = false;
  double work_since_balance_ = 0.0;  ///< s; negative: nothing is measured yet
  double waited_ = 0.0;              ///< s, for other ranks, so far
  std::optional<double>
      kinetic_;  ///< J, over all ranks: after the last step, whatever callers did since
  std::function<std::uint32_t()> ask_;
  std::vector<JointRow> rows_;
  std::vector<Vec6> wrench_;
  std::vector<Sym3> added_;  ///< inertia of stiff bodies in the problem, per body; none: empty
  std::vector<std::uint8_t> hub_;
};

}  // namespace talus
