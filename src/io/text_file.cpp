#include "talus/core/error.hpp"

#include "core/regular_file.hpp"
#include "io/goal.hpp"
#include "io/hdf5/input_file.hpp"
#include "io/report_file.hpp"
#include "io/text_table.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace talus {
namespace {

constexpr mode_t for_all = 0666;  // that the user's mask allows

}  // namespace

std::string io::regular_goal(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path goal =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  if (goal.empty() || (fs::exists(goal, ignored) && !fs::is_regular_file(goal, ignored)))
    throw InputError(fmt::format(
        "{}: is not a regular file and will not be replaced; give the name of a file", path));
  return goal.string();
}

std::string io::beside(const std::string& goal) {
  return fmt::format("{}.tmp-{}", goal, getpid());
}

io::MadeBeside::MadeBeside(const std::string& goal)
    : goal_(regular_goal(goal)), made_(beside(goal_)) {}

io::MadeBeside::~MadeBeside() {
  if (!made_.empty()) std::remove(made_.c_str());
}

void io::MadeBeside::take_place() {
  if (std::rename(made_.c_str(), goal_.c_str()) != 0) throw failure(errno);
  made_.clear();
}

std::runtime_error io::MadeBeside::failure(int reason) const {
  return std::runtime_error(fmt::format("{}: could not be written: {}; an older file is untouched",
                                        goal_, std::strerror(reason)));
}

std::string io::MadeBeside::about_goal(std::string message) const {
  for (std::size_t at = message.find(made_); at != std::string::npos; at = message.find(made_))
    message.replace(at, made_.size(), goal_);
  return message;
}

void io::replace_text(const std::string& path, const std::string& text, Sync sync) {
  MadeBeside made(path);
  const int file = ::open(made.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, for_all);
  if (file < 0)
    throw std::runtime_error(fmt::format("{}: cannot be created: {}", path, std::strerror(errno)));
  const bool written =
      write_all(file, text.data(), text.size()) && (sync == Sync::None || ::fsync(file) == 0);
  const int reason = errno;
  if (const bool closed = ::close(file) == 0; !written || !closed)
    throw made.failure(written ? errno : reason);
  made.take_place();
}

void write_text(const std::string& path, const std::string& text) {
  io::replace_text(path, text, io::Sync::Disk);
}

void require_writable(const std::string& path, const std::string& option) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path.empty()) throw InputError(fmt::format("{}: the name of the file is empty", option));
  const fs::path folder = fs::path(path).parent_path().empty() ? "." : fs::path(path).parent_path();
  if (!fs::is_directory(folder, ignored))
    throw InputError(fmt::format("{} {}: the folder {} does not exist; make it first", option, path,
                                 folder.string()));
  if (fs::is_directory(path, ignored))
    throw InputError(fmt::format("{} {}: is a folder; give the name of a file", option, path));
  if (access(folder.c_str(), W_OK) != 0)
    throw InputError(
        fmt::format("{} {}: the folder {} is not writable", option, path, folder.string()));
  // the name may be too long, or the file system refuse new files: only trying tells
  const std::string trial = io::beside(io::regular_goal(path));
  const int file = ::open(trial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, for_all);
  if (file >= 0 && ::close(file) == 0) {
    std::remove(trial.c_str());
    return;
  }
  const int reason = errno;
  std::remove(trial.c_str());
  throw InputError(
      fmt::format("{} {}: cannot be created: {}", option, path, std::strerror(reason)));
}

void require_solution_goal(const std::string& path, const std::string& option) {
  require_writable(path, option);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  try {
    const io::InputFile opened(path);
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "{} {}: is there already and a solution cannot be added to it; give another name ({})",
        option, path, error.what()));
  }
}

}  // namespace talus

namespace talus::io {
namespace {

constexpr std::size_t gap = 2;  // between columns

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.heading) widths.push_back(name.size());
  for (const auto& row : table.rows)
    for (std::size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  return widths;
}

/// Columns [from, to) behind the first one.
struct Block {
  std::size_t from, to;
};

std::vector<Block> blocks_of(const std::vector<std::size_t>& widths, std::size_t width) {
  std::vector<Block> blocks;
  for (std::size_t from = 1; from < widths.size();) {
    std::size_t to = from, used = widths[0];
    while (to < widths.size() && (to == from || used + gap + widths[to] <= width))
      used += gap + widths[to++];
    blocks.push_back({from, to});
    from = to;
  }
  if (blocks.empty()) blocks.push_back({1, 1});
  return blocks;
}

std::string line_of(const std::vector<std::string>& cells, const Block& block,
                    const std::vector<std::size_t>& widths, std::size_t words) {
  std::string line = fmt::format("{:<{}}", cells[0], widths[0]);
  for (std::size_t k = block.from; k < block.to; ++k)
    line += std::string(gap, ' ') + (k < words ? fmt::format("{:<{}}", cells[k], widths[k])
                                               : fmt::format("{:>{}}", cells[k], widths[k]));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string text_table(const TextTable& table, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string text;
  for (const Block& block : blocks_of(widths, width)) {
    if (!text.empty()) text += "\n";
    text += line_of(table.heading, block, widths, table.words);
    for (const auto& row : table.rows) text += line_of(row, block, widths, table.words);
  }
  return text;
}

std::string shortened(const std::string& name, std::size_t width) {
  constexpr const char* dots = "...";
  if (name.size() <= width) return name;
  const std::size_t kept = width - 3, tail = kept / 2;
  return name.substr(0, kept - tail) + dots + name.substr(name.size() - tail);
}

}  // namespace talus::io
