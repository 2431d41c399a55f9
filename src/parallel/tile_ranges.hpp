#pragma once
// Threads over tiles: one contiguous range per thread. Which thread does which tile changes no bit,
// because tiles are independent and sums are exact.

#include "talus/parallel/exact_sum.hpp"

#include "core/arithmetic.hpp"
#include "core/caught.hpp"

#include <omp.h>

#include <utility>

namespace talus {

/// Below this many tiles waking the threads costs more than the work.
inline constexpr Index tiles_worth_threads = 32;

inline std::pair<Index, Index> share_of(Index count, int part, int parts) {
  const auto cut = [&](int k) {
    return static_cast<Index>(static_cast<std::int64_t>(count) * k / parts);
  };
  return {cut(part), cut(part + 1)};
}

/// body(begin, end) once per thread.
template <class Body>
void for_tile_ranges(Index tiles, Body&& body) {
  if (tiles < tiles_worth_threads) return body(0, tiles);  // not even a team of one is made
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel default(none) firstprivate(arithmetic) shared(tiles, body, caught)
  caught.run(static_cast<std::size_t>(omp_get_thread_num()), [&] {
    const auto [begin, end] = share_of(tiles, omp_get_thread_num(), omp_get_num_threads());
    body(begin, end);
  });
  caught.rethrow();
}

/// body(begin, end, sums) once per thread; the threads' sums are merged into `sums`.
template <class Body>
void for_tile_ranges(Index tiles, LocalSums& sums, Body&& body) {
  if (tiles < tiles_worth_threads) return body(0, tiles, sums);
  const StandardArithmetic arithmetic;
  Caught caught;
#pragma omp parallel default(none) firstprivate(arithmetic) shared(tiles, sums, body, caught)
  caught.run(static_cast<std::size_t>(omp_get_thread_num()), [&] {
    const auto [begin, end] = share_of(tiles, omp_get_thread_num(), omp_get_num_threads());
    LocalSums mine(sums.count());
    body(begin, end, mine);
#pragma omp critical(talus_tile_sums)
    sums.merge(mine);
  });
  caught.rethrow();
}

}  // namespace talus
