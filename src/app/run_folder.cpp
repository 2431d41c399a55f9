#include "app/run_folder.hpp"

#include "talus/core/error.hpp"

#include <cerrno>
#include <cstring>
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
  if (file_ != nullptr) std::fclose(file_);
}

void LineFile::add(const std::string& line) {
  if (file_ == nullptr) file_ = std::fopen(path_.c_str(), "w");
  if (file_ == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path_, std::strerror(errno)));
  if (std::fputs(line.c_str(), file_) < 0 || std::fputc('\n', file_) < 0 || std::fflush(file_) != 0)
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
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
