#pragma once
// Random numbers that depend on the seed alone, and what readers stumble over.

#include "core/key_order.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace talus::fuzz {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(mixed_bits(seed)) {}

  std::uint64_t bits() { return mixed_bits(state_ += 0x9e3779b97f4a7c15U); }
  /// From 0 to bound - 1; 0 where there is nothing to choose from.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : bits() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  auto& one_of(List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t state_;
};

/// Numbers at the edges of types, of what a double holds and of what physics means.
double strange_number(Chance& chance);
std::string strange_number_text(Chance& chance);
/// Words that mean something to YAML, to formulas, to shells and to files.
std::string strange_word(Chance& chance);

/// How many changes: most often one, which leaves the most of what follows to be read.
std::size_t some(Chance& chance);
/// Wounds of the kinds that disks, networks and scripts inflict.
std::string with_wounds(std::string bytes, Chance& chance);
/// Words, numbers and marks put out of order, changed for each other and for strange ones.
std::string with_other_tokens(const std::string& text, Chance& chance);

/// A formula, most often a sound one; of `depth` operators within each other at most.
std::string made_formula(Chance& chance, const std::vector<std::string>& names, int depth);

}  // namespace talus::fuzz
