#include "support/truth_page.hpp"

#include "support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <vector>

namespace talus::support {
namespace {

std::filesystem::path page() {
  return source_folder() / "docs" / "truth.md";
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The line of the table that begins with the name; the end where there is none.
std::vector<std::string>::iterator find_row(std::vector<std::string>& lines,
                                            const std::string& name) {
  const std::string start = "| " + name + " |";
  return std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.compare(0, start.size(), start) == 0;
  });
}

}  // namespace

double TruthRow::order() const {
  const double none = least * std::abs(exact);
  if (error[2] <= none) return std::numeric_limits<double>::infinity();
  return 0.5 * std::log2(error[0] / error[2]);
}

std::string TruthRow::text() const {
  const auto shown = [&](double e) {
    return e <= least * std::abs(exact) ? std::string("-") : fmt::format("{:.1e}", e);
  };
  const double by = order();
  return fmt::format("| {} | {:.5g} | {:.5g} | {:.3g} | {} | {} | {} | {} |", name, exact, got, h,
                     shown(error[0]), shown(error[1]), shown(error[2]),
                     std::isfinite(by) ? fmt::format("{:.1f}", by) : "exact");
}

TruthRow measured(const std::string& name, double exact, double h,
                  const std::function<double(double)>& measure, double least) {
  TruthRow row{name, exact, 0.0, h, {}, least};
  for (std::size_t k = 0; k < 3; ++k) {
    row.got = measure(h / static_cast<double>(1 << k));
    row.error.at(k) = std::abs(row.got - exact);
  }
  return row;
}

void expect_on_page(const TruthRow& row) {
  std::vector<std::string> lines = lines_of(page());
  const auto found = find_row(lines, row.name);
  if (found == lines.end()) {
    ADD_FAILURE() << page() << " has no such row:\n" << row.text();
    return;
  }
  if (std::getenv("TALUS_WRITE_TRUTH") == nullptr) {
    EXPECT_EQ(*found, row.text()) << "what was measured is not what the page says";
    return;
  }
  *found = row.text();
  std::ofstream out(page());
  for (const std::string& line : lines) out << line << "\n";
}

}  // namespace talus::support
