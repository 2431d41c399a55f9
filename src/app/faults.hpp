#pragma once
// Reading what a user typed: every fault is collected, so that one attempt shows them all. And what
// ranks do together before work begins.

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/parallel/communicator.hpp"

#include "core/number.hpp"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace talus::app {

using talus::collect;

/// The whole text as a number. Throws InputError: "<name> = '<text>' is not <kind>".
template <class Number>
Number parse_number(const std::string& name, const std::string& text, const char* kind) {
  const std::optional<Number> value = number_in<Number>(text);
  if (!value) throw InputError(fmt::format("{} = '{}' is not {}", name, text, kind));
  return *value;
}

// Work that one rank does for all.

/// The exit code of `work`, run by the first rank only; the others wait. What it throws, all throw.
/// Collective.
template <class Work>
int on_first_rank(const Communicator& comm, const Work& work) {
  std::array<std::int64_t, 1> code{0};
  agree(comm, [&] {
    if (comm.rank() == 0) code[0] = work();
  });
  comm.sum(code);
  return static_cast<int>(code[0]);
}

// What all ranks must have in common before they begin.

/// Throws AgreedInputError where a rank was started with another command line than the first: it
/// would take another way, and the others would wait for it. Collective.
void require_same_words(const Communicator& comm, int argc, char** argv);

}  // namespace talus::app
