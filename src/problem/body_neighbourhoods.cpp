// Neighbourhoods of a problem of rigid bodies: the rows at a body and at the bodies that it shares
// rows with. docs/decisions/031.

#include "talus/core/arithmetic.hpp"
#include "talus/problem/body_operator.hpp"

#include "problem/hub_rows.hpp"

namespace talus {

/// Of numbers of rows, a row as often as it is met. A plain pair of numbers for the halo.
struct SumAndCount {
  double sum = 0.0, count = 0.0;
  void add(const SumAndCount& other) {
    sum += other.sum;
    count += other.count;
  }
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

std::vector<SumAndCount> BodyOperator::sums_at_bodies(const std::vector<double>& of_slot) const {
  std::vector<SumAndCount> sums(data_->centre.size());
  const auto first_contact = static_cast<std::size_t>(first_row_);
  const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(sums, of_slot, first_contact) if (part_->owned_bodies > 1024)
  for (Index b = 0; b < part_->owned_bodies; ++b) {
    const auto body = static_cast<std::size_t>(b);
    each_row_at(joints_, data_->joint_body_a, data_->joint_body_b, body,
                [&](std::size_t row, Index /*other*/) {
                  sums[body].add({of_slot[row], 1.0});
                });
    each_row_at(contacts_, data_->contact_body_a, data_->contact_body_b, body,
                [&](std::size_t row, Index /*other*/) {
                  sums[body].add({of_slot[first_contact + row], 1.0});
                });
  }
  return sums;
}

std::vector<double> BodyOperator::neighbourhood_means(const std::vector<double>& of_slot) const {
  constexpr int rings = 3;  // some hundred rows of a packing of spheres
  std::vector<SumAndCount> sums = sums_at_bodies(of_slot), wider = sums;
  std::shared_ptr<Halo>& sums_halo = workspace().sums_halo;
  if (sums_halo == nullptr)
    sums_halo =
        std::make_shared<Halo>(halo_->communicator(), part_->neighbours, HaloLayout{2, {0, 1}});
  for (int ring = 0; ring < rings; ++ring) {
    double* const values = reinterpret_cast<double*>(sums.data());
    sums_halo->start(values);
    sums_halo->finish(values);
    const StandardArithmetic arithmetic;
// nothing in it throws
#pragma omp parallel for schedule(static) default(none) firstprivate(arithmetic) \
    shared(sums, wider) if (part_->owned_bodies > 1024)
    for (Index b = 0; b < part_->owned_bodies; ++b) {
      const auto body = static_cast<std::size_t>(b);
      const auto add_other = [&](std::size_t /*row*/, Index other) {
        if (other != no_body) wider[body].add(sums[other]);
      };
      each_row_at(joints_, data_->joint_body_a, data_->joint_body_b, body, add_other);
      each_row_at(contacts_, data_->contact_body_a, data_->contact_body_b, body, add_other);
    }
    sums = wider;
  }
  std::vector<double> means;
  for (std::size_t b = 0; b < static_cast<std::size_t>(part_->owned_bodies); ++b)
    if (sums[b].count > 0.0) means.push_back(sums[b].sum / sums[b].count);
  const std::vector<bool> hub = hub_marks(*part_);
  const auto is_middle = [&](Index body) {
    return body != no_body && !hub[body] &&
           is_movable(data_->inverse_mass[body], data_->inverse_inertia[body]);
  };
  const auto add_lone = [&](Index owned, const std::vector<Index>& body_a,
                            const std::vector<Index>& body_b, std::size_t first_slot) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(owned); ++row)
      if (!is_middle(body_a[row]) && !is_middle(body_b[row]))
        means.push_back(of_slot[first_slot + row]);
  };
  add_lone(part_->owned_joint_rows, data_->joint_body_a, data_->joint_body_b, 0);
  add_lone(part_->owned_contacts, data_->contact_body_a, data_->contact_body_b,
           static_cast<std::size_t>(first_row_));
  return means;
}

}  // namespace talus
