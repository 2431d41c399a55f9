#pragma once
// Which colour means what.

#include "picture/image.hpp"

#include <cstddef>

namespace talus::picture {

/// viridis [Walt15]: dark blue at 0, yellow at 1, equal steps look equal, also in grey and to
/// the colour-blind. Outside: the ends.
Colour viridis(double share);

/// Of things without an order: colours that the colour-blind can tell apart [Okabe08]; after the
/// last one they come darker, then paler, then anew.
Colour of_kind(std::size_t number);
inline constexpr std::size_t kinds_of_colour = 7;

}  // namespace talus::picture
