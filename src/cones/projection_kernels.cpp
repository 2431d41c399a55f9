// Compiled once per x86-64 level (src/CMakeLists.txt): includes lane headers only.

#include "cones/cone_lanes.hpp"
#include "cones/projection_tiles.hpp"

#include <type_traits>

namespace talus::TALUS_LEVEL {

extern ProjectTiles project_tiles;
void project_tiles(const ConeView& cones, const double* x, double* projected, int begin, int end) {
  visit_tiles(cones, begin, end, [&](const auto& tile) {
    constexpr int rows = std::remove_reference_t<decltype(tile)>::rows;
    V8 y[rows];
    for (int k = 0; k < rows; ++k) y[k] = load(x + tile.row + 8 * k);
    tile.project(y);
    for (int k = 0; k < rows; ++k) store(projected + tile.row + 8 * k, y[k]);
  });
}

}  // namespace talus::TALUS_LEVEL
