// The names of laws and measures, as users write and read them.

#include "talus/core/error.hpp"
#include "talus/metrics/measures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace talus {
namespace {

// In the order of the enumerators.
const std::vector<std::string>& law_names() {
  static const std::vector<std::string> names{"coulomb", "associated", "box"};
  return names;
}

std::size_t index_of(const std::string& name, const std::vector<std::string>& names,
                     const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("unknown {} '{}': {}known are {}", what, name,
                                 did_you_mean(name, names, "'"), fmt::join(names, ", ")));
  return static_cast<std::size_t>(std::distance(names.begin(), found));
}

}  // namespace

const std::vector<std::string>& measure_names() {
  static const std::vector<std::string> names{
      "natural",   "natural_relative",   "natural_velocity", "natural_tau",
      "energy",    "fischer_burmeister", "siconos",          "siconos_invariant",
      "bilateral", "penalised_gap",      "natural_local"};
  return names;
}

std::string name_of(Law law) {
  return law_names().at(static_cast<std::size_t>(law));
}

std::string name_of(Measure measure) {
  return measure_names().at(static_cast<std::size_t>(measure));
}

Law law_named(const std::string& name) {
  return static_cast<Law>(index_of(name, law_names(), "law"));
}

Measure measure_named(const std::string& name) {
  return static_cast<Measure>(index_of(name, measure_names(), "measure"));
}

}  // namespace talus
