#include "app/progress.hpp"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace talus::app {

namespace {

/// Width of the terminal: a longer line would wrap, and could not be written over.
std::size_t columns() {
  winsize size{};
  return ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

Progress::Progress(const SolveOptions& options, const CommonOptions& common)
    : tolerance_(options.tolerance),
      measure_(name_of(options.measure)),
      quiet_(common.quiet),
      terminal_(isatty(fileno(stderr)) != 0),
      line_every_(common.verbose ? 1.0 : 10.0),
      next_line_(line_every_) {}

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
      fmt::format("iteration {}  {} {:.2e}, wanted {:.1e}  {:.1f} s{}", status.iteration, measure_,
                  status.error, tolerance_, status.seconds, time_left(status));
  if (terminal_) {
    constexpr const char* erase_rest = "\x1b[K";
    fmt::print(stderr, "\r{}{}", line.substr(0, columns()), erase_rest);
    line_open_ = true;
  } else if (status.seconds >= next_line_) {
    fmt::print(stderr, "{}\n", line);
    next_line_ = status.seconds + line_every_;
  }
  std::fflush(stderr);
}

}  // namespace talus::app
