#pragma once
// No exception may leave a parallel region of OpenMP: it would end the program. Whatever can throw
// in one (memory that is refused, an assertion) is run through this, and thrown again behind it.

#include <exception>
#include <limits>
#include <mutex>

namespace talus {

class Caught {
 public:
  /// Runs a piece of the work; of what pieces throw, that of the least place is kept.
  template <class Body>
  void run(std::size_t place, const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (first_ && place >= place_) return;
      first_ = std::current_exception();
      place_ = place;
    }
  }

  /// Behind the region.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
  std::size_t place_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace talus
