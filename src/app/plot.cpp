#include "app/plot.hpp"

#include "talus/core/error.hpp"
#include "talus/io/report_file.hpp"

#include "io/goal.hpp"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>

namespace talus::app {
namespace {

std::string format_of(const std::string& path, const std::string& option) {
  const std::vector<std::string> known{".png", ".svg", ".pdf"};
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const std::string& format : known)
    if (ending == format) return format.substr(1);
  const std::string close = close_name(ending, known);
  std::filesystem::path meant = std::filesystem::path(path).filename();
  meant.replace_extension(close.empty() ? known.front() : close);
  throw InputError(fmt::format("{} {}: pictures are {}, such as {}", option, path,
                               fmt::join(known, ", "), meant.string()));
}

/// Where to draw, once it is known that this can be: a fault of the name is told before one of
/// the machine.
std::string checked(const std::string& path, const std::string& option) {
  require_writable(path, option);
  return fmt::format("{} {}", option, path);
}

}  // namespace

Plotter::Plotter(const std::string& path, const std::string& option)
    : path_(path),
      format_(format_of(path, option)),
      script_("plot_comparison.py", checked(path, option)) {}

void Plotter::draw(const std::string& comparison) const {
  const std::string goal = io::regular_goal(path_), beside = io::beside(goal);
  const int status = script_.run({"--format", format_, "--output", beside}, comparison);
  if (status == 0 && std::rename(beside.c_str(), goal.c_str()) == 0) return;
  std::remove(beside.c_str());
  throw std::runtime_error(
      fmt::format("{}: could not be drawn: {} ended with status {}, its reason stands above; an "
                  "older file is untouched",
                  path_, script_.python(), status));
}

}  // namespace talus::app
