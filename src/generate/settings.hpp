#pragma once
// Options with every default filled in: what the makers of problems see.

#include "talus/generate/generate.hpp"

namespace talus {

struct GenerateSettings {
  std::string kind;
  Index bodies = 0;
  Index width = 0;
  std::uint64_t seed = 0;
  double friction = 0.0, mass_ratio = 1.0, speed = 0.0, step = 0.0, radius = 0.0, spread = 0.0;
  double rolling_friction = 0.0, spinning_friction = 0.0, loops = 0.0;
  std::string order;
};

/// Defaults filled in; all faults at once (InputError).
GenerateSettings settled(const GenerateOptions& options);

}  // namespace talus
