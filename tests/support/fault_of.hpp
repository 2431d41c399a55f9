#pragma once

#include "talus/core/error.hpp"

#include <string>

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

}  // namespace talus::support
