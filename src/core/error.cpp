#include "talus/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

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

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
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

std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
  TALUS_ASSERT(!known.empty());
  return *std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
}

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(
      fmt::format("{}:{}: talus has a bug: {} does not hold", file, line, condition));
}

}  // namespace talus
