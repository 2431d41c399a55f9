#pragma once
// The MPI side of a communicator; only the sources of this room see it.

#include "talus/parallel/communicator.hpp"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace talus {

struct Communicator::Ranks {
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Throws std::runtime_error with rank, phase, the name of the call and MPI's own words.
void check_mpi(int status, const char* call);

/// Counts a collective call and adds its time, most of it waiting for the slowest rank, to what
/// this rank has not worked.
class Reducing {
 public:
  explicit Reducing(Traffic& traffic) : traffic_(traffic) { ++traffic_.collectives; }
  ~Reducing() {
    traffic_.reduction_seconds += std::chrono::duration<double>(Clock::now() - start_).count();
  }
  Reducing(const Reducing&) = delete;
  Reducing& operator=(const Reducing&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  Traffic& traffic_;
  Clock::time_point start_ = Clock::now();
};

/// A type of ours in reductions, bytes to MPI; `merge` must be associative and commutative. One of
/// each per run, made when first used.
template <class Message, void (*merge)(Message& into, const Message& from)>
class ReducedAs {
 public:
  static const ReducedAs& get() {
    static const ReducedAs reduced;
    return reduced;
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

 private:
  static_assert(std::is_trivially_copyable_v<Message>);
  ReducedAs() {
    check_mpi(MPI_Type_contiguous(sizeof(Message), MPI_BYTE, &type), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    check_mpi(MPI_Op_create(merge_all, 1, &op), "MPI_Op_create");
  }
  /// What MPI hands over need not be aligned.
  static void merge_all(void* incoming, void* merged, int* count, MPI_Datatype* /*type*/) {
    for (int i = 0; i < *count; ++i) {
      const auto at = static_cast<std::size_t>(i) * sizeof(Message);
      Message from{}, into{};
      std::memcpy(&from, static_cast<std::byte*>(incoming) + at, sizeof from);
      std::memcpy(&into, static_cast<std::byte*>(merged) + at, sizeof into);
      merge(into, from);
      std::memcpy(static_cast<std::byte*>(merged) + at, &into, sizeof into);
    }
  }
};

}  // namespace talus
