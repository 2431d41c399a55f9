#include "app/run/run_folder.hpp"

#include "talus/core/error.hpp"

#include "app/remarks.hpp"
#include "app/run/step_numbers.hpp"
#include "core/number.hpp"
#include "core/regular_file.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <regex>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace talus::app {
namespace {

namespace fs = std::filesystem;

/// What a run leaves, relative to its folder.
bool is_own(const std::string& name) {
  static const std::regex own(
      "(scene\\.yaml|report\\.json|state\\.h5|run\\.jsonl|log\\.csv|removed\\.csv|"
      "checkpoints/checkpoint_[0-9]+\\.h5|"
      "monitors/[^/]+\\.csv|snapshots/state_[0-9]+\\.h5|paraview/legend\\.json|"
      "paraview/[a-z]+(_[0-9]+)*\\.(vtp|pvtp|pvd)|report\\.html|"
      "plots/(energy|error|iterations|penetration|contacts|seconds|imbalance|monitor-[^/]+)\\.png)"
      "(\\.tmp-[0-9]+)?");  // what a run that was killed was writing
  return std::regex_match(name, own);
}

constexpr std::array<const char*, 5> parts{"monitors", "snapshots", "paraview", "plots",
                                           "checkpoints"};

std::vector<fs::path> own_files(const std::string& folder) {
  std::vector<fs::path> files;
  const auto look = [&](const fs::path& part) {
    std::error_code error;
    for (fs::directory_iterator at(folder / part, error), end; !error && at != end;
         at.increment(error))
      if (is_own((part / at->path().filename()).generic_string())) files.push_back(at->path());
  };
  look("");
  for (const char* part : parts) look(part);
  return files;
}

/// What cannot be removed stays.
void drop(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

bool holds_something(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename() != lock_name) return true;
  return false;
}

/// Whether what was opened still has its name: somebody may have removed it, or its folder.
bool is_file_of(int descriptor, const std::string& path) {
  struct stat opened {
  }, there{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

const StepNumber& column_of(const std::string& name) {
  const std::vector<StepNumber>& numbers = step_numbers();
  const auto found = std::find_if(numbers.begin(), numbers.end(), [&](const StepNumber& number) {
    return number.column && number.name == name;
  });
  TALUS_ASSERT(found != numbers.end());
  return *found;
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
  if (!overwrite && holds_something(folder))
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
}

void require_no_input_in(const std::string& folder, const std::vector<std::string>& inputs,
                         const std::string& scene_text) {
  InputErrors errors;
  for (const fs::path& path : own_files(folder)) {
    std::error_code none;
    const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
      return fs::equivalent(path, input, none);
    });
    std::string reason;
    const bool is_kept =
        path.filename() == scene_name && text_of_source(path.string(), reason) == scene_text;
    if (is_input && !is_kept)
      errors.add(
          fmt::format("--overwrite: {} is what this run reads, and the run would replace it: "
                      "give another folder, or move the file out of {}",
                      path.string(), folder));
  }
  errors.throw_if_any();
}

void clear_run_folder(const std::string& folder) {
  for (const fs::path& path : own_files(folder)) drop(path);
  std::error_code error;
  for (const char* part : parts)
    if (fs::is_empty(fs::path(folder) / part, error) && !error) drop(fs::path(folder) / part);
}

void require_regular_files(const std::string& folder) {
  for (const fs::path& path : own_files(folder)) require_regular_or_none(path);
}

void make_part(const std::string& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error)
    throw std::runtime_error(fmt::format("{}: cannot be made: {}", folder, error.message()));
}

void remove_unfinished(const std::string& folder) {
  for (const fs::path& path : own_files(folder))
    if (path.extension().string().starts_with(".tmp-")) drop(path);
}

LineFile::~LineFile() {
  // a file system across a network may say only now that there was no room
  if (descriptor_ >= 0 && ::close(descriptor_) != 0)
    say(stderr, "note: warning: {}: could not be closed: {}: its last lines may be missing\n",
        path_, std::strerror(errno));
}

