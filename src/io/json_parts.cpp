#include "io/json_parts.hpp"

#include "talus/core/simd.hpp"

#include <H5public.h>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

#ifdef __clang__
constexpr const char* compiler = __VERSION__;  // begins with "Clang"
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

}  // namespace

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json errors_json(const ErrorReport& e) {
  return {{"natural", number(e.natural)},
          {"natural_relative", number(e.natural_relative)},
          {"natural_velocity", number(e.natural_velocity)},
          {"natural_velocity_max", number(e.natural_velocity_max)},
          {"natural_local", number(e.natural_local)},
          {"natural_impulse", number(e.natural_impulse)},
          {"natural_impulse_max", number(e.natural_impulse_max)},
          {"natural_tau", number(e.natural_tau)},
          {"energy", number(e.energy)},
          {"fischer_burmeister", number(e.fischer_burmeister)},
          {"siconos", number(e.siconos)},
          {"siconos_invariant", number(e.siconos_invariant)},
          {"bilateral", number(e.bilateral)},
          {"duality_gap", number(e.duality_gap)},
          {"penalised_gap", number(e.penalised_gap)},
          {"dual_violation", number(e.dual_violation)}};
}

Json options_json(const std::vector<std::pair<std::string, std::string>>& options) {
  Json json = Json::object();
  for (const auto& [name, value] : options)
    json[name] = Json::accept(value) ? Json::parse(value) : Json(value);
  return json;
}

Json spread_json(const Spread& s) {
  return {{"least", s.least}, {"mean", s.mean}, {"most", s.most}};
}

Json ledger_json(const Ledger& ledger) {
  return {{"reductions", ledger.reductions},
          {"exchanges", ledger.exchanges},
          {"messages_per_rank", spread_json(ledger.messages)},
          {"bytes_per_rank", spread_json(ledger.bytes)},
          {"compute_seconds", spread_json(ledger.compute_seconds)},
          {"wait_seconds", spread_json(ledger.wait_seconds)},
          {"reduction_seconds", spread_json(ledger.reduction_seconds)},
          {"imbalance", ledger.imbalance()}};
}

Json versions_json() {
  return {{"talus", TALUS_VERSION},
          {"compiler", compiler},
          {"hdf5", fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE)},
          {"simd", name_of(simd_level())}};
}

}  // namespace talus::io
