// Charts as SVG: where points are, what is left out.

#include "picture/line_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace talus {
namespace {

using picture::LineChart;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Points of all polylines, in their order.
std::vector<std::vector<std::pair<double, double>>> lines_in(const std::string& svg) {
  std::vector<std::vector<std::pair<double, double>>> lines;
  const std::string front = "polyline points=\"";
  for (std::size_t at = 0; (at = svg.find(front, at)) != std::string::npos;) {
    at += front.size();
    std::istringstream points(svg.substr(at, svg.find('"', at) - at));
    lines.emplace_back();
    double x = 0.0, y = 0.0;
    for (char comma = ' '; points >> x >> comma >> y;) lines.back().emplace_back(x, y);
  }
  return lines;
}

LineChart chart_of(std::vector<double> y) {
  std::vector<double> x;
  for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i));
  return {"n", "T", "x", "y", false, {{"c", x, std::move(y)}}, {}};
}

TEST(LineChart, PointsLieInProportion) {
  const auto lines = lines_in(picture::svg_of(chart_of({0.0, 1.0, 4.0})));
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_EQ(lines[0].size(), 3U);
  const auto& [a, b, c] = std::tie(lines[0][0], lines[0][1], lines[0][2]);
  EXPECT_NEAR(b.first - a.first, c.first - b.first, 0.15);
  EXPECT_NEAR((a.second - c.second) / (a.second - b.second), 4.0, 0.05);
  EXPECT_LT(c.second, a.second) << "up is up";
}

TEST(LineChart, LogarithmsMakeDecadesAlikeAndHaveNoZero) {
  LineChart chart = chart_of({1e-6, 1e-5, 0.0, 1e-4, 1e-3});
  chart.logarithmic = true;
  chart.marks.push_back({"goal", 1e-5});
  const std::string svg = picture::svg_of(chart);
  const auto lines = lines_in(svg);
  ASSERT_EQ(lines.size(), 2U) << "a gap where the value is 0";
  EXPECT_NEAR(lines[0][0].second - lines[0][1].second, lines[1][0].second - lines[1][1].second,
              0.15);
  EXPECT_THAT(svg, AllOf(HasSubstr(">1e-6<"), HasSubstr(">1e-3<"), HasSubstr(">goal<")));
}

TEST(LineChart, WhatIsNotFiniteIsAGapAndALonePointADot) {
  const double nan = std::nan("");
  const std::string svg = picture::svg_of(chart_of({1.0, 2.0, nan, 3.0, nan, 4.0, 5.0}));
  EXPECT_EQ(lines_in(svg).size(), 2U);
  EXPECT_THAT(svg, AllOf(HasSubstr("<circle"), Not(HasSubstr("nan"))));
}

TEST(LineChart, ThinningKeepsWhatStandsOut) {
  std::vector<double> y(100000);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(1e-3 * static_cast<double>(i));
  y[77777] = 50.0;
  y[33333] = -50.0;
  const auto lines = lines_in(picture::svg_of(chart_of(y)));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LT(lines[0].size(), 1500U);
  double highest = 1e9, lowest = -1e9, last = -1.0;
  for (const auto& [x, at] : lines[0]) {
    highest = std::min(highest, at);
    lowest = std::max(lowest, at);
    EXPECT_GE(x, last);
    last = x;
  }
  EXPECT_LT(highest, 55.0);
  EXPECT_GT(lowest, 230.0);
}

TEST(LineChart, OneValueNoValueAndWildValuesAreDrawn) {
  const double huge = std::numeric_limits<double>::max();
  for (const LineChart& chart :
       {chart_of({}), chart_of({3.0}), chart_of({3.0, 3.0, 3.0}), chart_of({0.0, 0.0}),
        chart_of({1e-300, 2e-300}), chart_of({-huge / 4, huge / 4}), chart_of({huge})}) {
    const std::string svg = picture::svg_of(chart);
    EXPECT_THAT(svg, AllOf(HasSubstr("</svg>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  }
}

TEST(LineChart, WordsAreSafeInXml) {
  EXPECT_EQ(picture::xml_text("a < b & \"c\" > d\x01"), "a &lt; b &amp; &quot;c&quot; &gt; d ");
  LineChart chart = chart_of({1.0, 2.0});
  chart.title = "<b>";
  EXPECT_THAT(picture::svg_of(chart), AllOf(HasSubstr("&lt;b&gt;"), Not(HasSubstr("<b>"))));
}

}  // namespace
}  // namespace talus
