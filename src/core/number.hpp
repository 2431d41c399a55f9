#pragma once
// A number that a user typed.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace talus {

/// The whole text as a number; nothing where it is none, or does not fit. 1e3 is a whole number
/// too.
template <class Number>
std::optional<Number> number_in(const std::string& text) {
  const auto read = [&](auto value) -> std::optional<decltype(value)> {
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (fault != std::errc() || stop != end) return std::nullopt;
    return value;
  };
  if (const std::optional<Number> plain = read(Number{})) return plain;
  if constexpr (std::is_integral_v<Number>) {
    constexpr double exact = 0x1p53;  // up to here every whole number is a double
    const std::optional<double> value = read(double{});
    if (!value || *value != std::floor(*value) || std::abs(*value) > exact) return std::nullopt;
    const auto whole = static_cast<std::int64_t>(*value);
    const auto number = static_cast<Number>(whole);
    if (static_cast<std::int64_t>(number) == whole) return number;
  }
  return std::nullopt;
}

}  // namespace talus
