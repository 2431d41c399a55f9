#pragma once
// docs/truth.md against what tests measure: each row of its table is made by a test, which fails
// where the page says something else.

#include <array>
#include <functional>
#include <string>

namespace talus::support {

/// A number that mechanics knows, and what steps of h, h/2 and h/4 make of it.
struct TruthRow {
  std::string name;  ///< with the unit of the number
  double exact = 0.0;
  double got = 0.0;  ///< with steps of h/4
  double h = 0.0;    ///< s
  std::array<double, 3> error{};
  /// A smaller error is rounding and what solvers leave: the page says "-".
  double least = 0.0;

  /// By which power of h the error falls, from h to h/4; infinite where none is left of it.
  double order() const;
  /// "| name | exact | got | h | error | error | error | order |"
  std::string text() const;
};

/// Runs with steps of h, h/2 and h/4: `measure` gives the number, of which `exact` is the truth.
/// Errors below `least` times it are none.
TruthRow measured(const std::string& name, double exact, double h,
                  const std::function<double(double)>& measure, double least = 1e-9);

/// The page has this row, to the letter. With TALUS_WRITE_TRUTH in the environment it is written
/// there instead.
void expect_on_page(const TruthRow& row);

}  // namespace talus::support
