#include "io/report_file.hpp"

#include "core/simd.hpp"
#include "io/json_parts.hpp"
#include "solvers/compare.hpp"

#include <H5public.h>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

io::Json stages_json(const SolveReport& report) {
  io::Json stages = io::Json::array();
  for (const StageReport& s : report.stages)
    stages.push_back({{"method", name_of(s.method)},
                      {"metric", s.averaged ? "averaged diagonal" : "mean diagonal"},
                      {"iterations", s.iterations},
                      {"error", io::number(s.error)},
                      {"reason", s.reason}});
  return stages;
}

io::Json candidates_json(const SolveReport& report) {
  io::Json candidates = io::Json::array();
  for (const CandidateReport& c : report.candidates)
    candidates.push_back({{"method", name_of(c.method)},
                          {"status", name_of(c.status)},
                          {"error", io::number(c.error)},
                          {"iterations", c.iterations},
                          {"operator_products", c.operator_products},
                          {"work", work_of(c.method, c.iterations, c.operator_products)},
                          {"seconds", c.seconds}});
  return candidates;
}

io::Json partition_json(const RunFacts& facts) {
  const PartitionQuality& q = *facts.quality;
  return {{"kind", facts.partition},
          {"cut_rows", q.cut_rows},
          {"imbalance", q.imbalance},
          {"boundary_share", q.boundary_share},
          {"mirrored_share", q.mirrored_share},
          {"most_neighbours", q.most_neighbours}};
}

io::Json model_json(const ModelEstimate& model) {
  return {{"latency", model.network.latency},
          {"bandwidth", model.network.bandwidth},
          {"ranks", model.network.ranks},
          {"compute_seconds", model.compute_seconds},
          {"exchange_seconds", model.exchange_seconds},
          {"reduction_seconds", model.reduction_seconds},
          {"efficiency", model.efficiency}};
}

}  // namespace

std::string reproducible(const SolveReport& report) {
  // of several methods, those that ran before the chosen one had a say in the choice
  std::vector<CandidateReport> ran = report.candidates;
  ran.push_back({.method = report.method, .status = report.status});
  const auto any = [&](const auto& is_so) { return std::any_of(ran.begin(), ran.end(), is_so); };
  if (any([](const CandidateReport& c) {
        return c.status == SolveStatus::TimeLimit || c.status == SolveStatus::Interrupted;
      }))
    return "no";
  return any([](const CandidateReport& c) { return c.method == Method::Psor; }) ? "same_ranks"
                                                                                : "any_ranks";
}

std::string report_json(const SolveReport& report, const RunFacts& facts) {
  io::Json json = {
      {"problem", facts.problem},
      {"format", facts.format},
      {"bodies", facts.bodies},
      {"contacts", facts.contacts},
      {"joint_rows", facts.joint_rows},
      {"status", name_of(report.status)},
      {"law", name_of(report.law)},
      {"method", name_of(report.method)},
      {"measure", name_of(report.measure)},
      {"tolerance", report.tolerance},
      {"error", io::number(report.error)},
      {"within_tolerance", report.error <= report.tolerance},
      {"options", io::options_json(facts.options)},
      {"iterations", report.iterations},
      {"dampings", report.dampings},
      {"best_iteration", report.best_iteration},
      {"stages", stages_json(report)},
      {"candidates", candidates_json(report)},
      {"operator_products", report.operator_products},
      {"work", work_of(report)},
      {"reductions", report.reductions},
      {"exchanges", report.exchanges},
      {"errors", io::errors_json(report.errors)},
      {"objective", io::number(report.errors.objective)},
      {"seconds", report.seconds},
      {"ranks", facts.ranks},
      {"threads", facts.threads},
      {"solution_hash", fmt::format("{:016x}", facts.solution_hash)},
      {"reproducible", reproducible(report)},
      {"remarks", report.remarks},
      {"versions", io::versions_json()},
  };
  if (facts.quality) json["partition"] = partition_json(facts);
  if (facts.ledger) json["ledger"] = io::ledger_json(*facts.ledger);
  if (facts.model) json["model"] = model_json(*facts.model);
  return json.dump(2) + "\n";
}

std::string history_csv(const SolveReport& report) {
  std::string text =
      "iteration,products,seconds,error,natural,natural_relative,natural_velocity,natural_tau,"
      "energy,"
      "fischer_burmeister,siconos,siconos_invariant,bilateral,objective\n";
  for (const HistoryEntry& h : report.history) {
    const ErrorReport e = h.all != nullptr ? *h.all : ErrorReport{};
    text += fmt::format(
        "{},{},{:.6f},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.9e},{:.15e}"
        "\n",
        h.iteration, h.products, h.seconds, h.error, e.natural, e.natural_relative,
        e.natural_velocity, e.natural_tau, e.energy, e.fischer_burmeister, e.siconos,
        e.siconos_invariant, e.bilateral, e.objective);
  }
  return text;
}

}  // namespace talus

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
