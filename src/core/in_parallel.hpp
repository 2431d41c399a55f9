#pragma once
// The plain loop of all threads: each place is visited once, by any thread, in any order.

#include "core/arithmetic.hpp"
#include "core/caught.hpp"

#include <omp.h>

#include <cstddef>
#include <cstdint>

namespace talus {

/// visit(i) for i in [0, count), in equal shares of threads where there are more places than it
/// takes to be worth waking them. What visits throw comes out, that of the first share.
template <class Visit>
void in_parallel(std::size_t count, const Visit& visit, std::size_t worth_threads = 1000) {
  const StandardArithmetic arithmetic;
  if (count <= worth_threads) {
    for (std::size_t i = 0; i < count; ++i) visit(i);
    return;
  }
  Caught caught;
#pragma omp parallel default(none) firstprivate(arithmetic) shared(count, visit, caught)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num()),
               threads = static_cast<std::size_t>(omp_get_num_threads());
    caught.run(thread, [&] {
      for (std::size_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i)
        visit(i);
    });
  }
  caught.rethrow();
}

}  // namespace talus
