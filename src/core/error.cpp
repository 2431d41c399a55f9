#include "talus/core/error.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace talus {
namespace {

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const std::string& message : messages) {
    if (!text.empty()) text += '\n';
    text += message;
  }
  return text;
}

/// Letters put in, left out, substituted, or swapped with their neighbour.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Dashes, dots and what else is no letter or digit say nothing about a name.
std::size_t letters(const std::string& word) {
  return static_cast<std::size_t>(std::count_if(
      word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0; }));
}

/// How far `word` is from `name` when it may have been meant; nothing where it was not.
std::optional<std::size_t> closeness(const std::string& word, const std::string& name) {
  constexpr std::size_t least_abbreviation = 2, edits_per_letters = 3;
  if (letters(word) >= least_abbreviation && name.starts_with(word)) return 0;
  const std::size_t longer = std::max(letters(word), letters(name));
  const std::size_t edits = edit_distance(word, name);
  const auto begins = static_cast<std::size_t>(
      std::mismatch(word.begin(), word.end(), name.begin(), name.end()).first - word.begin());
  if (2 * begins >= std::max(word.size(), name.size())) return edits;  // body for bodies
  if (edits >= longer || edits > std::max<std::size_t>(1, longer / edits_per_letters)) return {};
  return edits;
}

}  // namespace

InputError::InputError(std::vector<std::string> messages)
    : std::runtime_error(joined(messages)), messages_(std::move(messages)) {}

InputError::InputError(const std::string& message)
    : InputError(std::vector<std::string>{message}) {}

void InputErrors::add(std::string message) {
  ++total_;
  if (messages_.size() < most_shown_) messages_.push_back(std::move(message));
}

void InputErrors::require(bool ok, const std::string& where, double value,
                          const std::string& remedy) {
  if (!ok) add(fmt::format("{} = {} {}", where, value, remedy));
}

void InputErrors::throw_if_any() const {
  if (messages_.empty()) return;
  std::vector<std::string> shown = messages_;
  if (total_ > shown.size()) shown.push_back(fmt::format("and {} more", total_ - shown.size()));
  throw InputError(shown);
}

std::string close_name(const std::string& word, const std::vector<std::string>& known) {
  std::string closest;
  std::optional<std::size_t> least;
  for (const std::string& name : known) {
    const std::optional<std::size_t> distance = closeness(word, name);
    if (!distance || (least && *least <= *distance)) continue;
    least = distance;
    closest = name;
  }
  return closest;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known,
                         const std::string& quote) {
  const std::string name = close_name(word, known);
  return name.empty() ? "" : fmt::format("did you mean {}{}{}? ", quote, name, quote);
}

std::string is_none_of(const std::string& word, const std::string& what,
                       const std::vector<std::string>& known) {
  return fmt::format(
      "'{}' is no {}: {}{}", word, what, did_you_mean(word, known, "'"),
      known.empty() ? "there are none" : fmt::format("known are {}", fmt::join(known, ", ")));
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("{}:{}: talus has a bug: {} does not hold", file, line, condition));
}

}  // namespace talus
