#include "app/solve_summary.hpp"

#include "talus/solvers/compare.hpp"

#include "core/words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus::app {
namespace {

std::string with_unit(const std::string& number, Measure measure) {
  const std::string unit = unit_of(measure);
  return unit.empty() ? number : number + " " + unit;
}

/// "20 products", which a sweep of psor is one of.
std::string products_text(std::int64_t work, std::int64_t products) {
  return counted(work, "product") +
         (work > products ? " (" + counted(work - products, "sweep") + " counted in)" : "");
}

void print_work(const SolveReport& report, const RunFacts& facts) {
  const bool several = report.candidates.size() > 1;
  const std::string damped = report.dampings > 0 && !several
                                 ? ", momentum limited " + counted(report.dampings, "time")
                                 : std::string();
  fmt::print("work        {}{}{}, {}, {}, {:.3f} s, {}\n", several ? "of all methods: " : "",
             counted(all_iterations(report), "iteration"), damped,
             products_text(work_of(report), report.operator_products),
             counted(report.reductions, "reduction"), report.seconds,
             counted(facts.threads, "thread"));
}

/// On several ranks: how the work was shared and what sharing cost.
void print_ranks(const SolveReport& report, const RunFacts& facts) {
  if (facts.quality) {
    const PartitionQuality& q = *facts.quality;
    fmt::print(
        "ranks       {} by {}: imbalance {:.3f}, {:.1f} % of the rows mirrored, {:.1f} % of "
        "the bodies at borders, at most {}\n",
        facts.ranks, facts.partition, q.imbalance, 100.0 * q.mirrored_share,
        100.0 * q.boundary_share, counted(q.most_neighbours, "neighbour"));
  }
  if (facts.ledger) {
    const Ledger& l = *facts.ledger;
    const double per = 1.0 / static_cast<double>(std::max<std::int64_t>(1, all_iterations(report)));
    fmt::print(
        "ledger      per iteration and rank: {:.2f} reductions, {:.2f} exchanges, {:.2f} "
        "messages, {:.1f} kB\n",
        per * static_cast<double>(l.reductions), per * static_cast<double>(l.exchanges),
        per * l.messages.mean, 1e-3 * per * l.bytes.mean);
    const auto seconds = [](const Spread& s) {
      return fmt::format("{:.3f} s ({:.3f} to {:.3f})", s.mean, s.least, s.most);
    };
    fmt::print("            computing {}, waiting {}, reducing {}; imbalance {:.2f}\n",
               seconds(l.compute_seconds), seconds(l.wait_seconds), seconds(l.reduction_seconds),
               l.imbalance());
  }
  if (facts.model) {
    const ModelEstimate& m = *facts.model;
    fmt::print(
        "model       {} ranks, latency {:g} s, {:g} bytes/s: {:.3g} s = computing {:.3g} + "
        "exchanges {:.3g} + reductions {:.3g}; efficiency {:.2f}\n",
        m.network.ranks, m.network.latency, m.network.bandwidth, m.seconds(), m.compute_seconds,
        m.exchange_seconds, m.reduction_seconds, m.efficiency);
  }
}

/// "apgd", or "auto: minres (free rows only)".
std::string described_method(const SolveReport& report) {
  if (report.method != Method::Auto) return name_of(report.method);
  constexpr std::size_t most_shown = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(most_shown, report.stages.size()); ++k) {
    const StageReport& stage = report.stages[k];
    text += fmt::format("{} {}{}", k == 0 ? ":" : ",", name_of(stage.method),
                        stage.averaged ? "" : " on the mean diagonal");
    if (stage.method == Method::Minres) text += " (free rows only)";
  }
  if (report.stages.size() > most_shown)
    text += fmt::format(" ... {} stages", report.stages.size());
  return name_of(report.method) + text;
}

