// The data of the figures in docs/figures, as CSV on standard output, computed by the library
// itself.
//
//   talus_figures energy    energy error on a grid of (x, w) for a normal and a friction row, a = 1
//   / kg

#include "metrics/energy_error.hpp"

#include <fmt/core.h>
#include <limits>
#include <string>

namespace {

struct Row {
  const char* name;
  double lower, upper;  // N s
};

void print_energy() {
  const Row rows[] = {{"normal", 0.0, std::numeric_limits<double>::infinity()},
                      {"friction", -1.0, 1.0}};
  constexpr int steps = 120;     // per axis, on each side of zero
  constexpr double reach = 3.0;  // N s and m/s
  fmt::print("row,x,w,error\n");
  for (const Row& row : rows)
    for (int i = -steps; i <= steps; ++i)
      for (int j = -steps; j <= steps; ++j) {
        const double x = reach * i / steps, w = reach * j / steps;
        fmt::print("{},{},{},{}\n", row.name, x, w,
                   talus::energy_error_row(x, w, 1.0, row.lower, row.upper));
      }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string figure = argc == 2 ? argv[1] : "";
  if (figure == "energy") {
    print_energy();
    return 0;
  }
  fmt::print(stderr, "usage: talus_figures energy\n");
  return 2;
}
