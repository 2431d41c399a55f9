#pragma once
// What fails on one rank fails on all, with one message: no rank throws alone between two
// collectives (DESIGN 7).

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace talus {

/// Wrong input that all ranks know of: each has the same messages, and nobody waits for another.
class AgreedInputError : public InputError {
 public:
  using InputError::InputError;
};

/// Any other failure that all ranks know of.
class AgreedFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `action`, which must not communicate, on this rank. Where it throws on any rank, all ranks
/// throw what the lowest of them has found. Collective.
void agree(const Communicator& comm, const std::function<void()>& action);

/// The same, with what `action` returns.
template <class Action>
auto agreed(const Communicator& comm, const Action& action) {
  if constexpr (std::is_void_v<std::invoke_result_t<Action>>) {
    agree(comm, action);
  } else {
    std::optional<std::invoke_result_t<Action>> result;
    agree(comm, [&] { result.emplace(action()); });
    return std::move(*result);
  }
}

/// Runs `action`, which communicates and throws InputError, where it does, on all ranks alike.
template <class Action>
auto alike(const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw AgreedInputError(error.messages());
  }
}

// Faults of input that several ranks read, each its share.

/// Returns where no rank has found a fault. Else every rank throws the same InputError: the faults
/// of all ranks in the order of ranks, what several found alike once, and no more of them than one
/// rank would show. Collective.
void throw_merged(const Communicator& comm, const InputErrors& errors);

}  // namespace talus
