#pragma once
// Numbers over time that a scene asks for, over all ranks: sums are exact, so that they do not
// depend on who owns what. Formulas: docs/output.md.

#include "talus/model/contact_forces.hpp"
#include "talus/model/output_settings.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/parallel/exact_sum.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace talus {

class Monitors {
 public:
  Monitors(std::vector<MonitorSettings> settings, const Communicator& comm);

  std::size_t count() const { return settings_.size(); }
  const MonitorSettings& settings(std::size_t monitor) const { return settings_[monitor]; }
  /// Of the table that rows() makes; the first is the time.
  std::vector<std::string> columns(std::size_t monitor) const;

  /// Whether after_step() needs to see every step: mean loads, flows.
  bool watches_steps() const;
  /// After every step, where it watches_steps(). Of this rank alone: not collective.
  /// `ticks`: of the step, what its loads count as in their mean.
  void after_step(const World& world, const ContactForces& forces, std::int64_t ticks);

  /// Lines of a monitor now: one, or of tracks one for each body. The same on all ranks, but tracks
  /// only on rank 0. What adds up over steps begins anew. Collective.
  std::vector<std::vector<double>> rows(std::size_t monitor, const World& world,
                                        const ContactForces& forces);

  /// What has added up since the last lines and since the start of the run, the same on all ranks:
  /// a run that goes on from it, on any number of ranks, has the lines of one that was not
  /// interrupted. Collective.
  Bytes memory() const;
  /// Of monitors of the same settings. Not collective.
  void recall(const Bytes& memory);

 private:
  /// What has added up since the last line.
  struct Memory {
    std::vector<LimbSum> sums;
    std::int64_t crossings = 0;  ///< bodies one way less bodies the other way
    std::int64_t ticks = 0;      ///< of the steps
    double since = 0.0;          ///< s: time of the last line
    /// Since the start of the run.
    double total = 0.0;
    std::int64_t total_crossings = 0;
  };
  std::vector<double> flow_row(std::size_t monitor, const World& world);
  std::vector<double> load_row(std::size_t monitor, const World& world,
                               const ContactForces& forces);

  std::vector<MonitorSettings> settings_;
  Communicator comm_;
  std::vector<Memory> memory_;
};

/// Kinetic, potential energy of bodies that impulses move, J, over all ranks; potential 0 where
/// gravity varies. Collective.
Energies energies_of(const World& world, const Communicator& comm);

}  // namespace talus
