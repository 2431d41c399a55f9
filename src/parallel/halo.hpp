#pragma once
// One message to and from every neighbour: the values of items that another rank owns and this one
// needs. Persistent requests; nothing is allocated after set-up. docs/architecture.md.

#include "talus/core/types.hpp"
#include "talus/parallel/communicator.hpp"

#include <memory>
#include <vector>

namespace talus {

/// Item i stands at values[stride * i + offset] for each of the offsets.
struct HaloLayout {
  Index stride = 1;
  std::vector<Index> offsets{0};
};

class Halo {
 public:
  /// Not collective: each rank needs only its own neighbours.
  Halo(const Communicator& comm, std::vector<HaloNeighbour> neighbours, HaloLayout layout);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  /// Packs and starts to send; `values` must hold the items that are sent. One thread.
  void start(const double* values);
  /// Lets MPI make progress: messages that are not asked for do not move. True when all of them
  /// have come. One thread.
  bool poll();
  /// Waits and unpacks what the neighbours sent. One thread.
  void finish(double* values);

  const std::vector<HaloNeighbour>& neighbours() const { return neighbours_; }
  const Communicator& communicator() const { return comm_; }
  bool empty() const { return neighbours_.empty(); }

 private:
  struct Requests;
  const Communicator comm_;
  std::vector<HaloNeighbour> neighbours_;
  HaloLayout layout_;
  std::vector<std::vector<double>> outgoing_, incoming_;  // per neighbour
  std::int64_t bytes_ = 0;                                // sent per exchange
  bool travelling_ = false;                               // between start() and finish()
  std::unique_ptr<Requests> requests_;
};

}  // namespace talus
