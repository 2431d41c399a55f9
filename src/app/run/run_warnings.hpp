#pragma once
// Warnings of steps, without flooding anybody: of one kind the first is told at once, the next ones
// at ever larger intervals, each with how many were held back in between.

#include "talus/simulation/simulation.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace talus::app {

class RunWarnings {
 public:
  /// What shall be told of a warning; nothing where it is held back.
  std::optional<std::string> tell(const StepWarning& warning, std::int64_t step);
  /// One line per kind of which some were held back after the last one that was told.
  std::vector<std::string> rest() const;
  std::int64_t count() const { return count_; }
  std::map<std::string, std::int64_t> counts() const;
  std::int64_t held_back() const { return count_ - told_; }

  static constexpr std::int64_t first_interval = 100;  ///< steps; doubled each time

  /// What a run that goes on must know of those before it: core/archive.hpp.
  template <class Archive>
  friend void fields(Archive& archive, RunWarnings& warnings) {
    archive(warnings.kinds_, warnings.count_, warnings.told_);
  }

 private:
  struct Kind {
    std::int64_t next = 0, interval = first_interval;
    std::int64_t held_back = 0;  ///< since the last one that was told
    std::int64_t count = 0;
    template <class Archive>
    friend void fields(Archive& archive, Kind& kind) {
      auto& [step, steps, held, all] = kind;
      archive(step, steps, held, all);
    }
  };
  std::map<std::string, Kind> kinds_;
  std::int64_t count_ = 0, told_ = 0;
};

}  // namespace talus::app
