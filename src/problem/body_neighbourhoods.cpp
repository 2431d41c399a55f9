// Neighbourhoods of a problem of rigid bodies: the rows at a body and at the bodies that it shares
// rows with. docs/decisions/031.

#include "core/in_parallel.hpp"
#include "parallel/halo.hpp"
#include "problem/body_operator.hpp"

#include <numeric>
#include <optional>

namespace talus {
namespace {

constexpr std::size_t eights_worth_threads = 125;  // eights of sums

}  // namespace

/// Whose sums a neighbourhood adds up, and how many rows it has, a row as often as it is met. Both
/// are those of the problem, whatever the numbers are. Sums stand in an order of their own: first
/// owned bodies with rows, those with most rows first, so that eight at a time have lists of nearly
/// the same length.
struct BodyOperator::Neighbourhoods {
  std::vector<Index> rows;          ///< per sum: how many; filled up to whole eights
  std::vector<std::int64_t> start;  ///< per eight sums: where their lists begin
  /// In key order of the rows: the first ones of eight sums side by side, as many as all eight
  /// have, then the rest of each list.
  std::vector<Index> slot;            ///< of the rows
  std::vector<Index> other;           ///< sum of the body that it is shared with; one that stays 0
  std::vector<double> count;          ///< per sum
  std::vector<Index> lone;            ///< slots of rows between none of the bodies with sums
  std::size_t middles = 0, sums = 0;  ///< how many sums have rows, and are there with filling
  std::optional<Halo> halo;           ///< of sums

