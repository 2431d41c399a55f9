#include "problem/hub_rows.hpp"

#include "parallel/tile_ranges.hpp"

#include <algorithm>

namespace talus {
namespace {

constexpr Index piece = 256;  // rows whose terms wait in a buffer that stays in cache

using Terms = std::array<double, 6 * piece>;  // terms of each component together

void add_terms(const Terms& terms, Index count, std::array<LimbSum, 6>& sums) {
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k].add({terms.data() + k * piece, static_cast<std::size_t>(count)});
}

}  // namespace

std::vector<bool> hub_marks(const BodyPart& part) {
  std::vector<bool> hub(part.data.centre.size(), false);
  for (const Index body : part.hub_bodies) hub[body] = true;
  return hub;
}

HubRows::HubRows(const BodyPart& part, const Communicator& comm)
    : data_(part.data), comm_(comm), sums_(6 * part.hub_bodies.size()) {
  std::vector<std::int32_t> place(part.data.centre.size(), -1);
  for (const Index body : part.hub_bodies) {
    place[body] = static_cast<std::int32_t>(bodies_.size());
    bodies_.push_back({body, {}, {}});
  }
  const auto list = [&](Index body, Index row, std::uint32_t is_a, auto member) {
    if (body == no_body || place[body] < 0) return;
    Body& hub = bodies_[place[body]];
    (hub.*member).push_back(2 * static_cast<std::uint32_t>(row) + is_a);
  };
  for (Index c = 0; c < part.owned_contacts; ++c) {
    list(data_.contact_body_a[c], c, 1, &Body::contacts);
    list(data_.contact_body_b[c], c, 0, &Body::contacts);
  }
  for (Index j = 0; j < part.owned_joint_rows; ++j) {
    list(data_.joint_body_a[j], j, 1, &Body::joints);
    list(data_.joint_body_b[j], j, 0, &Body::joints);
  }
}

void HubRows::add_contacts(const Body& body, const BodyPass& pass, const double* contacts,
                           int thread, int threads, Wrench& sums) const {
  Terms terms;
  const auto [first, last] = share_of(static_cast<Index>(body.contacts.size()), thread, threads);
  for (Index from = first; from < last; from += piece) {
    const Index count = std::min(piece, last - from);
    body_kernels().wrench_terms(pass, contacts, body.index, body.contacts.data() + from, count,
                                terms.data(), piece);
    add_terms(terms, count, sums);
  }
}

void HubRows::add_joints(const Body& body, const double* x, int thread, int threads,
                         Wrench& sums) const {
  Terms terms;
  const auto [first, last] = share_of(static_cast<Index>(body.joints.size()), thread, threads);
  for (Index from = first; from < last; from += piece) {
    const Index count = std::min(piece, last - from);
    for (Index i = 0; i < count; ++i) {
      const std::uint32_t entry = body.joints[from + i];
      const std::size_t row = entry / 2;
      const Vec6& block = entry % 2 != 0 ? data_.joint_block_a[row] : data_.joint_block_b[row];
      for (std::size_t k = 0; k < 6; ++k)
        terms[k * piece + static_cast<std::size_t>(i)] = block[k] * x[row];
    }
    add_terms(terms, count, sums);
  }
}

void HubRows::add(const BodyPass& pass, const double* x, const double* contacts, int thread,
                  int threads) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    Wrench mine;
    add_contacts(bodies_[b], pass, contacts, thread, threads, mine);
    add_joints(bodies_[b], x, thread, threads, mine);
#pragma omp critical(talus_wide_sums)
    for (std::size_t k = 0; k < mine.size(); ++k) sums_[6 * b + k].merge(mine[k]);
  }
}

void HubRows::finish(const BodyPass& pass) {
  reduce(comm_, sums_);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    std::array<double, 6> wrench{};
    for (std::size_t k = 0; k < wrench.size(); ++k) wrench[k] = sums_[6 * b + k].value();
    // a body without rows of its own, so that what is left is M^-1 times the given wrench
    const Index body = bodies_[b].index;
    BodyPass line = pass;
    line.wrench = wrench.data() - 6 * static_cast<std::ptrdiff_t>(body);
    body_kernels().accumulate(line, nullptr, body, body + 1);
  }
  std::fill(sums_.begin(), sums_.end(), LimbSum{});
}

}  // namespace talus
