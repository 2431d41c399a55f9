#include "app/run/checkpoints.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/run/run_folder.hpp"
#include "core/number.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace talus::app {
namespace {

const auto program_began = std::chrono::steady_clock::now();

// StopFlags of one rank that all follow.
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
      schedule_(settings.every, facts_.from),
      signal_(signal),
      last_at_(program_seconds()),
      newest_(facts_.newest) {}

std::uint32_t Checkpoints::stop_flags() const {
  const double now = program_seconds();
  std::uint32_t stop_flags = 0;
  if (interrupt_.asked()) stop_flags |= by_interrupt;
  if (signal_.asked()) stop_flags |= by_signal;
  // Until then there must be time for one more step, the checkpoint, and the state and report at
  // the end, which cost as much again; each twice, because disks and steps are not even.
  constexpr double share_kept = 0.02, margin = 2.0;
  const double needed =
      margin * (longest_step_ + 2.0 * longest_write_) + share_kept * facts_.wall_time;
  if (now + needed > facts_.wall_time) stop_flags |= by_wall_time;
  if (settings_.wall > 0.0 && comm_.rank() == 0 && now - last_at_ >= settings_.wall)
    stop_flags |= by_clock;
  return stop_flags;
}

void Checkpoints::step_took(double seconds, const StepReport& step) {
  longest_step_ = std::max(longest_step_, seconds);
  constexpr double bytes_of_body = 240.0, bytes_of_contact = 192.0, bytes_per_second = 50e6;
  const double bytes = bytes_of_body * static_cast<double>(step.bodies) +
                       bytes_of_contact * static_cast<double>(step.contacts);
  if (!has_written_) longest_write_ = std::max(longest_write_, bytes / bytes_per_second);
}

std::string Checkpoints::stop_of(std::uint32_t stop_flags) {
  if ((stop_flags & by_signal) != 0) return "SIGUSR1";
  if ((stop_flags & by_wall_time) != 0) return "--wall-time";
  if ((stop_flags & by_interrupt) != 0) return "a signal to end";
  return "";
}

bool Checkpoints::due(double time, std::uint32_t stop_flags) {
  const bool by_time = schedule_.due(time);
  return by_time || (stop_flags & by_clock) != 0;
}

void Checkpoints::write(Simulation& simulation, const RunMemory& memory) {
  const Phase phase("writing a checkpoint");
  const double began = program_seconds();
  last_at_ = began;  // also of one that fails: not again at every step
  agree(comm_, [&] {
    if (comm_.rank() == 0) folder_.make();
  });
  const std::string path = folder_.path_of(simulation.world().step);
  Checkpoint checkpoint = simulation.checkpoint();
  checkpoint.scene_text = facts_.scene_text;
  checkpoint.program = packed_memory(memory);
  write_checkpoint(path, checkpoint, comm_);
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

namespace {

namespace fs = std::filesystem;

constexpr const char* folder_name = "checkpoints";
const std::string begin_of_name = "checkpoint_", end_of_name = ".h5";

/// The step in the name of a checkpoint.
std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(begin_of_name) || !name.ends_with(end_of_name)) return std::nullopt;
  return number_in<std::int64_t>(
      name.substr(begin_of_name.size(), name.size() - begin_of_name.size() - end_of_name.size()));
}

std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code none;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
    paths.push_back(at->path());
  return paths;
}

/// As rank 0 sees them, on all ranks. Collective.
std::vector<std::string> agreed_names(const std::vector<std::string>& mine,
                                      const Communicator& comm) {
  std::string joined;
  for (const std::string& name : mine) joined += name + '\0';
  const std::string letters = broadcast_text(comm, joined, 0);
  std::vector<std::string> names;
  for (auto at = letters.begin(); at != letters.end();) {
    const auto end = std::find(at, letters.end(), '\0');
    names.emplace_back(at, end);
    at = std::next(end);
  }
  return names;
}

/// The first that can be read, and what is wrong with those before it.
std::optional<ResumePoint> first_good(const std::vector<std::string>& files,
                                      const Communicator& comm, std::vector<std::string>& refused) {
  for (const std::string& file : files) {
    try {
      ResumePoint point{file, {}, read_checkpoint(file, comm), {}};
      return point;
    } catch (const InputError& error) {
      refused.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

}  // namespace

CheckpointFolder::CheckpointFolder(const std::string& run_folder)
    : folder_((fs::path(run_folder) / folder_name).string()) {}

std::string CheckpointFolder::path_of(std::int64_t step) const {
  return (fs::path(folder_) / fmt::format("{}{:09}{}", begin_of_name, step, end_of_name)).string();
}

std::vector<std::string> CheckpointFolder::files() const {
  std::vector<std::pair<std::int64_t, std::string>> found;
  for (const fs::path& path : entries_of(folder_))
    if (const auto step = step_of(path.filename().string()))
      found.emplace_back(*step, path.string());
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> files;
  for (const auto& [step, path] : found) files.push_back(path);
  return files;
}

std::vector<std::string> CheckpointFolder::drop_after(std::int64_t step) const {
  std::error_code none;
  std::vector<std::string> dropped;
  for (const std::string& file : files())
    if (step_of(fs::path(file).filename().string()).value_or(0) > step) {
      fs::remove(file, none);
      dropped.push_back(file);
    }
  return dropped;
}

void CheckpointFolder::keep(int newest) const {
  const std::vector<std::string> all = files();
  std::error_code none;
  for (std::size_t i = static_cast<std::size_t>(newest); i < all.size(); ++i)
    fs::remove(all[i], none);
}

void CheckpointFolder::make() const {
  make_part(folder_);
}

std::string run_folder_of(const std::string& file) {
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  return folder.filename() == folder_name ? folder.parent_path().string() : std::string();
}

ResumePoint find_resume_point(const std::string& path, const Communicator& comm,
                              const std::string& begin) {
  std::error_code none;
  std::array<std::int64_t, 1> is_folder{comm.rank() == 0 && fs::is_directory(path, none) ? 1 : 0};
  comm.sum(is_folder);
  const auto others = [&](const std::string& folder) {
    return agreed_names(
        comm.rank() == 0 ? CheckpointFolder(folder).files() : std::vector<std::string>(), comm);
  };
  if (is_folder[0] == 0) {
    std::vector<std::string> refused;
    std::optional<ResumePoint> asked = first_good({path}, comm, refused);
    if (asked) {
      asked->folder = run_folder_of(path);
      return std::move(*asked);
    }
    std::vector<std::string> ignored, files = others(run_folder_of(path));
    std::erase_if(files, [&](const std::string& file) {
      return fs::path(file).filename() == fs::path(path).filename();
    });
    if (const auto good = first_good(files, comm, ignored))
      refused.front() += fmt::format("; the last good one beside it is {}", good->file);
    throw InputError(begin + refused.front());
  }
  const std::vector<std::string> files = others(path);
  if (files.empty())
    throw InputError(
        begin +
        fmt::format(
            "{}: has no checkpoints: a scene asks for them with checkpoint: {{every: S}} or "
            "{{wall: S}}, a run with --checkpoint-at-end",
            path));
  std::vector<std::string> refused;
  std::optional<ResumePoint> good = first_good(files, comm, refused);
  if (!good)
    throw InputError(begin + fmt::format("{}: none of its checkpoints is good: {}", path,
                                         fmt::join(refused, "; ")));
  good->folder = path;
  good->refused = refused;
  return std::move(*good);
}

}  // namespace talus::app
