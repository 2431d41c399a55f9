#include "app/run_folder.hpp"

#include "talus/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

const char* const own_files[] = {"scene.yaml", "report.json", "log.csv"};

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

RunLog::RunLog(const std::string& folder, double every) : every_(every) {
  if (!(every > 0.0)) return;
  const std::string path = (fs::path(folder) / "log.csv").string();
  file_ = std::fopen(path.c_str(), "w");
  if (file_ == nullptr)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  fmt::print(file_,
             "step,time,bodies,contacts,joint_rows,iterations,error,largest_error,overlap,"
             "overlap_share,kinetic,potential,seconds\n");
  next_ = every;
}

RunLog::~RunLog() {
  if (file_ != nullptr) std::fclose(file_);
}

void RunLog::add(const StepReport& r, const World& world) {
  constexpr double hair = 1e-9;
  if (file_ == nullptr || r.time < next_ * (1.0 - hair)) return;
  while (next_ * (1.0 - hair) <= r.time) next_ += every_;
  const Energies energies = energies_of(world);
  fmt::print(file_, "{},{:.9g},{},{},{},{},{:.6e},{:.6e},{:.6e},{:.6e},{:.9e},{:.9e},{:.6f}\n",
             r.step, r.time, r.bodies, r.contacts, r.joint_rows, r.iterations, r.error,
             r.largest_error, r.largest_overlap, r.overlap_share, energies.kinetic,
             energies.potential, r.seconds.total());
  if (std::fflush(file_) != 0)
    throw std::runtime_error(fmt::format("log.csv: cannot be written: {}", std::strerror(errno)));
}

}  // namespace talus::app
