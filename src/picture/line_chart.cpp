#include "picture/line_chart.hpp"

#include "talus/core/types.hpp"

#include "core/elementary.hpp"
#include "picture/image.hpp"
#include "picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus::picture {
namespace {

constexpr double width = 600.0, height = 280.0;
constexpr double left = 68.0, right = 14.0, top = 44.0, bottom = 40.0;  // around the curves
constexpr double too_much = 1e300;  // differences of such numbers overflow
constexpr double letter = 6.2;      // mean width of a letter of 11 pixels, for the legend only

std::string hex(const Colour& c) {
  const auto byte = [](double v) { return static_cast<int>(std::lround(255.0 * v)); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(c.r), byte(c.g), byte(c.b));
}

struct Range {
  double low = infinity, high = -low;

  void hold(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Nothing at all, or one value only, gets some room.
  void settle(double around) {
    if (low > high) low = high = 0.0;
    if (low == high) {
      low -= around;
      high += around;
    }
  }
};

/// From numbers to pixels; logarithms along y where the chart has them.
class Axes {
 public:
  explicit Axes(const LineChart& chart) : logarithmic_(chart.logarithmic) {
    for (const Curve& curve : chart.curves)
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (!has(curve, i)) continue;
        x_.hold(curve.x[i]);
        y_.hold(value(curve.y[i]));
      }
    for (const LineChart::Mark& mark : chart.marks) y_.hold(value(mark.y));
    x_.settle(0.5);
    const double size = std::max(std::abs(y_.low), std::abs(y_.high));
    y_.settle(logarithmic_ || !(size > 0.0) || !std::isfinite(size) ? 0.5 : 0.1 * size);
    if (logarithmic_) {
      constexpr double hair = 1e-9;
      y_ = {std::floor(y_.low + hair), std::ceil(y_.high - hair)};
      if (y_.low == y_.high) y_.high += 1.0;
    } else {
      const double room = 0.04 * (y_.high - y_.low);
      // a quantity that is never below 0 has its axis there
      y_ = {y_.low >= 0.0 && y_.low < 0.5 * y_.high ? 0.0 : y_.low - room, y_.high + room};
    }
  }

  double value(double y) const {
    if (!logarithmic_) return std::abs(y) < too_much ? y : std::numeric_limits<double>::quiet_NaN();
    return y > 0.0 ? decimal_logarithm(y) : std::numeric_limits<double>::quiet_NaN();
  }
  bool has(const Curve& curve, std::size_t i) const {
    return std::abs(curve.x[i]) < too_much && std::isfinite(value(curve.y[i]));
  }
  double x(double at) const {
    return left + (width - left - right) * (at - x_.low) / (x_.high - x_.low);
  }
  double y(double at) const {
    return top + (height - top - bottom) * (y_.high - value(at)) / (y_.high - y_.low);
  }

  struct Tick {
    double at;
    std::string label;
  };
  std::vector<Tick> x_ticks() const { return plain(x_, 6); }
  std::vector<Tick> y_ticks() const {
    if (!logarithmic_) return plain(y_, 4);
    std::vector<Tick> list;
    const double step = std::max(1.0, std::ceil((y_.high - y_.low) / 6.0));
    for (double i = y_.low; i <= y_.high; i += step)
      list.push_back({power(10.0, i), fmt::format("1e{:.0f}", i)});
    return list;
  }

 private:
  static std::vector<Tick> plain(const Range& range, int least) {
    const double step = round_step(range.high - range.low, least);
    std::vector<Tick> list;
    for (const double at : ticks(range.low, range.high, step))
      list.push_back({at, tick_label(at, step)});
    return list;
  }

  bool logarithmic_;
  Range x_, y_;
};

std::string text(double x, double y, const char* attributes, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, attributes,
                     xml_text(words));
}

std::string line(double x1, double y1, double x2, double y2, const char* attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, attributes);
}

