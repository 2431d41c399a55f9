#include "app/run_folder.hpp"

#include "talus/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <unistd.h>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

const char* const own_files[] = {"scene.yaml", "report.json", "state.h5", "log.csv", "removed.csv"};

using ColumnValue = std::function<std::string(const StepReport&, const Energies&)>;

/// One for each of log_columns.
const std::map<std::string, ColumnValue>& column_values() {
  using R = const StepReport&;
  using E = const Energies&;
  static const std::map<std::string, ColumnValue> values{
      {"step", [](R r, E) { return fmt::format("{}", r.step); }},
      {"time", [](R r, E) { return fmt::format("{:.9g}", r.time); }},
      {"bodies", [](R r, E) { return fmt::format("{}", r.bodies); }},
      {"contacts", [](R r, E) { return fmt::format("{}", r.contacts); }},
      {"joint_rows", [](R r, E) { return fmt::format("{}", r.joint_rows); }},
      {"iterations", [](R r, E) { return fmt::format("{}", r.iterations); }},
      {"error", [](R r, E) { return fmt::format("{:.6e}", r.error); }},
      {"largest_error", [](R r, E) { return fmt::format("{:.6e}", r.largest_error); }},
      {"penetration", [](R r, E) { return fmt::format("{:.6e}", r.largest_overlap); }},
      {"overlap", [](R r, E) { return fmt::format("{:.6e}", r.overlap_share); }},
      {"kinetic", [](R, E e) { return fmt::format("{:.9e}", e.kinetic); }},
      {"potential", [](R, E e) { return fmt::format("{:.9e}", e.potential); }},
      {"energy", [](R, E e) { return fmt::format("{:.9e}", e.kinetic + e.potential); }},
      {"seconds", [](R r, E) { return fmt::format("{:.6f}", r.seconds.total()); }}};
  return values;
}

}  // namespace

void require_run_folder(const std::string& folder, bool overwrite) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    const fs::path parent = fs::absolute(folder, ignored).lexically_normal().parent_path();
    const fs::path above = parent.filename().empty() ? parent.parent_path() : parent;
    if (!fs::is_directory(parent, ignored))
      throw InputError(fmt::format("--output {}: the folder {} is not there; make it first", folder,
                                   parent.string()));
    if (access(parent.c_str(), W_OK) != 0)
      throw InputError(fmt::format("--output {}: {} cannot be written to: {}", folder,
                                   above.string(), std::strerror(errno)));
    return;
  }
  if (!fs::is_directory(folder, ignored))
    throw InputError(fmt::format("--output {}: is a file; give the name of a folder", folder));
  if (!overwrite && !fs::is_empty(folder, ignored))
    throw InputError(fmt::format(
        "--output {}: is not empty; give another folder, or --overwrite to replace the run in it",
        folder));
  if (access(folder.c_str(), W_OK) != 0)
    throw InputError(
        fmt::format("--output {}: cannot be written to: {}", folder, std::strerror(errno)));
}

void make_run_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw std::runtime_error(fmt::format("{}: cannot be made: {}", folder, error.message()));
  for (const char* name : own_files) fs::remove(fs::path(folder) / name, error);
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LineFile::add(const std::string& line) {
  constexpr mode_t for_all = 0666;  // that the user's mask allows
  if (descriptor_ < 0)
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, for_all);
  if (descriptor_ < 0)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path_, std::strerror(errno)));
  const std::string text = line + '\n';
  for (std::size_t put = 0; put < text.size();) {
    const ssize_t more = ::write(descriptor_, text.data() + put, text.size() - put);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      const int reason = errno;
      [[maybe_unused]] const int cut = ::ftruncate(descriptor_, whole_);  // what is half is no line
      throw std::runtime_error(
          fmt::format("{}: cannot be written: {}", path_, std::strerror(reason)));
    }
    put += static_cast<std::size_t>(more);
  }
  whole_ += static_cast<off_t>(text.size());
}

RunLog::RunLog(const std::string& folder, const LogSettings& settings, bool writes)
    : file_((fs::path(folder) / "log.csv").string()),
      columns_(settings.columns.empty() ? log_columns : settings.columns),
      rhythm_(settings.every) {
  if (rhythm_.on() && writes) file_.add(fmt::format("{}", fmt::join(columns_, ",")));
}

bool RunLog::is_due(const StepReport& r) {
  return rhythm_.due(r.time);
}

void RunLog::add(const StepReport& r, const Energies& energies) {
  std::vector<std::string> values;
  for (const std::string& column : columns_)
    values.push_back(column_values().at(column)(r, energies));
  file_.add(fmt::format("{}", fmt::join(values, ",")));
}

RemovedList::RemovedList(const std::string& folder)
    : file_((fs::path(folder) / "removed.csv").string()) {}

void RemovedList::add(const std::vector<RemovedBody>& bodies) {
  if (!bodies.empty() && !begun_) file_.add("id,group,step,x,y,z,vx,vy,vz");
  begun_ = begun_ || !bodies.empty();
  for (const RemovedBody& b : bodies)
    file_.add(fmt::format("{},{},{},{},{},{},{},{},{}", b.id, b.group, b.step, b.position.x,
                          b.position.y, b.position.z, b.velocity.x, b.velocity.y, b.velocity.z));
}

}  // namespace talus::app
