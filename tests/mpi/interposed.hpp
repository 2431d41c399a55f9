#pragma once
// What MPI was really asked for, counted in front of it by its profiling interface: the program's
// own ledger is checked against it.

#include <cstddef>
#include <cstdint>
#include <functional>

namespace talus {

struct Interposed {
  std::int64_t reductions = 0;    ///< MPI_Allreduce
  std::int64_t messages = 0;      ///< sends started
  std::int64_t bytes = 0;         ///< of persistent sends, at each start
  std::int64_t single_bytes = 0;  ///< of sends that are used once (MPI_Isend)
};

/// Since the last reset_interposed(), of this rank.
const Interposed& interposed();
void reset_interposed();

/// Called with what each send that is used once is about to send, to spoil it; empty: nobody does.
using Spoil = std::function<void(std::byte* data, std::int64_t bytes)>;
void spoil_messages(Spoil spoil);

}  // namespace talus
