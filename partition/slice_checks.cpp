#include "slice_checks.hpp"

#include "talus/parallel/agreement.hpp"
#include "talus/parallel/exact_sum.hpp"
#include "talus/problem/body_problem.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace talus {

void require_slices(const Communicator& comm, const std::string& what,
                    std::span<const SliceCount> counts) {
  std::vector<std::int64_t> sums;
  std::vector<double> most;  // totals, as they are and turned over; whether a slice is another one
  bool is_cut_so = true;
  std::vector<std::string> said, found;
  for (const SliceCount& count : counts) {
    sums.push_back(count.here);
    most.insert(most.end(), {static_cast<double>(count.total), -static_cast<double>(count.total)});
    is_cut_so = is_cut_so && count.total >= 0 &&
                count.here == slice_range(count.total, comm.rank(), comm.size()).count();
    said.push_back(fmt::format("{} {}", count.total, count.things));
  }
  most.push_back(is_cut_so ? 0.0 : 1.0);
  reduce(comm, {sums, most});
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (most[2 * k] != -most[2 * k + 1])
      throw AgreedInputError(
          fmt::format("{}: the ranks do not say the same number of {}", what, counts[k].things));
  if (most.back() == 0.0) return;
  for (const std::int64_t sum : sums) found.push_back(fmt::format("{}", sum));
  throw AgreedInputError(fmt::format(
      "{} has {}, the slices of the ranks have {}: each rank gives its own slice, as it "
      "got or read it on these {} ranks",
      what, fmt::join(said, " and "), fmt::join(found, " and "), comm.size()));
}

namespace {

/// Of a slice that is not empty.
template <class Name>
struct Ends {
  Name first{}, last{};
  std::int64_t is_in_order = 1;
};

template <class Name, class Thing, class NameOf, class Before>
bool are_in_order(const Communicator& comm, const std::vector<Thing>& things, const NameOf& name_of,
                  const Before& before) {
  std::vector<Ends<Name>> mine;
  if (!things.empty()) {
    const auto out_of_order = std::adjacent_find(
        things.begin(), things.end(),
        [&](const Thing& a, const Thing& b) { return !before(name_of(a), name_of(b)); });
    mine.push_back(
        {name_of(things.front()), name_of(things.back()), out_of_order == things.end() ? 1 : 0});
  }
  const std::vector<Ends<Name>> all = of_all_ranks(comm, mine);
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].is_in_order == 0 || (r > 0 && !before(all[r - 1].last, all[r].first))) return false;
  return true;
}

}  // namespace

void require_order(const Communicator& comm, const std::string& what,
                   const std::vector<StoredBody>& bodies,
                   const std::vector<StoredContact>& contacts) {
  const bool are_bodies = are_in_order<GlobalId>(
      comm, bodies, [](const StoredBody& one) { return one.body.id; },
      [](GlobalId a, GlobalId b) { return a < b; });
  const bool are_contacts = are_in_order<ContactName>(
      comm, contacts, [](const StoredContact& one) { return one.name; },
      [](const ContactName& a, const ContactName& b) {
        return std::tie(a.b, a) < std::tie(b.b, b);
      });
  if (are_bodies && are_contacts) return;
  throw AgreedInputError(fmt::format(
      "{}: the {} of the ranks' slices do not follow each other: each rank gives its own slice, "
      "and none is given twice",
      what, are_bodies ? "contacts" : "bodies"));
}

}  // namespace talus
