#include "app/checkpoints.hpp"

#include "talus/parallel/agreement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace talus::app {
namespace {

const auto program_began = std::chrono::steady_clock::now();

// Wishes of one rank that all follow.
constexpr std::uint32_t by_interrupt = 1, by_signal = 2, by_wall_time = 4, by_clock = 8;

}  // namespace

double program_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_began).count();
}

Checkpoints::Checkpoints(const CheckpointSettings& settings, Facts facts,
                         const CheckpointSignal& signal, const Communicator& comm)
    : settings_(settings),
      facts_(std::move(facts)),
      comm_(comm),
      folder_(facts_.folder),
      rhythm_(settings.every, facts_.from),
      signal_(signal),
      last_at_(program_seconds()),
      newest_(facts_.newest) {}

std::uint32_t Checkpoints::wishes() const {
  const double now = program_seconds();
  std::uint32_t wishes = 0;
  if (interrupt_.asked()) wishes |= by_interrupt;
  if (signal_.asked()) wishes |= by_signal;
  // Until then there must be time for one more step, the checkpoint, and the state and report at
  // the end, which cost as much again; each twice, because disks and steps are not even.
  constexpr double share_kept = 0.02, margin = 2.0;
  const double needed =
      margin * (longest_step_ + 2.0 * longest_write_) + share_kept * facts_.wall_time;
  if (now + needed > facts_.wall_time) wishes |= by_wall_time;
  if (settings_.wall > 0.0 && comm_.rank() == 0 && now - last_at_ >= settings_.wall)
    wishes |= by_clock;
  return wishes;
}

void Checkpoints::step_took(double seconds, const StepReport& step) {
  longest_step_ = std::max(longest_step_, seconds);
  constexpr double bytes_of_body = 240.0, bytes_of_contact = 192.0, bytes_per_second = 50e6;
  const double bytes = bytes_of_body * static_cast<double>(step.bodies) +
                       bytes_of_contact * static_cast<double>(step.contacts);
  if (!has_written_) longest_write_ = std::max(longest_write_, bytes / bytes_per_second);
}

std::string Checkpoints::stop_of(std::uint32_t wishes) {
  if ((wishes & by_signal) != 0) return "SIGUSR1";
  if ((wishes & by_wall_time) != 0) return "--wall-time";
  if ((wishes & by_interrupt) != 0) return "a signal to end";
  return "";
}

bool Checkpoints::due(double time, std::uint32_t wishes) {
  const bool by_time = rhythm_.due(time);
  return by_time || (wishes & by_clock) != 0;
}

void Checkpoints::write(Simulation& simulation, const RunTotals& totals, const RunGoal& goal,
                        const Bytes& monitors) {
  const Phase phase("writing a checkpoint");
  const double began = program_seconds();
  last_at_ = began;  // also of one that fails: not again at every step
  agree(comm_, [&] {
    if (comm_.rank() == 0) folder_.make();
  });
  const std::string path = folder_.path_of(simulation.world().step);
  write_checkpoint_of(simulation, path, facts_.scene_text, totals, goal, monitors);
  newest_ = path;
  tell_where_killed("; the last good checkpoint is " + path);
  newest_step_ = simulation.world().step;
  agree(comm_, [&] {
    if (comm_.rank() == 0) folder_.keep(settings_.keep);
  });
  const double took = program_seconds() - began;
  longest_write_ = has_written_ ? std::max(longest_write_, took) : took;
  has_written_ = true;
}

}  // namespace talus::app
