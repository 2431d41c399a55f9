#pragma once
// Wrong input is collected and reported all at once; a bug of ours stops with its place.

#include <stdexcept>
#include <string>
#include <vector>

namespace talus {

/// Wrong input from a user: one message per fault, each with place, value and remedy. Exit
/// status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<std::string> messages);
  explicit InputError(const std::string& message);
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// Collects faults so that a user sees all of them, not one per attempt.
class InputErrors {
 public:
  void add(std::string message);
  /// "<where> = <value> <remedy>", when `ok` is false.
  void require(bool ok, const std::string& where, double value, const std::string& remedy);
  bool empty() const { return messages_.empty(); }
  std::size_t count() const { return total_; }
  /// Throws InputError with all messages; returns when there are none.
  void throw_if_any() const;

 private:
  static constexpr std::size_t most_shown_ =
      20;  // a file with a million NaNs needs no million lines
  std::vector<std::string> messages_;
  std::size_t total_ = 0;
};

/// Runs `action`; what it finds wrong joins the faults found so far.
template <class Action>
void collect(InputErrors& faults, const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) faults.add(message);
  }
}

/// The entry of `known` that `word` was probably meant to be: one that it begins, or one a few
/// edits away. Empty where none is close: a far-fetched guess helps nobody.
std::string close_name(const std::string& word, const std::vector<std::string>& known);

/// "did you mean X? " in the given quotes, to stand before a list of what is known; empty where
/// nothing is close.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known,
                         const std::string& quote = "");

/// "'word' is no <what>: ", what was probably meant, and what is known.
std::string is_none_of(const std::string& word, const std::string& what,
                       const std::vector<std::string>& known);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace talus

/// Our own mistakes: checked in every build, because a wrong answer costs more than the test.
#define TALUS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::talus::assertion_failed(#condition, __FILE__, __LINE__))
