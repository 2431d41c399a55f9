#pragma once

#include "talus/core/error.hpp"

#include <string>
#include <vector>

namespace talus::support {

/// The message of the InputError that a call throws; empty where it throws none.
template <class Call>
std::string fault_of(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// All its messages.
template <class Call>
std::vector<std::string> messages_of(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

}  // namespace talus::support
