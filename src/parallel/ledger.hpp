#pragma once
// The latency ledger: what a solve on several ranks has paid for being on several ranks, and what
// it would pay elsewhere.

#include "talus/parallel/communicator.hpp"

#include <string>
#include <vector>

namespace talus {

/// Over the ranks.
struct Spread {
  double least = 0.0, mean = 0.0, most = 0.0;
};

/// Of each number of every rank, in the same order on all. Collective.
std::vector<Spread> spreads_of(const Communicator& comm, const std::vector<double>& mine);

struct Ledger {
  int ranks = 1;
  std::int64_t reductions = 0, exchanges = 0;  ///< alike on all ranks
  Spread messages, bytes;                      ///< sent per rank, in all
  Spread compute_seconds, wait_seconds, reduction_seconds;
  /// Most over mean time spent computing: 1 where all are equally busy.
  double imbalance() const {
    return compute_seconds.mean > 0.0 ? compute_seconds.most / compute_seconds.mean : 1.0;
  }
};

/// `used`: the traffic of a solve that took `seconds` on this rank. Collective.
Ledger ledger_of(const Communicator& comm, const Traffic& used, double seconds);

/// A network by the two numbers that its vendor states.
struct NetworkModel {
  double latency = 0.0;    ///< s per message
  double bandwidth = 0.0;  ///< bytes/s per rank
  int ranks = 0;
};
/// "latency=1.5e-6,bandwidth=1e10,ranks=256". Throws InputError with all faults.
NetworkModel parse_network_model(const std::string& text);

/// What a solve of the same iterations would take on `ranks`. docs/ranks.md, "The model".
struct ModelEstimate {
  NetworkModel network;
  double compute_seconds = 0.0, exchange_seconds = 0.0, reduction_seconds = 0.0;
  double efficiency = 0.0;  ///< work of one rank over ranks times seconds
  double seconds() const { return compute_seconds + exchange_seconds + reduction_seconds; }
};

/// How a problem is cut, as far as the model asks.
struct CutFacts {
  double bodies = 0.0;
  double mirrored_share = 0.0;  ///< mirrored rows over owned rows, on the ranks that were measured
  double neighbours = 0.0;      ///< most of a rank
};
ModelEstimate estimate(const Ledger& measured, const CutFacts& cut, const NetworkModel& network);

}  // namespace talus
