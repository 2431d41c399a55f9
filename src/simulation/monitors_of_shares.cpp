// Monitors of shares of the bodies: quantiles of a coordinate, and of the height along an axis.

#include "simulation/monitor_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace talus::monitors {
namespace {

/// Doubles in their order, as whole numbers.
std::uint64_t place_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
double value_at(std::uint64_t place) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((place & sign) != 0 ? place & ~sign : ~place);
}

/// A sample in shares on the ranks, and which of its values, counted from 0 in ascending order, are
/// wanted.
struct Sample {
  std::vector<double> values;  ///< of this rank
  std::vector<std::int64_t> wanted;
};

/// All wanted values of all samples, by bisection of the numbers that there are: 64 sums of a few
/// integers, whatever the size. Collective.
std::vector<std::vector<double>> selected(const Communicator& comm, std::vector<Sample>& samples) {
  struct Search {
    const std::vector<double>* values;
    std::int64_t wanted;
    std::uint64_t low = 0, high = ~std::uint64_t{0};  // the least place with more than `wanted`
  };
  std::vector<Search> searches;
  for (Sample& sample : samples) {
    std::sort(sample.values.begin(), sample.values.end());
    for (const std::int64_t wanted : sample.wanted) searches.push_back({&sample.values, wanted});
  }
  std::vector<std::int64_t> below(searches.size());
  constexpr int bits = 64;
  for (int bit = 0; bit < bits && !searches.empty(); ++bit) {
    for (std::size_t s = 0; s < searches.size(); ++s) {
      const Search& search = searches[s];
      const std::uint64_t middle = search.low + (search.high - search.low) / 2;
      const auto first_above =
          std::partition_point(search.values->begin(), search.values->end(),
                               [&](double value) { return place_of(value) <= middle; });
      below[s] = first_above - search.values->begin();
    }
    comm.sum(below);
    for (std::size_t s = 0; s < searches.size(); ++s) {
      Search& search = searches[s];
      const std::uint64_t middle = search.low + (search.high - search.low) / 2;
      if (below[s] > search.wanted)
        search.high = middle;
      else
        search.low = std::min(middle + 1, search.high);
    }
  }
  std::vector<std::vector<double>> found;
  std::size_t next = 0;
  for (const Sample& sample : samples) {
    found.emplace_back();
    for (std::size_t k = 0; k < sample.wanted.size(); ++k)
      found.back().push_back(value_at(searches[next++].high));
  }
  return found;
}

/// Quantiles of each sample, between values linear in their number, as numpy.quantile has them;
/// NaN of a sample without values. `counts`: of all ranks.
std::vector<Row> quantiles_of(const Communicator& comm, std::vector<Sample> samples,
                              const std::vector<double>& shares,
                              const std::vector<std::int64_t>& counts) {
  const auto place = [&](std::size_t s, double share) {
    return share * static_cast<double>(counts[s] - 1);
  };
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (const double share : shares) {
      if (counts[s] == 0) continue;
      const auto lower = static_cast<std::int64_t>(std::floor(place(s, share)));
      samples[s].wanted.push_back(lower);
      samples[s].wanted.push_back(std::min(lower + 1, counts[s] - 1));
    }
  const auto found = selected(comm, samples);
  std::vector<Row> rows;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    Row& row = rows.emplace_back();
    for (std::size_t k = 0; k < shares.size(); ++k) {
      if (counts[s] == 0) {
        row.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const double at = place(s, shares[k]), part = at - std::floor(at);
      const double low = found[s][2 * k], high = found[s][2 * k + 1];
      row.push_back(low + part * (high - low));
    }
  }
  return rows;
}

}  // namespace

Row quantiles(const View& view) {
  const BodySet& bodies = view.world.bodies;
  Sample sample;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    if (is_watched(view.settings, view.world, b))
      sample.values.push_back(coordinate(bodies.position[b], view.settings.axis));
  std::vector<std::int64_t> counts{static_cast<std::int64_t>(sample.values.size())};
  view.comm.sum(counts);
  return quantiles_of(view.comm, {sample}, view.settings.values, counts)[0];
}

Row profile(const View& view) {
  const MonitorSettings& settings = view.settings;
  const BodySet& bodies = view.world.bodies;
  const auto bins = static_cast<std::size_t>(settings.bins);
  std::vector<Sample> samples(bins);
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (!is_watched(settings, view.world, b)) continue;
    const double x = coordinate(bodies.position[b], settings.axis);
    if (!(settings.from <= x && x < settings.to)) continue;
    const double place =
        (x - settings.from) / (settings.to - settings.from) * static_cast<double>(bins);
    samples[std::min(static_cast<std::size_t>(place), bins - 1)].values.push_back(
        coordinate(bodies.position[b], settings.up));
  }
  std::vector<std::int64_t> counts;
  for (const Sample& sample : samples)
    counts.push_back(static_cast<std::int64_t>(sample.values.size()));
  view.comm.sum(counts);
  const std::vector<Row> heights =
      quantiles_of(view.comm, std::move(samples), settings.values, counts);
  Row row;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    row.push_back(static_cast<double>(counts[bin]));
    row.insert(row.end(), heights[bin].begin(), heights[bin].end());
  }
  return row;
}

}  // namespace talus::monitors
