#pragma once
// What fails on one rank fails on all, with one message: no rank throws alone between two
// collectives (DESIGN 7).

#include "talus/core/error.hpp"
#include "talus/core/expression.hpp"
#include "talus/parallel/communicator.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace talus {

/// What all ranks throw with the same messages: nobody waits for another.
class KnownToAll {
 public:
  virtual ~KnownToAll() = default;
};

class AgreedInputError : public InputError, public KnownToAll {
 public:
  using InputError::InputError;
};

class AgreedFormulaError : public FormulaError, public KnownToAll {
 public:
  using FormulaError::FormulaError;
};

/// Any other failure that all ranks know of.
class AgreedFailure : public std::runtime_error, public KnownToAll {
 public:
  using std::runtime_error::runtime_error;
};

inline bool is_known_to_all(const std::exception& failure, const Communicator& comm) {
  return comm.size() == 1 || dynamic_cast<const KnownToAll*>(&failure) != nullptr;
}

/// A failure in words for people.
std::string failure_text(const std::exception& failure);

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

/// Runs `action`, which may communicate and throws InputError or FormulaError, where it does, on
/// all ranks alike.
template <class Action>
auto alike(const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw AgreedInputError(error.messages());
  } catch (const FormulaError& error) {
    throw AgreedFormulaError(error.what());
  }
}

// Faults of input that several ranks read, each its share.

/// Returns where no rank has found a fault. Else every rank throws the same InputError: the faults
/// of all ranks in the order of ranks, what several found alike once, and no more of them than one
/// rank would show. Collective.
void throw_merged(const Communicator& comm, const InputErrors& errors);

}  // namespace talus
