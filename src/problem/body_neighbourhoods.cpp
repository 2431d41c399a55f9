// Neighbourhoods of a problem of rigid bodies: the rows at a body and at the bodies that it shares
// rows with. docs/decisions/031.

#include "core/in_parallel.hpp"
#include "parallel/halo.hpp"
#include "problem/body_operator.hpp"
#include "problem/hub_rows.hpp"

namespace talus {

/// Whose sums a neighbourhood adds up, and how many rows it has, a row as often as it is met. Both
/// are those of the problem, whatever the numbers are.
struct BodyOperator::Neighbourhoods {
  std::vector<std::int64_t> start;  ///< per owned body, into other
  std::vector<Index> other;         ///< bodies that it shares rows with, in key order of the rows
  std::vector<double> count;        ///< per body
  std::vector<std::size_t> lone;    ///< slots of rows between none of the bodies with sums
  Halo halo;                        ///< of sums at bodies
};

namespace {

/// visit(row, other body) for the rows of a body in key order.
template <class Visit>
void each_row_at(const BodyOperator::Incidence& rows, const std::vector<Index>& body_a,
                 const std::vector<Index>& body_b, std::size_t body, const Visit& visit) {
  for (std::int64_t e = rows.start[body]; e < rows.start[body + 1]; ++e) {
    const std::uint32_t entry = rows.entry[e];
    const std::size_t row = entry / 2;
    visit(row, entry % 2 != 0 ? body_b[row] : body_a[row]);
  }
}

}  // namespace

std::vector<double> BodyOperator::sums_at_bodies(const std::vector<double>& of_slot) const {
  std::vector<double> sums(data_->centre.size(), 0.0);
  const auto first_contact = static_cast<std::size_t>(first_row_);
  in_parallel(static_cast<std::size_t>(part_->owned_bodies), [&](std::size_t body) {
    double sum = 0.0;
    for (std::int64_t e = joints_.start[body]; e < joints_.start[body + 1]; ++e)
      sum += of_slot[joints_.entry[e] / 2];
    for (std::int64_t e = contacts_.start[body]; e < contacts_.start[body + 1]; ++e)
      sum += of_slot[first_contact + contacts_.entry[e] / 2];
    sums[body] = sum;
  });
  return sums;
}

/// Adds the sums of neighbours, and theirs, and so on.
void BodyOperator::widen(Neighbourhoods& near, std::vector<double>& sums) const {
  constexpr int rings = 3;  // some hundred rows of a packing of spheres
  std::vector<double> wider = sums;
  for (int ring = 0; ring < rings; ++ring) {
    near.halo.start(sums.data());
    near.halo.finish(sums.data());
    in_parallel(static_cast<std::size_t>(part_->owned_bodies), [&](std::size_t body) {
      double sum = sums[body];
      for (std::int64_t e = near.start[body]; e < near.start[body + 1]; ++e)
        sum += sums[near.other[e]];
      wider[body] = sum;
    });
    std::swap(sums, wider);
  }
}

std::shared_ptr<BodyOperator::Neighbourhoods> BodyOperator::make_neighbourhoods() const {
  const BodyProblem& d = *data_;
  std::shared_ptr<Neighbourhoods> near(new Neighbourhoods{
      {0}, {}, {}, {}, Halo(halo_->communicator(), part_->neighbours, HaloLayout{})});
  near->start.reserve(static_cast<std::size_t>(part_->owned_bodies) + 1);
  near->other.reserve(2 * (body_a_.size() + d.joint_body_a.size()));
  for (std::size_t body = 0; body < static_cast<std::size_t>(part_->owned_bodies); ++body) {
    const auto add_other = [&](std::size_t /*row*/, Index other) {
      if (other != no_body) near->other.push_back(other);
    };
    each_row_at(joints_, d.joint_body_a, d.joint_body_b, body, add_other);
    each_row_at(contacts_, d.contact_body_a, d.contact_body_b, body, add_other);
    near->start.push_back(static_cast<std::int64_t>(near->other.size()));
  }
  const std::size_t slots = static_cast<std::size_t>(first_row_) + body_a_.size();
  near->count = sums_at_bodies(std::vector<double>(slots, 1.0));
  widen(*near, near->count);
  const std::vector<bool> hub = hub_marks(*part_);
  const auto is_middle = [&](Index body) {
    return body != no_body && !hub[body] &&
           is_movable(d.inverse_mass[body], d.inverse_inertia[body]);
  };
  const auto add_lone = [&](Index owned, const std::vector<Index>& body_a,
                            const std::vector<Index>& body_b, std::size_t first_slot) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(owned); ++row)
      if (!is_middle(body_a[row]) && !is_middle(body_b[row]))
        near->lone.push_back(first_slot + row);
  };
  add_lone(part_->owned_joint_rows, d.joint_body_a, d.joint_body_b, 0);
  add_lone(part_->owned_contacts, d.contact_body_a, d.contact_body_b,
           static_cast<std::size_t>(first_row_));
  return near;
}

std::vector<double> BodyOperator::neighbourhood_means(const std::vector<double>& of_slot) const {
  std::shared_ptr<Neighbourhoods>& near = workspace().neighbourhoods;
  if (near == nullptr) near = make_neighbourhoods();
  std::vector<double> sums = sums_at_bodies(of_slot);
  widen(*near, sums);
  std::vector<double> means;
  means.reserve(static_cast<std::size_t>(part_->owned_bodies) + near->lone.size());
  for (std::size_t b = 0; b < static_cast<std::size_t>(part_->owned_bodies); ++b)
    if (near->count[b] > 0.0) means.push_back(sums[b] / near->count[b]);
  for (const std::size_t slot : near->lone) means.push_back(of_slot[slot]);
  return means;
}

}  // namespace talus
