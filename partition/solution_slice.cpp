#include "talus/partition/solution_slice.hpp"

#include "talus/core/error.hpp"
#include "talus/problem/body_slice.hpp"

#include "mail.hpp"

#include <array>

namespace talus {
namespace {

/// Numbers of one body, contact or joint row as they travel.
template <std::size_t width>
struct Numbers {
  GlobalId place = 0;
  std::array<double, width> values{};
};

/// `values` has `count` numbers for each of the places, which are of `total`; returns those of this
/// rank's slice. Collective.
template <std::size_t width>
std::vector<double> in_slice_order(const Communicator& comm, GlobalId total,
                                   const std::vector<GlobalId>& places,
                                   const std::vector<double>& values, std::size_t count) {
  TALUS_ASSERT(values.size() == count * places.size());
  Mail<Numbers<width>> mail(comm.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    Numbers<width> record{places[i], {}};
    std::copy_n(values.data() + count * i, count, record.values.begin());
    mail.put(slice_rank(total, places[i], comm.size()), record);
  }
  const SliceRange range = slice_range(total, comm.rank(), comm.size());
  std::vector<double> ordered(count * static_cast<std::size_t>(range.count()));
  for (const auto& list : mail.deliver(comm))
    for (const Numbers<width>& record : list)
      std::copy_n(record.values.begin(), count,
                  ordered.data() + count * static_cast<std::size_t>(record.place - range.first));
  return ordered;
}

}  // namespace

SolutionSlice solution_slice(const Communicator& comm, const BodyPart& part,
                             const Solution& owned) {
  std::array<double, 1> rows{static_cast<double>(part.data.rows_per_contact())};
  comm.largest(rows);  // a part without contacts cannot know
  SolutionSlice slice;
  slice.total_bodies = part.total_bodies;
  slice.total_contacts = part.total_contacts;
  slice.total_joint_rows = part.total_joint_rows;
  slice.rows_per_contact = static_cast<Index>(rows[0]);
  const auto per_contact = static_cast<std::size_t>(slice.rows_per_contact);
  slice.rows.v = in_slice_order<6>(comm, part.total_bodies, part.body_place, owned.v, 6);
  slice.rows.u =
      in_slice_order<6>(comm, part.total_contacts, part.contact_place, owned.u, per_contact);
  slice.rows.r =
      in_slice_order<6>(comm, part.total_contacts, part.contact_place, owned.r, per_contact);
  slice.rows.l = in_slice_order<1>(comm, part.total_joint_rows, part.joint_place, owned.l, 1);
  return slice;
}

}  // namespace talus
