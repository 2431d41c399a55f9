#include "parallel/ledger.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace talus {
namespace {

Spread spread_of(const std::vector<double>& values) {
  Spread spread{values.front(), 0.0, values.front()};
  for (const double value : values) {
    spread.least = std::min(spread.least, value);
    spread.most = std::max(spread.most, value);
    spread.mean += value / static_cast<double>(values.size());
  }
  return spread;
}

void set_key(NetworkModel& model, const std::string& word, InputErrors& errors) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string text = equals == std::string::npos ? "" : word.substr(equals + 1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  const std::vector<std::string> keys{"latency", "bandwidth", "ranks"};
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    return errors.add(
        fmt::format("--model {}: {}needed are latency (s), bandwidth (bytes/s), ranks", word,
                    did_you_mean(key, keys)));
  if (!is_number || !(value > 0.0) || !std::isfinite(value))
    return errors.add(fmt::format("--model {}: must be a number above 0", word));
  if (key == "latency") model.latency = value;
  if (key == "bandwidth") model.bandwidth = value;
  if (key == "ranks") {
    if (value != std::floor(value) || value > 1e7)
      return errors.add(fmt::format("--model {}: must be a whole number up to 1e7", word));
    model.ranks = static_cast<int>(value);
  }
}

}  // namespace

std::vector<Spread> spreads_of(const Communicator& comm, const std::vector<double>& mine) {
  std::vector<std::vector<double>> columns(mine.size());
  Bytes all;
  for (const Bytes& bytes : comm.gather(to_bytes(mine), 0))
    all.insert(all.end(), bytes.begin(), bytes.end());
  comm.broadcast(all, 0);
  const std::vector<double> table = from_bytes<double>(all);
  for (std::size_t i = 0; i < table.size(); ++i) columns[i % mine.size()].push_back(table[i]);
  std::vector<Spread> spreads;
  for (const std::vector<double>& column : columns) spreads.push_back(spread_of(column));
  return spreads;
}

Ledger ledger_of(const Communicator& comm, const Traffic& used, double seconds) {
  const std::vector<Spread> spreads =
      spreads_of(comm, {static_cast<double>(used.messages), static_cast<double>(used.bytes),
                        seconds - used.wait_seconds - used.reduction_seconds, used.wait_seconds,
                        used.reduction_seconds});
  return {comm.size(), used.reductions, used.exchanges, spreads[0],
          spreads[1],  spreads[2],      spreads[3],     spreads[4]};
}

NetworkModel parse_network_model(const std::string& text) {
  NetworkModel model;
  InputErrors errors;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    set_key(model, text.substr(from, to - from), errors);
    from = to + 1;
  }
  if (errors.empty() && (model.latency <= 0.0 || model.bandwidth <= 0.0 || model.ranks <= 0))
    errors.add(fmt::format("--model {}: needs latency=S,bandwidth=BYTES_PER_S,ranks=N", text));
  errors.throw_if_any();
  return model;
}

ModelEstimate estimate(const Ledger& measured, const CutFacts& cut, const NetworkModel& network) {
  // Of a packing of n bodies per rank: the surface is about 6 n^(2/3) bodies, and a rank of 10,000
  // mirrors 7 % of its rows (DESIGN 3).
  constexpr double bytes_per_body = 48.0, surface = 6.0, usual_share = 1.5, usual_neighbours = 14.0;
  constexpr double bytes_of_a_reduction = 216.0;
  const double p = measured.ranks, ranks = network.ranks;
  const double growth = ranks / p, per_rank = cut.bodies / ranks;
  const bool one_alone = network.ranks == 1;
  const double share = one_alone            ? 0.0
                       : measured.ranks > 1 ? cut.mirrored_share * std::cbrt(growth)
                                            : usual_share / std::cbrt(per_rank);
  const auto exchanges = static_cast<double>(measured.exchanges);
  const double bytes = measured.ranks > 1 && measured.exchanges > 0
                           ? measured.bytes.mean / exchanges / std::pow(growth, 2.0 / 3.0)
                           : bytes_per_body * surface * std::pow(per_rank, 2.0 / 3.0);
  const double neighbours = std::min(ranks - 1.0, std::max(cut.neighbours, usual_neighbours));
  // alone there are no exchanges to count: one per reduction, as all operator methods have
  const double rounds = exchanges > 0.0 ? exchanges : static_cast<double>(measured.reductions);
  ModelEstimate model{network};
  const double work = measured.compute_seconds.mean * p / (1.0 + cut.mirrored_share);
  model.compute_seconds = work / ranks * (1.0 + share);
  if (!one_alone) {
    model.exchange_seconds = rounds * (neighbours * network.latency + bytes / network.bandwidth);
    model.reduction_seconds = static_cast<double>(measured.reductions) * 2.0 *
                              std::ceil(std::log2(ranks)) *
                              (network.latency + bytes_of_a_reduction / network.bandwidth);
  }
  model.efficiency = work / (ranks * model.seconds());
  return model;
}

}  // namespace talus
