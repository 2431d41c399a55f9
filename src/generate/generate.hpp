#pragma once
// Problems that are made, not read: one frozen time step each, of any size, the same bits for the
// same options on every machine. Kinds, keys, units and defaults: docs/generate.md.

#include "talus/problem/body_problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace talus {

/// What is not set has the default of the kind. What the kind does not use must not be set: an
/// option never does nothing.
struct GenerateOptions {
  std::string kind{};  ///< stack, wall, packing, chain or net
  std::optional<std::int64_t> bodies{};
  std::optional<std::int64_t> width{};  ///< bricks per course, tiles per row; 0: as many as rows
  std::optional<std::int64_t> seed{};
  std::optional<double> friction{};
  std::optional<double> mass_ratio{};
  std::optional<double> speed{};   ///< m/s
  std::optional<double> step{};    ///< time step, s
  std::optional<double> radius{};  ///< mean, m
  std::optional<double> spread{};  ///< of the radii: uniform in (1 +- spread) radius
  std::optional<double> rolling_friction{}, spinning_friction{};  ///< m
  std::optional<double> loops{};       ///< share of the joints that close loops
  std::optional<std::string> order{};  ///< of the masses: alternating, graded or top
};

const std::vector<std::string>& generate_kinds();

/// One key as a user writes it, for help and documentation.
struct GenerateKey {
  std::string name, unit, help;
  std::string value;  ///< default of the kind
  std::string range;  ///< what is allowed, in words
};
/// The keys that a kind uses. Throws InputError naming the nearest valid kind.
std::vector<GenerateKey> generate_keys(const std::string& kind);

/// "KIND,key=value,...": throws InputError with all faults at once, each naming the nearest valid
/// kind or key and what is allowed. A hyphen in a key counts as an underscore.
GenerateOptions parse_generate(const std::string& text);

/// Throws InputError with all faults of the options.
BodyProblem generate(const GenerateOptions& options);

/// The slice of one rank, bit for bit a share of what generate() makes. A packing is never whole on
/// any rank; of the other kinds each rank makes the whole and keeps its slice. Throws as
/// generate().
BodySlice generate_slice(const GenerateOptions& options, int rank, int ranks);

}  // namespace talus