std::string frame_of(const LineChart& chart, const Axes& axes) {
  const double low = height - bottom, end = width - right;
  std::string svg;
  for (const Axes::Tick& tick : axes.y_ticks()) {
    const double y = axes.y(tick.at);
    svg += line(left, y, end, y, "stroke=\"#dddddd\"");
    svg += text(left - 6.0, y + 4.0, " text-anchor=\"end\"", tick.label);
  }
  for (const Axes::Tick& tick : axes.x_ticks()) {
    const double x = axes.x(tick.at);
    svg += line(x, low, x, low + 4.0, "stroke=\"#444444\"");
    svg += text(x, low + 16.0, " text-anchor=\"middle\"", tick.label);
  }
  svg += line(left, low, end, low, "stroke=\"#444444\"");
  svg += line(left, top, left, low, "stroke=\"#444444\"");
  svg += text(0.5 * (left + end), height - 6.0, " text-anchor=\"middle\"", chart.x_label);
  svg += fmt::format(
      "<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      0.5 * (top + low), xml_text(chart.y_label));
  svg += text(left, 15.0, " font-weight=\"bold\"", chart.title);
  for (const LineChart::Mark& mark : chart.marks) {
    if (!std::isfinite(axes.value(mark.y))) continue;
    svg += line(left, axes.y(mark.y), end, axes.y(mark.y),
                "stroke=\"#888888\" stroke-dasharray=\"5 4\"");
    svg += text(end, axes.y(mark.y) - 4.0, " text-anchor=\"end\" fill=\"#666666\"", mark.label);
  }
  return svg;
}

/// Points of a stretch without gaps. Of each of `most` stretches of it, the first, the least, the
/// largest and the last in their order: nothing that stands out is lost.
std::vector<std::size_t> thinned(const Curve& curve, std::size_t from, std::size_t to) {
  constexpr std::size_t most = 300;
  std::vector<std::size_t> points;
  const std::size_t step = std::max<std::size_t>(1, (to - from + most - 1) / most);
  for (std::size_t begin = from; begin < to; begin += step) {
    const std::size_t end = std::min(begin + step, to);
    std::vector<std::size_t> chosen{begin, end - 1, begin, begin};
    for (std::size_t i = begin; i < end; ++i) {
      if (curve.y[i] < curve.y[chosen[2]]) chosen[2] = i;
      if (curve.y[i] > curve.y[chosen[3]]) chosen[3] = i;
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    points.insert(points.end(), chosen.begin(), chosen.end());
  }
  return points;
}

std::string svg_of(const Curve& curve, const Axes& axes, const std::string& colour) {
  std::string svg;
  const auto has = [&](std::size_t i) { return axes.has(curve, i); };
  for (std::size_t from = 0; from < curve.x.size(); ++from) {
    if (!has(from)) continue;
    std::size_t to = from;
    while (to < curve.x.size() && has(to)) ++to;
    std::string points;
    for (const std::size_t i : thinned(curve, from, to))
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", axes.x(curve.x[i]),
                            axes.y(curve.y[i]));
    if (to == from + 1)  // a line of one point would not be seen
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\"/>\n",
                         axes.x(curve.x[from]), axes.y(curve.y[from]), colour);
    else
      svg += fmt::format(
          "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n", points,
          colour);
    from = to;
  }
  return svg;
}

}  // namespace

std::string xml_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      safe += ' ';
    else
      safe += c;
  }
  return safe;
}

std::string svg_of(const LineChart& chart) {
  const Axes axes(chart);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"sans-serif\" font-size=\"11\" "
      "fill=\"#222222\">\n<title>{2}</title>\n",
      width, height, xml_text(chart.title));
  svg += frame_of(chart, axes);
  double place = left;
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    const std::string colour = hex(of_kind(c));
    svg += svg_of(chart.curves[c], axes, colour);
    const std::string& label = chart.curves[c].label;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"24\" width=\"14\" height=\"3\" fill=\"{}\"/>\n",
                       place, colour);
    svg += text(place + 18.0, 30.0, "", label);
    place += 30.0 + letter * static_cast<double>(label.size());
  }
  return svg + "</svg>\n";
}

}  // namespace talus::picture
