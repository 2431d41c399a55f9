#pragma once
// What is said beside the results, on stderr: notes unless --quiet, details with --verbose.

#include "app/commands.hpp"
#include "app/streams.hpp"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <string>

namespace talus::app {

inline void note(const CommonOptions& common, const std::string& text) {
  if (!common.quiet) say(stderr, "note: {}\n", text);
}

inline void detail(const CommonOptions& common, const std::string& text) {
  if (common.verbose) say(stderr, "{}\n", text);
}

class Stopwatch {
 public:
  /// Seconds since it was made or asked last.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace talus::app
