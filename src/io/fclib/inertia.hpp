#pragma once

#include "talus/core/types.hpp"

#include <optional>

namespace talus::io {

/// Nothing where the matrix is not positive definite.
std::optional<Sym3> inverse(const Sym3& matrix);

}  // namespace talus::io
