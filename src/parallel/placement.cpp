#include "parallel/placement.hpp"

#include "core/words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <numeric>
#include <sched.h>
#include <set>
#include <unistd.h>

namespace talus {
namespace {

/// Large enough for 8192 hardware threads: cpu_set_t ends at 1024.
constexpr std::size_t most_threads = 8192;
using Mask = std::vector<cpu_set_t>;

Mask empty_mask() {
  Mask mask(most_threads / CPU_SETSIZE);
  CPU_ZERO_S(mask.size() * sizeof(cpu_set_t), mask.data());
  return mask;
}

bool read_mask(Mask& mask) {
  return sched_getaffinity(0, mask.size() * sizeof(cpu_set_t), mask.data()) == 0;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);  // of the system
  std::string line;
  std::getline(file, line);
  return line;
}

/// "0-1", "0,16": the first of those that share a core.
int core_of(int number) {
  const std::string siblings = first_line(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", number));
  return siblings.empty() ? number : std::atoi(siblings.c_str());
}

std::vector<HardwareThread> threads_of(const Mask& mask) {
  std::vector<HardwareThread> threads;
  for (std::size_t i = 0; i < most_threads; ++i)
    if (CPU_ISSET_S(i, mask.size() * sizeof(cpu_set_t), mask.data()))
      threads.push_back({static_cast<int>(i), core_of(static_cast<int>(i))});
  return threads;
}

/// What the system lets this process have (its cpuset): asked for everything, it gives that.
std::vector<HardwareThread> all_that_is_allowed(const Mask& bound) {
  Mask all = empty_mask(), allowed = empty_mask();
  const std::size_t bytes = all.size() * sizeof(cpu_set_t);
  for (std::size_t i = 0; i < most_threads; ++i) CPU_SET_S(i, bytes, all.data());
  const bool known = sched_setaffinity(0, bytes, all.data()) == 0 && read_mask(allowed);
  sched_setaffinity(0, bytes, bound.data());
  return threads_of(known ? allowed : bound);
}

std::size_t cores_in(const std::vector<HardwareThread>& threads) {
  std::set<int> cores;
  for (const HardwareThread& thread : threads) cores.insert(thread.core);
  return cores.size();
}

/// A place as numbers and two texts, and back.
Bytes packed(const RankPlace& place) {
  std::vector<std::int64_t> numbers{place.threads, place.launched ? 1 : 0,
                                    static_cast<std::int64_t>(place.node.size()),
                                    static_cast<std::int64_t>(place.bound.size()),
                                    static_cast<std::int64_t>(place.allowed.size())};
  for (const auto* list : {&place.bound, &place.allowed})
    for (const HardwareThread& thread : *list)
      numbers.push_back(std::int64_t{thread.number} << 32 | thread.core);
  Bytes bytes = to_bytes(numbers);
  for (const char c : place.node + place.machine) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

RankPlace place_in(const Bytes& bytes) {
  constexpr std::size_t head = 5, word = sizeof(std::int64_t);
  const auto numbers = from_bytes<std::int64_t>(bytes);
  RankPlace place;
  place.threads = static_cast<int>(numbers[0]);
  place.launched = numbers[1] != 0;
  const auto name = static_cast<std::size_t>(numbers[2]),
             bound = static_cast<std::size_t>(numbers[3]),
             listed = bound + static_cast<std::size_t>(numbers[4]);
  for (std::size_t i = 0; i < listed; ++i) {
    const std::int64_t packed = numbers[head + i];
    (i < bound ? place.bound : place.allowed)
        .push_back({static_cast<int>(packed >> 32), static_cast<int>(packed & 0xffffffff)});
  }
  for (std::size_t i = (head + listed) * word; i < bytes.size(); ++i)
    (place.node.size() < name ? place.node : place.machine) += static_cast<char>(bytes[i]);
  return place;
}

// ---- who is in whose way ------------------------------------------------------------------------

/// Ranks of one node that share hardware threads, directly or through others.
struct Crowd {
  std::vector<std::size_t> ranks;
  std::int64_t threads = 0, room = 0;
  bool bound = false;
  std::size_t others = 0;  ///< ranks of other crowds that have too little room too
  double load() const {
    return room > 0 ? static_cast<double>(threads) / static_cast<double>(room) : 0.0;
  }
};

class Crowds {
 public:
  explicit Crowds(const std::vector<RankPlace>& places) : places_(places), first_(places.size()) {
    std::iota(first_.begin(), first_.end(), std::size_t{0});
    std::map<std::pair<std::string, int>, std::size_t> user;  // of each hardware thread
    for (std::size_t r = 0; r < places.size(); ++r)
      for (const HardwareThread& thread : places[r].bound)
        first_[root(r)] =
            root(user.try_emplace({places[r].machine, thread.number}, r).first->second);
  }

  /// The one with the most threads to a core; room 0 where nothing is known.
  Crowd worst() {
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t r = 0; r < places_.size(); ++r) groups[root(r)].push_back(r);
    Crowd worst;
    std::size_t crowded = 0;
    for (const auto& [first, ranks] : groups) {
      const Crowd crowd = crowd_of(ranks);
      if (crowd.load() > 1.0) crowded += ranks.size();
      if (crowd.load() > worst.load()) worst = crowd;
    }
    worst.others = crowded - std::min(crowded, worst.ranks.size());
    return worst;
  }

 private:
  std::size_t root(std::size_t r) const {
    while (first_[r] != r) r = first_[r];
    return r;
  }

  Crowd crowd_of(const std::vector<std::size_t>& ranks) const {
    Crowd crowd{ranks};
    std::map<int, HardwareThread> all;
    for (const std::size_t r : ranks) {
      crowd.threads += places_[r].threads;
      crowd.bound = crowd.bound || places_[r].is_bound();
      for (const HardwareThread& thread : places_[r].bound) all[thread.number] = thread;
    }
    std::vector<HardwareThread> together;
    for (const auto& [number, thread] : all) together.push_back(thread);
    crowd.room = static_cast<std::int64_t>(crowd.bound ? cores_in(together) : together.size());
    return crowd;
  }

  const std::vector<RankPlace>& places_;
  std::vector<std::size_t> first_;  ///< of the group of each rank, or nearer to it
};

/// "rank 3", "ranks 0 and 1", "ranks 0 to 7", "ranks 0, 2, 4 and 5 more"
std::string names_of(const std::vector<std::size_t>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() == 2) return fmt::format("ranks {} and {}", ranks[0], ranks[1]);
  if (ranks.back() - ranks.front() + 1 == ranks.size())
    return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("ranks {}, {} and {} more", ranks[0], ranks[1], ranks.size() - 2);
}

std::string remedy(const std::vector<RankPlace>& places, const Crowd& crowd,
                   const std::string& command) {
  std::map<std::string, std::int64_t> ranks_on;
  std::int64_t cores = std::int64_t{1} << 40, wanted = 1, most = 0;
  bool alike = true;
  for (const RankPlace& place : places) {
    ++ranks_on[place.machine];
    cores = std::min(cores, static_cast<std::int64_t>(cores_in(place.allowed)));
    wanted = std::max(wanted, std::int64_t{place.threads});
  }
  for (const auto& [machine, count] : ranks_on) most = std::max(most, count);
  for (const auto& [machine, count] : ranks_on) alike = alike && count == most;
  if (!places[0].launched && places.size() == 1)
    return fmt::format("--threads {}", crowd.room) +
           (crowd.bound && wanted <= cores ? ", or more cores (taskset)" : "");
  if (most > cores)
    return fmt::format(
        "as many ranks as a node has cores: mpirun -n {} {} --threads 1 (to try more ranks "
        "nevertheless: docs/ranks.md, Starting)",
        cores * static_cast<std::int64_t>(ranks_on.size()), command);
  const std::int64_t threads = std::min(wanted, cores / most);
  const std::string map =
      alike ? fmt::format("ppr:{}:node:pe={}", most, threads) : fmt::format("slot:pe={}", threads);
  return fmt::format("mpirun -n {} --map-by {} --bind-to core {} --threads {}", places.size(), map,
                     command, threads);
}

}  // namespace

