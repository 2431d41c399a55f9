#include "app/progress.hpp"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace talus::app {

Progress::Progress(const SolveOptions& options, bool quiet)
    : tolerance_(options.tolerance),
      measure_(name_of(options.measure)),
      quiet_(quiet),
      terminal_(isatty(fileno(stderr)) != 0) {}

Progress::~Progress() {
  if (line_open_) std::fputs("\n", stderr);
}

// First-order methods lower the logarithm of the error at a roughly steady pace: a guess, and shown
// as one.
std::string Progress::time_left(const IterateStatus& status) const {
  const double passed = status.seconds - first_.seconds;
  const double gained = std::log(first_.error / status.error);
  if (!(passed > 0.5) || !(gained > 0.05) || !(tolerance_ > 0.0)) return "";
  const double left = passed * std::log(status.error / tolerance_) / gained;
  if (!(left < 1e6)) return "";
  return left < 100.0 ? fmt::format(", about {:.0f} s left", left)
                      : fmt::format(", about {:.0f} min left", left / 60.0);
}

void Progress::show(const IterateStatus& status) {
  if (quiet_) return;
  if (first_.error == 0.0) first_ = status;
  const std::string line =
      fmt::format("iteration {:>9}  {} {:.2e} (wanted {:.1e})  {:.1f} s{}", status.iteration,
                  measure_, status.error, tolerance_, status.seconds, time_left(status));
  if (terminal_) {
    fmt::print(stderr, "\r{:<100}", line);
    line_open_ = true;
  } else if (status.seconds >= next_line_) {
    fmt::print(stderr, "{}\n", line);
    next_line_ = status.seconds + 10.0;
  }
  std::fflush(stderr);
}

}  // namespace talus::app
