#include "io/text_table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace talus::io {
namespace {

const TextTable two_methods{
    {"method", "status", "iterations", "error"},
    {{"apgd", "converged", "12", "1.0e-07"}, {"jacobi", "iteration limit", "100000", "2.0e-02"}},
    2};

TEST(TextTable, AlignsWordsLeftAndNumbersRight) {
  EXPECT_EQ(text_table(two_methods, 100),
            "method  status           iterations    error\n"
            "apgd    converged                12  1.0e-07\n"
            "jacobi  iteration limit      100000  2.0e-02\n");
}

TEST(TextTable, ATableThatIsTooWideGoesOnBelow) {
  EXPECT_EQ(text_table(two_methods, 35),
            "method  status           iterations\n"
            "apgd    converged                12\n"
            "jacobi  iteration limit      100000\n"
            "\n"
            "method    error\n"
            "apgd    1.0e-07\n"
            "jacobi  2.0e-02\n");
}

TEST(TextTable, IsNeverWiderThanAskedAsLongAsTwoColumnsFit) {
  TextTable wide{{"problem"}, {{"name"}}};
  for (int k = 0; k < 30; ++k) {
    wide.heading.push_back("column" + std::to_string(k));
    wide.rows[0].push_back(std::to_string(k * k * k));
  }
  for (const std::size_t width : {20U, 33U, 100U}) {
    std::istringstream lines(text_table(wide, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width);
  }
}

TEST(TextTable, WithoutRowsOrFurtherColumnsIsItsHeading) {
  EXPECT_EQ(text_table({{"a", "b"}, {}}, 100), "a  b\n");
  EXPECT_EQ(text_table({{"a"}, {{"x"}}}, 100), "a\nx\n");
}

TEST(Shortened, TakesFromTheMiddle) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("GlobalProblem00046_condensed", 13), "Globa...ensed");
  EXPECT_EQ(shortened("GlobalProblem00046_condensed", 12).size(), 12U);
}

}  // namespace
}  // namespace talus::io
