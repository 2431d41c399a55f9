#pragma once
// What a simulation is made of: the state, the parts that work on it from step to step, and the
// stages of a step. What its members promise stands at Simulation, which forwards to them.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/simulation/simulation.hpp"

#include "assembly/geometric_stiffness.hpp"
#include "assembly/joint_rows.hpp"
#include "model/detection.hpp"
#include "partition/balance.hpp"
#include "partition/cell_map.hpp"
#include "partition/step_part.hpp"
#include "partition/world_share.hpp"
#include "simulation/impact_reach.hpp"
#include "simulation/joint_gaps.hpp"
#include "simulation/margins.hpp"
#include "simulation/start_checks.hpp"
#include "simulation/time_error.hpp"
#include "stepping/schemes.hpp"

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace talus {

/// A body that has come farther in a step than contacts were looked for.
struct Outran {
  GlobalId body = 0;
  double way = 0.0;   ///< m
  double size = 0.0;  ///< m
  Vec3 position;
};

struct StepGraph;         // src/simulation/local_means.hpp
struct SimulationMemory;  // src/simulation/simulation_memory.cpp

class SimulationParts {
 public:
  SimulationParts(Scene scene, SolveOptions solver, Communicator comm,
                  BalanceSettings balance = {});
  SimulationParts(Checkpoint from, const SolveOptions& solver, const Communicator& comm,
                  BalanceSettings balance = {});
  void ask(std::function<std::uint32_t()> stop_flags) { ask_ = std::move(stop_flags); }
  StepReport step(double by = infinity);
  void push(GlobalId body, const Vec3& force, const Vec3& torque = {});
  void hold(GlobalId body, const Vec3& force, const Vec3& torque = {});
  void push_owned(std::span<const Vec3> forces, std::span<const Vec3> torques = {});
  BodyState state_of(GlobalId body) const;
  void set_state(GlobalId body, const BodyState& state);
  std::vector<BodyContact> contacts_of(GlobalId body) const;
  JointState joint_state(const std::string& joint) const;
  void set_motor(const std::string& joint, double value, std::optional<Freedom> of = {});
  void set_on(const std::string& target, bool on);
  GlobalId add(const BodySpec& body);
  GlobalId add(std::span<const BodySpec> bodies);
  void remove(GlobalId body);
  Checkpoint checkpoint();
  FrozenStep freeze();
  void gather_joints() { share_.gather_joints(world_, hub_); }
  std::int64_t body_count() const;
  const World& world() const { return world_; }
  const Communicator& communicator() const { return comm_; }
  const BalanceSettings& balance_settings() const { return balance_; }
  const std::vector<std::uint8_t>& hub() const { return hub_; }
  std::int64_t ghost_count() const { return share_.ghost_count(); }
  double imbalance() const { return watch_.last_imbalance(); }
  const Detection& detection() const { return detection_; }
  const Scene& scene() const { return scene_; }
  const SolveOptions& solver() const { return solver_; }
  const std::string& tolerance_reason() const { return tolerance_reason_; }
  const StepSettings& settings() const { return settings_; }
  const std::vector<GeneratorReport>& generators() const { return generator_reports_; }
  const std::vector<StreamState>& streams() const { return streams_; }
  const ComparisonSchedule& comparisons() const { return comparisons_; }
  const StepControl& control() const { return control_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  SimulationParts(SimulationMemory memory, Checkpoint& from, const SolveOptions& solver,
                  const Communicator& comm, BalanceSettings balance);

  // At the start.
  void set_up_scene();
  void share_named();
  void add_generated(std::size_t generator);
  void choose_settings();
  void set_touching();
  void refuse_far_here(InputErrors& errors);
  void check_start(InputErrors& errors);
  void deal_out();

  // What callers do.
  void touch();
  void start_ledger();
  void see_size(double size);
  static double seal_of(const std::string& call, std::uint64_t said);
  std::array<double, 3> compared(const std::string& call, double seal,
                                 const std::array<double, 3>& numbers) const;
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
  void redistribute(StepReport& report, Partners partners = Partners::OfJoints);
  std::vector<std::int64_t> find_rows(StepReport& report);
  void detect(StepReport& report);
  bool look_ahead(std::vector<std::int64_t>& rows, const std::exception_ptr& fault);
  bool sees_origin() const;
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
  void warn_of_open_joints(StepReport& report) const;
  Motions move(StepReport& report, FrozenStep* frozen);
  Motions solve_step(StepReport& report, const SolveOptions& options, FrozenStep* frozen);
  SolveOptions rough_options() const;
  Margins margins() const;
  bool have_outrun(Motions& motions, const StepReport& report);
  void find_unseen(const Motions& motions, const std::vector<double>& ways,
                   std::vector<Outran>& outran);
  bool may_throw_far(double speed, double turning) const;
  std::vector<Mover> expected_hits(double speed, double turning) const;
  void find_contacts(StepReport& report);
  void find_contacts_again(StepReport& report);
  std::vector<Mover> everyones_hits() const;
  void tell_outran(const std::vector<Outran>& outran, StepReport& report) const;
  void end_step(const Outcome& outcome, const std::array<bool, 3>& any, StepReport& report);
  void report_fast(const std::vector<std::size_t>& fast, StepReport& report) const;
  void stop_at_lost(const std::vector<std::size_t>& lost, const StepReport& report) const;
  std::array<bool, 3> sum_report(const Motions& motions, const Outcome& outcome,
                                 StepReport& report) const;
  void say_step(double by);
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
  ContactSet before_;            ///< contacts of the last step; then only room for the next
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
  /// What is seen of the step in the contacts that were found, before rows are made of them.
  struct Ahead {
    std::vector<Mover> hits;     ///< of this rank: expected_hits()
    bool any_hits = false;       ///< of any rank
    StiffBodies stiff;           ///< of this rank
    double step_angle = 0.0;     ///< of the stiffest body of any rank
    JointGaps gaps;              ///< of this rank
    std::optional<Vec3> origin;  ///< of the problem, where it could be told
  };
  Ahead ahead_;
  std::int64_t of_solves_ = 0;  ///< collective calls of all solves so far
  /// What this rank was asked for, until ranks have compared it; 0: they have.
  double said_ = 0.0;
  std::vector<JointRow> rows_;
  std::vector<Vec6> wrench_;
  std::vector<Sym3> added_;  ///< inertia of stiff bodies in the problem, per body; none: empty
  std::vector<std::uint8_t> hub_;
};

}  // namespace talus
