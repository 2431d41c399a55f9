#pragma once
// Where ranks run: on which nodes, bound to which cores, and whether their threads have room there.

#include "talus/parallel/communicator.hpp"

#include <string>
#include <vector>

namespace talus {

/// A hardware thread, by the number that the system gives it, and its core, by the lowest number of
/// those that share it.
struct HardwareThread {
  int number = 0, core = 0;
};

struct RankPlace {
  std::string node;     ///< the name of its host
  std::string machine;  ///< the same with what tells apart two hosts of one name
  int threads = 1;
  std::vector<HardwareThread> bound;    ///< to what it may run on
  std::vector<HardwareThread> allowed;  ///< to what it could be bound there
  bool launched = false;                ///< by mpirun or the like, alone too

  /// It is kept from some of what it could have.
  bool is_bound() const { return bound.size() < allowed.size(); }
};

/// Of this process. Nothing is known of hardware threads where the system does not tell.
RankPlace place_of_this_rank(int threads);
/// Of all ranks, in their order, on rank 0 (elsewhere none). Collective.
std::vector<RankPlace> places_of_ranks(const Communicator& comm, int threads);

/// The names of all nodes, in the order of their first ranks.
std::vector<std::string> nodes_of(const std::vector<RankPlace>& places);

/// Ranks whose threads do not have a core each: where ranks are bound to cores, alone or to the
/// same ones; where they are not, a hardware thread each is enough. What is worst on any node is
/// told, with how to start the same on the same nodes so that there is room; empty where all have
/// room. `command`: what follows mpirun and its options, without --threads.
std::string crowding(const std::vector<RankPlace>& places, const std::string& command);

}  // namespace talus
