#include "app/run_warnings.hpp"

#include <fmt/format.h>
#include <utility>

namespace talus::app {

std::optional<std::string> RunWarnings::tell(const StepWarning& warning, std::int64_t step) {
  ++count_;
  Kind& kind = kinds_[warning.kind];
  ++kind.count;
  if (step < kind.next) {
    ++kind.held_back;
    return std::nullopt;
  }
  ++told_;
  if (kind.next > 0) kind.interval *= 2;
  kind.next = step + kind.interval;
  const std::int64_t held = std::exchange(kind.held_back, 0);
  return held == 0
             ? warning.text
             : fmt::format("{} ({} more of this kind since the last one told)", warning.text, held);
}

std::vector<std::string> RunWarnings::rest() const {
  std::vector<std::string> lines;
  for (const auto& [name, kind] : kinds_)
    if (kind.held_back > 0)
      lines.push_back(
          fmt::format("{} more warnings of the kind '{}' were not shown", kind.held_back, name));
  return lines;
}

std::map<std::string, std::int64_t> RunWarnings::counts() const {
  std::map<std::string, std::int64_t> counts;
  for (const auto& [name, kind] : kinds_) counts[name] = kind.count;
  return counts;
}

}  // namespace talus::app
