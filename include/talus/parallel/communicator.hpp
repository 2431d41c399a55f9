#pragma once
// The ranks of a run. Everything that crosses ranks goes through here (and through halo.hpp)
// and is counted, so that solvers state and keep their price in messages. Alone, nothing calls MPI.

#include "talus/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace talus {

class LocalSums;

/// What was sent, and how long this rank waited for it.
struct Traffic {
  std::int64_t reductions = 0;   ///< fused reductions of a solve
  std::int64_t collectives = 0;  ///< those, and all other calls in which all ranks take part
  std::int64_t exchanges = 0;    ///< halo exchanges: one message to and from every neighbour
  std::int64_t messages = 0, bytes = 0;  ///< of those exchanges, sent by this rank
  double reduction_seconds = 0.0;        ///< in reductions and all other collective calls
  double wait_seconds = 0.0;             ///< for messages of exchanges
};
/// What lies between two readings.
Traffic operator-(const Traffic& later, const Traffic& earlier);

/// What is exchanged with one rank. Both sides list the items in the same (global) order.
struct HaloNeighbour {
  int rank = 0;
  std::vector<Index> send;     ///< items of this rank
  std::vector<Index> receive;  ///< copies of items of the neighbour
};

using Bytes = std::vector<std::byte>;

class Communicator {
 public:
  /// A communicator of one rank: never calls MPI.
  static Communicator self();
  /// All ranks that were started together; needs an MpiSession, or MPI started by the caller. Of
  /// one rank alone: self(). Messages have a space of their own beside those of the caller: the
  /// first call is collective.
  static Communicator world();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Adds the sums, takes the maxima: one fused reduction. Collective.
  void reduce(LocalSums& sums) const;

  /// Stop flags of this rank, from its clock or its user, that no rank may follow alone: they ride
  /// on the next fused reduction. Returns those that any rank had at the last reduction, alike on
  /// all ranks; alone, `mine`. Each bit is a stop flag.
  std::uint32_t stop_flags(std::uint32_t mine) const;
  void clear_stop_flags() const;
  /// A number that rides on the next fused reductions; after one, its sum over the ranks
  /// (mod 2^64).
  void board(std::uint64_t word) const;
  std::uint64_t words() const;

  /// True when every rank says so. Collective.
  bool all_agree(bool mine) const;
  /// Element by element over the ranks. Collective.
  void sum(std::span<std::int64_t> values) const;
  void sum(std::span<std::uint64_t> values) const;  ///< mod 2^64
  void largest(std::span<double> values) const;
  void smallest(std::span<double> values) const;

  /// The bytes of `root`, everywhere. Collective.
  void broadcast(Bytes& bytes, int root) const;
  /// The bytes of every rank, in the order of ranks, on `root` (elsewhere empty). Collective.
  std::vector<Bytes> gather(const Bytes& mine, int root) const;
  /// Sends to_each[r] to rank r; returns what each rank sent here. Collective.
  std::vector<Bytes> all_to_all(const std::vector<Bytes>& to_each) const;
  /// Nobody goes on before all have come here. Collective.
  void barrier() const;

  std::int64_t reductions() const;
  Traffic& traffic() const;

  struct Ranks;  ///< src/parallel/ranks.hpp: what MPI needs
  const Ranks* ranks() const { return ranks_.get(); }

 private:
  explicit Communicator(std::shared_ptr<Ranks> ranks);

  int rank_ = 0, size_ = 1;
  std::shared_ptr<Ranks> ranks_;
  std::shared_ptr<Traffic> traffic_;
  /// What rides on fused reductions.
  struct PiggybackedWords {
    std::uint32_t mine = 0, anyones = 0;
    std::uint64_t word = 0, words = 0;
  };
  std::shared_ptr<PiggybackedWords> piggybacked_;
};

/// MPI from its start to its end. Made once, in main(), before any communicator of many ranks.
class MpiSession {
 public:
  /// Starts MPI where a launcher (mpirun, srun) started this program on several ranks, else does
  /// nothing.
  MpiSession(int& argc, char**& argv);
  /// Waits for all ranks, so that the exit of one cannot cut off another's output, and ends MPI.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Ends all ranks at once: this rank has failed alone, and the others may wait for it.
  [[noreturn]] static void abort(int exit_code);

 private:
  bool started_ = false;
};

/// How many ranks a launcher started, from its environment; 1 without a launcher.
int launched_ranks();
/// This rank by the launcher's environment; 0 without. For messages before MPI has started.
int launched_rank();

/// What this rank is doing, for the message when it fails; phases nest.
class Phase {
 public:
  explicit Phase(const char* name);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;
  static std::string current();
  /// The innermost phase that an exception has left, since the last one began; else the current.
  static std::string of_failure();
  /// The step of a run that this rank is in; 0: none.
  static void set_step(std::int64_t step);
  static std::int64_t step();
  /// ", step 12, while solving" after the name of a rank; what is not known is left out.
  static std::string place_of_failure();
  /// The same of the current phase, between two texts, from within a handler of signals.
  static void write_place(int descriptor, const char* before, const char* after) noexcept;

 private:
  const char *name_, *outer_;
  int exceptions_;
};

/// Plain data as bytes, and back.
template <class T>
Bytes to_bytes(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}
template <class T>
Bytes to_bytes(const std::vector<T>& values) {
  return to_bytes(std::span<const T>(values));
}
template <class T>
std::vector<T> from_bytes(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::byte* to = reinterpret_cast<std::byte*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) to[i] = bytes[i];
  return values;
}

/// The text of rank `root`, on all ranks. Collective.
std::string broadcast_text(const Communicator& comm, const std::string& text, int root);

/// The records of all ranks, in the order of ranks, on all ranks: for few of them. Collective.
template <class T>
std::vector<T> of_all_ranks(const Communicator& comm, const std::vector<T>& mine) {
  std::vector<T> all;
  const std::vector<Bytes> to_each(static_cast<std::size_t>(comm.size()), to_bytes(mine));
  for (const Bytes& bytes : comm.all_to_all(to_each)) {
    const std::vector<T> records = from_bytes<T>(bytes);
    all.insert(all.end(), records.begin(), records.end());
  }
  return all;
}

}  // namespace talus
