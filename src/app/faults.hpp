#pragma once
// Reading what a user typed: every fault is collected, so that one attempt shows them all.

#include "talus/core/error.hpp"

#include "core/number.hpp"

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

}  // namespace talus::app
