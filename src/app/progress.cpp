#include "app/progress.hpp"

#include "app/streams.hpp"
#include "core/words.hpp"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace talus::app {

namespace {

/// Width of the terminal: a longer line would wrap, and could not be written over.
std::size_t columns() {
  winsize size{};
  return ioctl(fileno(stderr), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

}  // namespace

ProgressLine::ProgressLine(const CommonOptions& common)
    : quiet_(common.quiet),
      terminal_(isatty(fileno(stderr)) != 0),
      every_(terminal_        ? 0.1
             : common.verbose ? 1.0
                              : 30.0),
      next_(terminal_        ? 0.0
            : common.verbose ? 1.0
                             : 3.0) {}

ProgressLine::~ProgressLine() {
  close();
}

void ProgressLine::close() {
  if (open_) std::fputs("\n", stderr);
  open_ = false;
}

void ProgressLine::close(const std::string& last) {
  if (open_) show(last, next_);
  close();
}

bool ProgressLine::is_due(double seconds) const {
  return !quiet_ && seconds >= next_;
}

std::size_t ProgressLine::width() const {
  return terminal_ ? columns() : std::string::npos;
}

void ProgressLine::show(const std::string& text, double seconds) {
  if (!is_due(seconds)) return;
  if (terminal_) {
    constexpr const char* erase_rest = "\x1b[K";
    say(stderr, "\r{}{}", text.substr(0, columns()), erase_rest);
    open_ = true;
  } else {
    say(stderr, "{}\n", text);
  }
  next_ = seconds + every_;
  std::fflush(stderr);
}

Progress::Progress(const SolveOptions& options, ProgressLine& line, std::string prefix,
                   double started)
    : tolerance_(options.tolerance),
      measure_(name_of(options.measure)),
      line_(line),
      prefix_(std::move(prefix)),
      started_(started) {}

// First-order methods lower the logarithm of the error at a roughly steady pace: a guess, and shown
// as one.
std::string Progress::time_left(const IterateStatus& status) const {
  const double passed = status.seconds - first_.seconds;
  const double gained = std::log(first_.error / status.error);
  if (!(passed > 0.5) || !(gained > 0.05) || !(tolerance_ > 0.0)) return "";
  const double left = passed * std::log(status.error / tolerance_) / gained;
  return left < 1e6 ? fmt::format(", about {} left", about(left)) : "";
}

void Progress::show(const IterateStatus& status) {
  if (first_.error == 0.0) first_ = status;
  line_.show(
      fmt::format("{}iteration {}  {} {:.2e}, wanted {:.1e}  {:.1f} s{}", prefix_, status.iteration,
                  measure_, status.error, tolerance_, status.seconds, time_left(status)),
      started_ + status.seconds);
}

}  // namespace talus::app