void print_candidates(const SolveReport& report) {
  const char* label = "candidates";
  for (const CandidateReport& c : report.candidates) {
    fmt::print("{:<11} {:<7} {}, {}, {}, {}, {:.3f} s{}\n", label, name_of(c.method),
               name_of(c.status), with_unit(fmt::format("{:.3e}", c.error), report.measure),
               counted(c.iterations, "iteration"),
               counted(work_of(c.method, c.iterations, c.operator_products), "product"), c.seconds,
               report.candidates.size() > 1 && c.method == report.method ? "; taken" : "");
    label = "";
  }
}

void print_errors(const SolveReport& report, const RunFacts& facts) {
  const ErrorReport& e = report.errors;
  if (facts.contacts > 0)
    fmt::print("errors of the {} law, verified with a fresh product:\n", name_of(report.law));
  else
    fmt::print("errors, verified with a fresh product:\n");
  fmt::print("  natural            {:.3e} sqrt(J), relative to the start from zero {:.3e}\n",
             e.natural, e.natural_relative);
  fmt::print("  natural, velocity  {:.3e} m/s rms, largest {:.3e} m/s\n", e.natural_velocity,
             e.natural_velocity_max);
  fmt::print("  natural, local     {:.3e} m/s rms around the worst body\n", e.natural_local);
  fmt::print("  natural, impulse   {:.3e} N s rms, largest {:.3e} N s\n", e.natural_impulse,
             e.natural_impulse_max);
  fmt::print("  natural, tau form  {:.3e} relative\n", e.natural_tau);
  fmt::print("  energy             {:.3e} J\n", e.energy);
  if (std::isfinite(e.fischer_burmeister))
    fmt::print("  Fischer-Burmeister {:.3e} J\n", e.fischer_burmeister);
  else
    fmt::print("  Fischer-Burmeister - (not defined for this problem)\n");
  if (facts.contacts > 0)
    fmt::print("  Siconos            e1 {:.3e} (depends on units), e2 {:.3e} (does not)\n",
               e.siconos, e.siconos_invariant);
  else
    fmt::print("  Siconos            - (of contacts only)\n");
  if (facts.joint_rows > 0) fmt::print("  bilateral          {:.3e} m/s largest\n", e.bilateral);
  fmt::print("  penalised gap      {:.3e} J\n", e.penalised_gap);
  fmt::print("objective   {:.12e} J; duality gap {:.3e} J, dual violation {:.3e} m/s\n",
             e.objective, e.duality_gap, e.dual_violation);
}

}  // namespace

std::string unit_of(Measure measure) {
  switch (measure) {
    case Measure::Natural:
      return "sqrt(J)";
    case Measure::NaturalVelocity:
    case Measure::NaturalLocal:
    case Measure::Bilateral:
      return "m/s";
    case Measure::Energy:
    case Measure::FischerBurmeister:
    case Measure::PenalisedGap:
      return "J";
    case Measure::NaturalRelative:
    case Measure::NaturalTau:
    case Measure::Siconos:
    case Measure::SiconosInvariant:
      break;
  }
  return "";
}

void print_problem(const RunFacts& facts) {
  const std::string bodies =
      facts.bodies > 0 ? counted(facts.bodies, "body", "bodies") + ", " : std::string();
  fmt::print("problem     {} ({}): {}{}, {}\n", facts.problem, facts.format, bodies,
             counted(facts.contacts, "contact"), counted(facts.joint_rows, "joint row"));
}

void print_summary(const SolveReport& report, const RunFacts& facts) {
  print_problem(facts);
  fmt::print("law, method {}, {}\n",
             facts.contacts > 0 ? name_of(report.law) : "none (no contacts)",
             described_method(report));
  fmt::print("status      {}: {} = {}, wanted {}{}\n", name_of(report.status),
             name_of(report.measure),
             with_unit(fmt::format("{:.3e}", report.error), report.measure),
             with_unit(fmt::format("{:.1e}", report.tolerance), report.measure),
             report.error <= report.tolerance ? "" : "  ABOVE TOLERANCE");
  print_work(report, facts);
  print_ranks(report, facts);
  print_candidates(report);
  print_errors(report, facts);
  fmt::print("hash        {:016x}; reproducible: {}\n", facts.solution_hash, reproducible(report));
}

}  // namespace talus::app
