#include "generate/size_distribution.hpp"

#include "talus/core/error.hpp"

#include "core/elementary.hpp"
#include "generate/random.hpp"
#include "generate/scene_parts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

using SizeKind = SizeDistribution::Kind;
/// The density is below exp(-40) of its largest beyond: of 1e17 bodies one would be there.
constexpr double far = 9.0;

/// Probability that a standard normal number is above x >= 0.
double above(double x) {
  if (x > 38.0) return 0.0;
  const double density = exponential(-0.5 * x * x) / std::sqrt(2.0 * pi);
  if (x < 3.0) {
    double term = x, sum = x;
    for (int k = 3; term > 1e-18 * sum; k += 2) sum += term *= x * x / k;
    return 0.5 - density * sum;
  }
  double fraction = x;  // continued fraction of Laplace, from its tail
  for (int k = 80; k > 0; --k) fraction = x + k / fraction;
  return density / fraction;
}

/// A number of [from, to] with the density exp(-z^2 / 2), by rejection from a uniform one.
double cut_normal(KeyedRandom& random, double from, double to) {
  const double likeliest = std::clamp(0.0, from, to);
  const double tail = likeliest == 0.0 ? far : std::min(far, 40.0 / std::abs(likeliest));
  const double least = std::max(from, likeliest - tail), most = std::min(to, likeliest + tail);
  for (;;) {
    const double z = random.uniform(least, most);
    if (random.uniform() < exponential(0.5 * (likeliest - z) * (likeliest + z))) return z;
  }
}

std::vector<std::string> faults_of_table(const std::vector<std::array<double, 2>>& table) {
  std::vector<std::string> faults;
  if (table.empty()) faults.emplace_back("table is empty: give lines of size and share");
  double sum = 0.0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& [size, share] = table[i];
    if (!(size > 0.0 && size < infinity))
      faults.push_back(
          fmt::format("table: size {} = {} must be a positive length in m", i + 1, size));
    if (!(share >= 0.0 && share < infinity))
      faults.push_back(fmt::format("table: share {} = {} must not be negative", i + 1, share));
    sum += share;
  }
  if (faults.empty() && sum <= 0.0)
    faults.emplace_back("table: the sum of all shares = 0 must be positive");
  return faults;
}

std::vector<std::array<double, 2>> normalised(std::vector<std::array<double, 2>> table) {
  std::sort(table.begin(), table.end());
  double sum = 0.0;
  for (const auto& line : table) sum += line[1];
  std::vector<std::array<double, 2>> shares;
  for (const auto& [size, share] : table) {
    if (share == 0.0) continue;
    if (!shares.empty() && shares.back()[0] == size)
      shares.back()[1] += share / sum;
    else
      shares.push_back({size, share / sum});
  }
  return shares;
}

}  // namespace

double normal_between(double from, double to) {
  if (!(from < to)) return 0.0;
  if (from >= 0.0) return above(from) - above(to);
  if (to <= 0.0) return above(-to) - above(-from);
  return 1.0 - above(-from) - above(to);
}

std::vector<std::string> faults_of(const SizeDistribution& sizes) {
  if (sizes.kind == SizeKind::Table) return faults_of_table(sizes.table);
  std::vector<std::string> faults;
  const bool constant = sizes.kind == SizeKind::Constant,
             lognormal = sizes.kind == SizeKind::Lognormal;
  // a lognormal distribution may have no cuts: 0 and infinity
  const double least = lognormal ? 0.0 : std::numeric_limits<double>::denorm_min();
  if (!(sizes.low >= least && sizes.low < infinity))
    faults.push_back(fmt::format("{} = {} must be a positive length in m",
                                 constant ? "size" : "smallest size", sizes.low));
  if (!constant && !(sizes.high >= sizes.low && (lognormal || sizes.high < infinity)))
    faults.push_back(
        fmt::format("largest size = {} must be at least the smallest, {}", sizes.high, sizes.low));
  if (lognormal && !(sizes.median > 0.0 && sizes.median < infinity))
    faults.push_back(fmt::format("median = {} must be a positive length in m", sizes.median));
  if (lognormal && !(sizes.deviation > 0.0 && sizes.deviation < infinity))
    faults.push_back(fmt::format(
        "deviation = {} must be positive: it is that of the logarithm; without any, give one size",
        sizes.deviation));
  return faults;
}

