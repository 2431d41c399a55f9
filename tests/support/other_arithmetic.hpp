#pragma once
// Callers whose processor does not compute as ours does.

namespace talus::support {

/// Whether this thread takes the smallest numbers for 0 (FTZ or DAZ) or does not round to nearest.
bool flushes();

/// This thread rounds upward, long double to 24 bits, with FTZ and DAZ, until the end of the scope.
class OtherArithmetic {
 public:
  OtherArithmetic();
  ~OtherArithmetic();
  OtherArithmetic(const OtherArithmetic&) = delete;
  OtherArithmetic& operator=(const OtherArithmetic&) = delete;

 private:
  unsigned vector_before_;
  unsigned short scalar_before_ = 0;
};

/// OpenMP works with so many threads, and all but the calling one are like that.
class SpoiltThreads {
 public:
  explicit SpoiltThreads(int threads);
  ~SpoiltThreads();
  SpoiltThreads(const SpoiltThreads&) = delete;
  SpoiltThreads& operator=(const SpoiltThreads&) = delete;
  int still_spoilt() const;

 private:
  int threads_, threads_before_;
};

}  // namespace talus::support
