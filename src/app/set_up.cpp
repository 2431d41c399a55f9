#include "app/set_up.hpp"

#include "talus/core/error.hpp"

#include <fmt/format.h>

namespace talus::app {

ConeProblem set_up(const ProblemFile& file) {
  try {
    return make_cone_problem(file.data);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: /{}/M: {}", file.path, file.format, error.what()));
  }
}

}  // namespace talus::app
