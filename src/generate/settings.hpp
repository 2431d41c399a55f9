#pragma once
// Options with every default filled in: what the makers of problems see.

#include "talus/problem/body_problem.hpp"

#include "generate/generate.hpp"

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

// One maker per kind of problem. docs/generate.md says what each one is.

BodyProblem make_stack(const GenerateSettings& settings);
BodyProblem make_wall(const GenerateSettings& settings);
BodyProblem make_packing(const GenerateSettings& settings);
/// One of the slices of a packing, without making the others.
BodySlice make_packing_slice(const GenerateSettings& settings, int rank, int ranks);
BodyProblem make_chain(const GenerateSettings& settings);
BodyProblem make_net(const GenerateSettings& settings);

}  // namespace talus
