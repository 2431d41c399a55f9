#pragma once
// Letters of 5 x 7 dots, as character displays have them (and one row below for what descends): a
// picture needs no font.

#include "picture/image.hpp"

#include <string>

namespace talus::picture {

inline constexpr int letter_step = 6, letter_height = 7;  ///< dots, for size 1

/// Pixels of a line of text whose dots are `size` pixels wide.
int width_of(const std::string& text, int size);
/// ASCII text with its upper left corner at (x, y). Other characters become question marks.
void write(Image& image, int x, int y, const std::string& text, int size,
           const Colour& colour = ink);

}  // namespace talus::picture
