#include "app/run/run_progress.hpp"

#include "core/words.hpp"

#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace talus::app {
namespace {

constexpr double window = 30.0;         // s
constexpr std::size_t least_marks = 6;  // of slow steps: the last five
constexpr std::size_t marks_of_window = 60;

/// Three digits, and none behind the point of what is larger.
std::string rate(double value) {
  return value < 100.0 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

void Pace::done(std::int64_t step, std::int64_t ticks, double seconds) {
  // the last mark moves on until it is far enough from the one before it
  const bool moves =
      marks_.size() > 1 &&
      marks_.back().seconds - marks_[marks_.size() - 2].seconds < window / marks_of_window;
  if (moves) marks_.pop_back();
  marks_.push_back({step, ticks, seconds});
  while (marks_.size() > least_marks && seconds - marks_[1].seconds >= window) marks_.pop_front();
}

double Pace::steps_per_second() const {
  const Mark &first = marks_.front(), &last = marks_.back();
  const double seconds = last.seconds - first.seconds;
  return seconds > 0.0 ? static_cast<double>(last.step - first.step) / seconds : 0.0;
}

double Pace::left(const RunGoal& goal) const {
  const Mark &first = marks_.front(), &last = marks_.back();
  const double seconds = last.seconds - first.seconds;
  const bool steps = goal.counts_steps();
  const auto done = static_cast<double>(steps ? last.step - first.step : last.ticks - first.ticks);
  const auto left = static_cast<double>(steps ? goal.steps - last.step : goal.ticks - last.ticks);
  return seconds > 0.0 && done > 0.0 ? left * seconds / done : infinity;
}

std::string progress_text(const StepReport& r, const Pace& pace, const RunGoal& goal, int ranks,
                          std::size_t columns) {
  const double left = pace.left(goal), percent = 100.0 * r.overlap_share;
  const std::string rest = std::isfinite(left) ? about(left) : "?";
  const bool counts = goal.counts_steps();
  std::string text = fmt::format(
      "step {}{}, t = {:.4g} s, {} steps/s, about {} left, {} bodies, {} contacts, {} "
      "iterations, error {:.2e} m/s, penetration {:.2g} %",
      r.step, counts ? fmt::format(" of {}", goal.steps) : fmt::format(" of {:.2g} s", r.time_step),
      r.time, rate(pace.steps_per_second()), rest, r.bodies, r.contacts, r.iterations, r.error,
      percent);
  if (r.time_error) text += fmt::format(", time error {:.2e} m", r.time_error->position);
  if (ranks > 1) text += fmt::format(", imbalance {:.3g}", r.imbalance);
  if (text.size() <= columns) return text;
  std::vector<std::string> words{
      counts ? fmt::format("{}/{}", r.step, goal.steps) : fmt::format("{}", r.step),
      fmt::format("{:.4g} s", r.time),
      fmt::format("{}/s", rate(pace.steps_per_second())),
      fmt::format("{} left", rest),
      fmt::format("{} it", r.iterations),
      fmt::format("{:.1e} m/s", r.error),
      fmt::format("pen {:.2g} %", percent),
      r.time_error ? fmt::format("dt {:.1e} m", r.time_error->position) : std::string(),
      fmt::format("{} con", r.contacts),
      fmt::format("{} bod", r.bodies)};
  if (ranks > 1) words.insert(words.end() - 2, fmt::format("imb {:.3g}", r.imbalance));
  text = "step " + words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    if (text.size() + 2 + words[i].size() > columns) break;
    text += ", " + words[i];
  }
  return text;
}

}  // namespace talus::app