Sizes::Sizes(const SizeDistribution& wanted)
    : wanted_(wanted), low_(wanted.low), high_(wanted.high) {
  TALUS_ASSERT(faults_of(wanted).empty());
  if (wanted.kind == SizeKind::Constant) high_ = low_;
  if (wanted.kind == SizeKind::Table) {
    lines_ = normalised(wanted.table);
    low_ = lines_.front()[0];
    high_ = lines_.back()[0];
    double sum = 0.0;
    for (const auto& [size, share] : lines_) {
      const double relative = size / high_;
      sum += wanted.by_mass ? share / (relative * relative * relative) : share;
      up_to_.push_back(sum);
    }
    for (double& part : up_to_) part /= sum;
  }
  if (wanted.kind == SizeKind::Lognormal) {
    const double s = wanted.deviation;
    centre_ = natural_logarithm(wanted.median) - (wanted.by_mass ? 3.0 * s * s : 0.0);
    from_ = (natural_logarithm(low_) - centre_) / s;
    to_ = high_ < infinity ? (natural_logarithm(high_) - centre_) / s : infinity;
    // where nothing is cut: the largest that will be drawn
    high_ = std::min(high_, exponential(centre_ + s * (std::max(from_, 0.0) + far)));
  }
}

double Sizes::draw(std::uint64_t seed, std::uint64_t number) const {
  KeyedRandom random(seed, number, purpose_size);
  switch (wanted_.kind) {
    case SizeKind::Constant:
      break;
    case SizeKind::Uniform: {
      const double u = random.uniform();
      if (!wanted_.by_mass) return std::min(high_, low_ + u * (high_ - low_));
      // the number of bodies up to size d goes by 1 / low^2 - 1 / d^2
      const double ratio = low_ / high_;
      return std::clamp(low_ / std::sqrt(1.0 - u * (1.0 - ratio * ratio)), low_, high_);
    }
    case SizeKind::Lognormal:
      return std::clamp(exponential(centre_ + wanted_.deviation * cut_normal(random, from_, to_)),
                        low_, high_);
    case SizeKind::Table: {
      const auto above_it = std::upper_bound(up_to_.begin(), up_to_.end() - 1, random.uniform());
      return lines_[above_it - up_to_.begin()][0];
    }
  }
  return low_;
}

double Sizes::share(double size, bool with_equal) const {
  const bool beyond = with_equal ? size >= high_ : size > high_;
  if (beyond) return 1.0;
  switch (wanted_.kind) {
    case SizeKind::Constant:
      return 0.0;
    case SizeKind::Uniform:
      return low_ < high_ ? std::max(0.0, (size - low_) / (high_ - low_)) : 0.0;
    case SizeKind::Lognormal: {
      // by mass: the cuts are where they are, only the centre is another
      const double s = wanted_.deviation, moved = wanted_.by_mass ? 3.0 * s : 0.0;
      if (size <= low_) return 0.0;
      const double up_to = (natural_logarithm(size) - centre_) / s - moved;
      return normal_between(from_ - moved, up_to) / normal_between(from_ - moved, to_ - moved);
    }
    case SizeKind::Table:
      break;
  }
  double sum = 0.0;
  for (const auto& line : lines_)
    if (with_equal ? line[0] <= size : line[0] < size) sum += line[1];
  return sum;
}

double largest_deviation(const Sizes& wanted, bool by_mass, std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  const auto weight = [&](double size) { return by_mass ? size * size * size : 1.0; };
  double all = 0.0, reached = 0.0, largest = 0.0;
  for (const double size : sizes) all += weight(size);
  for (std::size_t i = 0; i < sizes.size();) {
    const double size = sizes[i];
    largest = std::max(largest, std::abs(wanted.share_below(size) - reached / all));
    for (; i < sizes.size() && sizes[i] == size; ++i) reached += weight(size);
    largest = std::max(largest, std::abs(wanted.share_up_to(size) - reached / all));
  }
  return largest;
}

}  // namespace talus