RankPlace place_of_this_rank(int threads) {
  RankPlace place;
  place.threads = threads;
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) place.node = name.data();
  if (place.node.empty()) place.node = "this host";
  place.machine = place.node + " " + first_line("/proc/sys/kernel/random/boot_id");
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    place.launched = place.launched || std::getenv(variable) != nullptr;
  Mask bound = empty_mask();
  if (!read_mask(bound)) return place;
  place.bound = threads_of(bound);
  place.allowed = all_that_is_allowed(bound);
  return place;
}

std::vector<RankPlace> places_of_ranks(const Communicator& comm, int threads) {
  std::vector<RankPlace> places;
  for (const Bytes& bytes : comm.gather(packed(place_of_this_rank(threads)), 0))
    places.push_back(place_in(bytes));
  return places;
}

std::vector<std::string> nodes_of(const std::vector<RankPlace>& places) {
  std::vector<std::string> nodes;
  std::set<std::string> known;
  for (const RankPlace& place : places)
    if (known.insert(place.machine).second) nodes.push_back(place.node);
  return nodes;
}

std::string crowding(const std::vector<RankPlace>& places, const std::string& command) {
  const Crowd crowd = Crowds(places).worst();
  if (crowd.threads <= crowd.room || crowd.room == 0) return "";
  const bool several = crowd.ranks.size() > 1;
  const char* const binder = !crowd.bound          ? ""
                             : !places[0].launched ? " that it is bound to"
                             : several             ? " that mpirun has bound them to"
                                                   : " that mpirun has bound it to";
  return fmt::format("{} of {} on {} share {}{}{}; better: {}", counted(crowd.threads, "thread"),
                     names_of(crowd.ranks), places[crowd.ranks[0]].node,
                     counted(crowd.room, crowd.bound ? "core" : "hardware thread"), binder,
                     crowd.others > 0 ? fmt::format(", and so it is with {}",
                                                    counted(static_cast<std::int64_t>(crowd.others),
                                                            "more rank", "more ranks"))
                                      : "",
                     remedy(places, crowd, command));
}

}  // namespace talus