void LineFile::add(const std::string& line) {
  if (descriptor_ < 0) descriptor_ = open_to_append(path_, true);
  if (descriptor_ < 0)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path_, std::strerror(errno)));
  require_there();
  const std::string text = line + '\n';
  if (!write_all(descriptor_, text.data(), text.size())) {
    const int reason = errno;
    [[maybe_unused]] const int cut = ::ftruncate(descriptor_, whole_);  // what is half is no line
    throw std::runtime_error(
        fmt::format("{}: cannot be written: {}", path_, std::strerror(reason)));
  }
  whole_ += static_cast<off_t>(text.size());
  ++lines_;
}

void LineFile::sync() const {
  if (descriptor_ < 0 || whole_ == synced_) return;
  if (::fsync(descriptor_) != 0)
    throw std::runtime_error(
        fmt::format("{}: could not be brought to the disk: {}", path_, std::strerror(errno)));
  if (synced_ == 0) sync_folder_of(path_);
  synced_ = whole_;
}

void LineFile::require_there() const {
  if (descriptor_ >= 0 && !is_file_of(descriptor_, path_))
    throw std::runtime_error(fmt::format(
        "{}: is not there any more: somebody has removed it or its folder while the run went on",
        path_));
}

void LineFile::go_on(bool header,
                     const std::function<bool(std::size_t, const std::string&)>& wanted) {
  require_regular_or_none(path_);
  if (!fs::exists(path_)) return;
  std::ifstream before = readable_stream(path_);
  std::string kept;
  std::size_t number = 0;
  bool first = header;
  for (std::string line; std::getline(before, line) && !before.eof();) {
    if (first || wanted(number++, line)) {
      kept += line + "\n";
      ++lines_;
    }
    first = false;
  }
  write_text(path_, kept);
  if (kept.empty()) return;  // as if it were not there: it gets its header
  whole_ = static_cast<off_t>(kept.size());
  descriptor_ = open_to_append(path_, false);
  if (descriptor_ < 0)
    throw std::runtime_error(fmt::format("{}: cannot be opened: {}", path_, std::strerror(errno)));
}

RunLog::RunLog(const std::string& folder, const LogSettings& settings)
    : file_((fs::path(folder) / "log.csv").string()) {
  for (const std::string& name : settings.columns.empty() ? log_columns : settings.columns)
    columns_.push_back(&column_of(name));
}

void RunLog::add(const StepReport& report, const RecordFacts& facts) {
  std::vector<std::string> names, values;
  for (const StepNumber* column : columns_) {
    names.push_back(column->name);
    values.push_back(column->column(report, facts));
  }
  if (file_.empty()) file_.add(fmt::format("{}", fmt::join(names, ",")));
  file_.add(fmt::format("{}", fmt::join(values, ",")));
}

void RunLog::go_on(std::size_t lines) {
  file_.go_on(true, [&](std::size_t number, const std::string&) { return number < lines; });
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

void RemovedList::go_on(std::int64_t step) {
  file_.go_on(true, [&](std::size_t, const std::string& line) {
    const std::size_t group = line.find(','), at = line.find(',', group + 1);
    return number_in<std::int64_t>(line.substr(at + 1, line.find(',', at + 1) - at - 1))
               .value_or(step) <= step;
  });
  begun_ = !file_.empty();
}

FolderLock::Try FolderLock::attempt() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return Try::NoLocks;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    if (is_file_of(descriptor_, path_)) return Try::Held;
  } else if (errno != EWOULDBLOCK) {
    const int reason = errno;
    ::unlink(path_.c_str());
    ::close(descriptor_);
    descriptor_ = -1;
    errno = reason;
    return Try::NoLocks;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  return Try::Taken;
}

FolderLock::FolderLock(const std::string& folder, const CommonOptions& common)
    : path_((std::filesystem::path(folder) / lock_name).string()) {
  constexpr int attempts = 30;
  constexpr std::chrono::milliseconds pause(100);
  for (int i = 0; i < attempts; ++i) {
    const Try found = attempt();
    if (found == Try::NoLocks)
      note(common, fmt::format("warning: {}: cannot be locked ({}): nothing keeps another run out "
                               "of {}",
                               path_, std::strerror(errno), folder));
    if (found != Try::Taken) return;
    std::this_thread::sleep_for(pause);
  }
  throw InputError(fmt::format(
      "{}: another run is writing into it; wait for its end, or give another folder: --output DIR",
      folder));
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());  // while it is held: nobody else's is removed
  ::close(descriptor_);
}

}  // namespace talus::app
