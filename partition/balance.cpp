#include "partition/balance.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"

#include "body_rows.hpp"
#include "mail.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace talus {
namespace {

constexpr double finest = 64.0;      // a measured weight is a whole number of 64ths
constexpr double most_times = 16.0;  // slower or faster than the mean: the rest is noise
constexpr double remembered = 10.0;  // times least_steps: what the last balance left

struct LargestAndMean {
  double largest = 0.0, mean = 0.0;
  double ratio() const { return mean > 0.0 ? largest / mean : 1.0; }
};

/// `other` becomes the largest of all ranks too.
LargestAndMean over_ranks(const Communicator& comm, std::int64_t mine, double& other) {
  std::array<std::int64_t, 1> sum{mine};
  std::array<double, 2> largest{static_cast<double>(mine), other};
  reduce(comm, {sum, largest});
  other = largest[1];
  return {largest[0], static_cast<double>(sum[0]) / comm.size()};
}

}  // namespace

std::int64_t nanoseconds(double seconds) {
  return std::llround(1e9 * seconds);
}

double imbalance(const Communicator& comm, std::int64_t of_this_rank) {
  double nothing = 0.0;
  return over_ranks(comm, of_this_rank, nothing).ratio();
}

std::vector<std::int64_t> measured_weights(const Communicator& comm,
                                           std::span<const std::int64_t> weight,
                                           std::int64_t measured) {
  std::int64_t mine = 0;
  for (const std::int64_t w : weight) mine += w;
  std::array<std::int64_t, 2> all{mine, mine > 0 ? measured : 0};
  comm.sum(all);
  double times = 1.0;
  if (mine > 0 && all[1] > 0)
    times = std::clamp(static_cast<double>(measured) / static_cast<double>(mine) *
                           (static_cast<double>(all[0]) / static_cast<double>(all[1])),
                       1.0 / most_times, most_times);
  std::vector<std::int64_t> scaled;
  scaled.reserve(weight.size());
  for (const std::int64_t w : weight)
    scaled.push_back(
        std::max<std::int64_t>(1, std::llround(static_cast<double>(w) * finest * times)));
  return scaled;
}

BalanceWatch::BalanceWatch(const BalanceRules& rules) : rules_(rules) {
  TALUS_ASSERT(rules.threshold >= 1.0 && rules.at_once >= rules.threshold && rules.window >= 1 &&
               rules.least_steps >= 0);
}

bool BalanceWatch::step_done(const Communicator& comm, std::int64_t work) {
  if (comm.size() == 1) return false;
  work_ += work;
  ++since_balance_;
  if (++steps_ < rules_.window) return false;
  const bool pays = look(comm);
  work_ = 0;
  steps_ = 0;
  return pays;
}

bool BalanceWatch::look(const Communicator& comm) {
  auto cost = static_cast<double>(cost_);
  const LargestAndMean work = over_ranks(comm, work_, cost);
  imbalance_ = work.ratio();
  if (fresh_) {
    // what the balance has reached: more would not be reached by another of the same bodies
    fresh_ = false;
    reached_ = imbalance_;
    return false;
  }
  // bodies move: some day it could be better
  const double forgotten =
      static_cast<double>(since_balance_) / (remembered * std::max(1, rules_.least_steps));
  const double left = 1.0 + (reached_ - 1.0) * std::max(0.0, 1.0 - forgotten);
  const double excess = imbalance_ / left;
  const bool waited = since_balance_ >= rules_.least_steps || excess > rules_.at_once;
  const double gain_per_step = (work.largest - work.mean * left) / rules_.window;
  return excess > rules_.threshold && waited && gain_per_step * rules_.least_steps > cost;
}

void BalanceWatch::balanced(std::int64_t cost) {
  cost_ = cost;
  work_ = 0;
  steps_ = 0;
  since_balance_ = 0;
  fresh_ = true;
}

BodyLoads loads_of(const BodySet& bodies, const std::vector<CandidatePair>& pairs) {
  std::vector<std::int64_t> weight(bodies.id.size(), weight_of_body);
  BodyLoads loads;
  for (const CandidatePair& pair : pairs) {
    const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
    weight[a] += weight_of_pair;
    weight[b] += weight_of_pair;
    if (bodies.is_local(pair.a) && bodies.is_local(pair.b) && bodies.is_owned(pair.a))
      loads.links.push_back({bodies.position[a], bodies.position[b], weight_of_pair});
  }
  for (Index i = 0; i < bodies.owned; ++i) {
    if (!bodies.is_local(i)) continue;
    const auto b = static_cast<std::size_t>(i);
    loads.id.push_back(bodies.id[b]);
    loads.position.push_back(bodies.position[b]);
    loads.weight.push_back(weight[b]);
  }
  return loads;
}

double large_reach_of(const Communicator& comm, const BodySet& bodies) {
  std::vector<double> reach;
  for (std::size_t b = 0; b < bodies.id.size(); ++b)
    if (bodies.motion[b] == Motion::Dynamic && std::isfinite(bodies.reach[b]))
      reach.push_back(bodies.reach[b]);
  std::array<std::int64_t, 1> count{static_cast<std::int64_t>(reach.size())};
  comm.sum(count);
  if (count[0] == 0) return infinity;
  constexpr double of_mean = 8.0;
  return of_mean * exact_sum(comm, reach) / static_cast<double>(count[0]);
}

namespace {

struct Count {
  GlobalId body = 0;
  std::int64_t rows = 0;
};

}  // namespace

std::vector<std::int64_t> rows_of_bodies(const Communicator& comm, const BodySlice& slice) {
  std::unordered_map<GlobalId, std::int64_t> here;
  const auto count = [&](const std::vector<GlobalId>& bodies, std::int64_t rows) {
    for (const GlobalId body : bodies)
      if (body >= 0) here[body] += rows;
  };
  const std::int64_t per_contact = stored_rows_per_contact(slice.data.has_rolling());
  count(slice.contact_a, per_contact);
  count(slice.contact_b, per_contact);
  count(slice.joint_a, 1);
  count(slice.joint_b, 1);
  Mail<Count> mail(comm.size());
  for (const auto& [body, rows] : here)
    mail.put(slice_rank(slice.total_bodies, body, comm.size()), {body, rows});
  const GlobalId first = slice_range(slice.total_bodies, comm.rank(), comm.size()).first;
  std::vector<std::int64_t> all(slice.data.centre.size(), 0);
  for (const auto& list : mail.deliver(comm))
    for (const Count& part : list) all[part.body - first] += part.rows;
  return all;
}

std::vector<Binding> bindings_of_bodies(const BodySlice& slice,
                                        const std::vector<std::int64_t>& rows) {
  std::vector<Binding> bindings;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_movable(slice.data.inverse_mass[i], slice.data.inverse_inertia[i]))
      bindings.push_back(Binding::Still);
    else
      bindings.push_back(rows[i] > most_rows_of_one_rank ? Binding::Wide : Binding::Owned);
  }
  return bindings;
}

}  // namespace talus