  /// Adds to each sum the numbers that its list names.
  void add(const std::vector<Index>& list, const double* numbers, const double* before,
           double* after) const;
};

void BodyOperator::Neighbourhoods::add(const std::vector<Index>& list, const double* numbers,
                                       const double* before, double* after) const {
  in_parallel(
      start.size(),
      [&](std::size_t eight) {
        const std::size_t first = eight * lanes;
        const Index* place = list.data() + start[eight];
        std::array<double, lanes> sum{};
        std::copy_n(before + first, lanes, sum.begin());
        const Index of_all = rows[first + lanes - 1];
        for (Index k = 0; k < of_all; ++k, place += lanes)
          for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += numbers[place[lane]];
        for (std::size_t lane = 0; lane < lanes; ++lane)
          for (Index k = of_all; k < rows[first + lane]; ++k) sum[lane] += numbers[*place++];
        std::copy_n(sum.begin(), lanes, after + first);
      },
      eights_worth_threads);
}

/// Adds the sums of neighbours, and theirs, and so on.
void BodyOperator::widen(Neighbourhoods& near, std::vector<double>& sums) {
  constexpr int rings = 3;  // some hundred rows of a packing of spheres
  std::vector<double> wider = sums;
  for (int ring = 0; ring < rings; ++ring) {
    near.halo->start(sums.data());
    near.halo->finish(sums.data());
    near.add(near.other, sums.data(), sums.data(), wider.data());
    std::swap(sums, wider);
  }
}

/// visit(slot, other body) for the rows of a body in key order.
template <class Visit>
void BodyOperator::each_row_at(std::size_t body, const Visit& visit) const {
  const auto each = [&](const Incidence& rows, const std::vector<Index>& body_a,
                        const std::vector<Index>& body_b, Index first_slot) {
    for (std::int64_t e = rows.start[body]; e < rows.start[body + 1]; ++e) {
      const std::uint32_t row = rows.entry[e] / 2;
      const bool is_a = rows.entry[e] % 2 != 0;
      visit(first_slot + static_cast<Index>(row), is_a ? body_b[row] : body_a[row]);
    }
  };
  each(joints_, data_->joint_body_a, data_->joint_body_b, 0);
  each(contacts_, data_->contact_body_a, data_->contact_body_b, first_row_);
}

/// Places of sums, with those of owned bodies with rows in front, most rows first. Sets how many
/// have rows, and how many rows.
std::vector<Index> BodyOperator::place_sums(Neighbourhoods& near) const {
  const std::size_t bodies = data_->centre.size();
  std::vector<Index> rows(bodies);
  for (std::size_t b = 0; b < bodies; ++b)
    rows[b] = static_cast<Index>(joints_.start[b + 1] - joints_.start[b] + contacts_.start[b + 1] -
                                 contacts_.start[b]);
  const Index most = bodies == 0 ? 0 : *std::max_element(rows.begin(), rows.end());
  std::vector<Index> next(static_cast<std::size_t>(most) + 2, 0);
  for (const Index n : rows) ++next[most - n + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  near.middles = static_cast<std::size_t>(next[most]);
  const auto filled = static_cast<std::size_t>(padded(next[most]));
  near.sums = std::max(filled, bodies + 1);  // the last one stays 0
  near.rows.assign(filled, 0);
  std::vector<Index> place(bodies);
  for (std::size_t b = 0; b < bodies; ++b) {
    place[b] = next[most - rows[b]]++;
    if (rows[b] > 0) near.rows[place[b]] = rows[b];
  }
  return place;
}

void BodyOperator::list_rows(Neighbourhoods& near, const std::vector<Index>& place) const {
  std::vector<std::size_t> body_at(near.middles);
  for (std::size_t b = 0; b < place.size(); ++b)
    if (static_cast<std::size_t>(place[b]) < near.middles) body_at[place[b]] = b;
  std::int64_t entries = 0;
  for (std::size_t i = 0; i < near.rows.size(); ++i) {
    if (i % lanes == 0) near.start.push_back(entries);
    entries += near.rows[i];
  }
  near.slot.resize(static_cast<std::size_t>(entries));
  near.other.resize(near.slot.size());
  const auto stays_zero = static_cast<Index>(place.size());
  in_parallel(
      near.start.size(),
      [&](std::size_t eight) {
        const std::size_t first = eight * lanes, end = std::min(first + lanes, near.middles);
        const Index of_all = near.rows[first + lanes - 1];
        std::int64_t rest = near.start[eight] + lanes * of_all;
        for (std::size_t i = first; i < end; ++i) {
          std::int64_t side_by_side = near.start[eight] + static_cast<std::int64_t>(i - first);
          const std::int64_t stop = side_by_side + lanes * of_all;
          each_row_at(body_at[i], [&](Index slot, Index other) {
            const std::int64_t to = side_by_side < stop ? side_by_side : rest++;
            side_by_side += lanes;
            near.slot[to] = slot;
            near.other[to] = other == no_body ? stays_zero : place[other];
          });
        }
      },
      eights_worth_threads);
}

std::shared_ptr<BodyOperator::Neighbourhoods> BodyOperator::make_neighbourhoods() const {
  std::shared_ptr<Neighbourhoods> near(new Neighbourhoods);
  const std::vector<Index> place = place_sums(*near);
  std::vector<HaloNeighbour> neighbours = part_->neighbours;
  for (HaloNeighbour& neighbour : neighbours)
    for (std::vector<Index>* items : {&neighbour.send, &neighbour.receive})
      for (Index& item : *items) item = place[item];
  near->halo.emplace(halo_->communicator(), std::move(neighbours), HaloLayout{});
  list_rows(*near, place);
  near->count.assign(near->sums, 0.0);
  std::copy_n(near->rows.begin(), near->middles, near->count.begin());
  widen(*near, near->count);
  const BodyProblem& d = *data_;
  const auto is_middle = [&](Index body) { return body != no_body && is_summed_[body] != 0; };
  const auto add_lone = [&](Index owned, const std::vector<Index>& body_a,
                            const std::vector<Index>& body_b, Index first_slot) {
    for (Index row = 0; row < owned; ++row)
      if (!is_middle(body_a[row]) && !is_middle(body_b[row]))
        near->lone.push_back(first_slot + row);
  };
  add_lone(part_->owned_joint_rows, d.joint_body_a, d.joint_body_b, 0);
  add_lone(part_->owned_contacts, d.contact_body_a, d.contact_body_b, first_row_);
  return near;
}

std::vector<double> BodyOperator::neighbourhood_means(const std::vector<double>& of_slot) const {
  std::shared_ptr<Neighbourhoods>& near = workspace().neighbourhoods;
  if (near == nullptr) near = make_neighbourhoods();
  std::vector<double> sums(near->sums, 0.0);
  near->add(near->slot, of_slot.data(), sums.data(), sums.data());
  widen(*near, sums);
  std::vector<double> means(near->middles + near->lone.size());
  for (std::size_t i = 0; i < near->middles; ++i) means[i] = sums[i] / near->count[i];
  for (std::size_t i = 0; i < near->lone.size(); ++i)
    means[near->middles + i] = of_slot[near->lone[i]];
  return means;
}

}  // namespace talus
