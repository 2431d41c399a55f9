#include "app/run/run_start.hpp"

#include "app/remarks.hpp"
#include "app/run/run_sharing.hpp"
#include "app/run/scene_words.hpp"
#include "app/streams.hpp"
#include "core/words.hpp"
#include "parallel/ledger.hpp"
#include "parallel/placement.hpp"
#include "partition/balance.hpp"
#include "simulation/simulation_parts.hpp"

#include <omp.h>

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace talus::app {
namespace {

constexpr double megabyte = 1e6;

/// What this rank has to do, as balances weigh it: bodies and pairs that may touch.
std::int64_t work_of(const Simulation& simulation) {
  static const std::vector<CandidatePair> none;
  const Detection& detection = simulation.parts().detection();
  const BodyLoads loads =
      loads_of(simulation.world().bodies,
               detection.knows(simulation.world()) ? detection.candidates() : none);
  return std::accumulate(loads.weight.begin(), loads.weight.end(), std::int64_t{0});
}

/// "4 ranks of 2 threads on 2 nodes (n1, n2)"
std::string places_text(const std::vector<RankPlace>& places) {
  constexpr std::size_t most = 4;
  std::vector<std::string> nodes = nodes_of(places);
  const std::size_t count = nodes.size();
  if (count > most) {
    nodes.resize(most - 1);
    nodes.emplace_back("...");
  }
  int least = places[0].threads, largest = least;
  for (const RankPlace& place : places) {
    least = std::min(least, place.threads);
    largest = std::max(largest, place.threads);
  }
  const std::string threads =
      least == largest ? counted(least, "thread") : fmt::format("{} to {} threads", least, largest);
  return fmt::format("{} of {} on {} ({})",
                     counted(static_cast<std::int64_t>(places.size()), "rank"), threads,
                     counted(static_cast<std::int64_t>(count), "node"), fmt::join(nodes, ", "));
}

/// A word as a shell takes it.
std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string("_-./=:,+@%").find(c) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// This command, as it was given, but for --threads.
std::string command_without_threads() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  bool is_value = false;
  for (std::string word; std::getline(file, word, '\0');) {
    const bool leave_out = is_value || word == "--threads" || word.starts_with("--threads=");
    is_value = word == "--threads";
    if (!leave_out) text += (text.empty() ? "" : " ") + shell_word(word);
  }
  return text.empty() ? "talus run ..." : text;
}

std::string spread_text(const Spread& s) {
  return s.least == s.most ? fmt::format("{:.0f}", s.most)
                           : fmt::format("{:.0f} to {:.0f} (mean {:.0f})", s.least, s.most, s.mean);
}

}  // namespace

std::vector<LabelledText> tell_start(const Simulation& simulation, const RunGoal& goal,
                                     const CommonOptions& common) {
  const Phase phase("looking at the start");
  const Communicator& comm = simulation.communicator();
  const BodyCounts counts = count_bodies(simulation.world(), comm);
  const std::vector<RankPlace> places = places_of_ranks(comm, omp_get_max_threads());
  const std::vector<Spread> spreads =
      spreads_of(comm, {static_cast<double>(simulation.world().bodies.owned),
                        static_cast<double>(simulation.ghost_count()), most_memory()});
  const double uneven = imbalance(comm, work_of(simulation));
  if (!common.speaks()) return {};
  std::vector<LabelledText> lines = scene_lines(simulation, counts, goal);
  lines.push_back({"ranks", places_text(places)});
  const Spread& memory = spreads[2];
  if (comm.size() > 1)
    lines.push_back(
        {"partition", fmt::format("{}: {} bodies and {} ghosts of a rank, imbalance {:.3g}",
                                  name_of(simulation.balance_settings().cells.kind),
                                  spread_text(spreads[0]), spread_text(spreads[1]), uneven)});
  lines.push_back({"memory", comm.size() == 1
                                 ? fmt::format("{:.3g} MB", memory.most / megabyte)
                                 : fmt::format("{:.3g} to {:.3g} MB of a rank",
                                               memory.least / megabyte, memory.most / megabyte)});
  if (common.quiet) return lines;
  for (const LabelledText& line : lines) say(stderr, "{:<11} {}\n", line.label, line.text);
  const std::string crowd = crowding(places, command_without_threads());
  if (!crowd.empty()) note(common, "warning: " + crowd);
  return lines;
}

}  // namespace talus::app
