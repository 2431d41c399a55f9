#pragma once
// Random numbers by key, not by turn: a number depends on (seed, object, purpose, draw) and on
// nothing that was drawn before, so that what is generated does not depend on threads, ranks or the
// order of loops. Philox 4x32-10, [Salmon11].

#include "talus/core/types.hpp"

#include <Random123/philox.h>
#include <cmath>

namespace talus {

class KeyedRandom {
 public:
  /// `object` is the id of a body, contact or cone; `purpose` keeps apart what is drawn for the
  /// same object.
  KeyedRandom(std::uint64_t seed, std::uint64_t object, std::uint32_t purpose)
      : key_{{low(seed), high(seed)}}, counter_{{low(object), high(object), purpose, 0}} {}

  /// 53 random bits as a number in [0, 1).
  double uniform() {
    const std::uint64_t bits = next_word() >> 11;
    return static_cast<double>(bits) * 0x1.0p-53;
  }
  double uniform(double from, double to) { return from + (to - from) * uniform(); }
  /// An integer in [0, count); the bias of the remainder is below count / 2^64.
  std::uint64_t below(std::uint64_t count) { return next_word() % count; }
  bool chance(double probability) { return uniform() < probability; }
  double sign() { return next_word() % 2 == 0 ? 1.0 : -1.0; }

  /// Uniform on the unit sphere. By rejection, because sine and cosine differ between versions of
  /// libm and sqrt does not.
  Vec3 direction() {
    for (;;) {
      const Vec3 d{uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0)};
      const double squared = dot(d, d);
      if (squared > 0.01 && squared <= 1.0) return (1.0 / std::sqrt(squared)) * d;
    }
  }

  std::uint64_t next_word() {
    if (used_ == 2) refill();
    return words_[used_++];
  }

 private:
  static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  void refill() {
    const auto block = r123::Philox4x32()(counter_, key_);
    words_ = {block[0] | static_cast<std::uint64_t>(block[1]) << 32,
              block[2] | static_cast<std::uint64_t>(block[3]) << 32};
    ++counter_[3];
    used_ = 0;
  }

  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  std::array<std::uint64_t, 2> words_{};
  std::size_t used_ = 2;
};

}  // namespace talus
