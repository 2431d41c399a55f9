#include "app/gathered_solution.hpp"

#include <algorithm>

namespace talus::app {
namespace {

/// Items of `width` numbers each, from every rank, put at their places of `total`.
std::vector<double> in_order(const Communicator& comm, const std::vector<GlobalId>& places,
                             const std::vector<double>& values, GlobalId total) {
  const std::vector<Bytes> all_places = comm.gather(to_bytes(places), 0);
  const std::vector<Bytes> all_values = comm.gather(to_bytes(values), 0);
  std::vector<double> whole;
  for (std::size_t r = 0; r < all_places.size(); ++r) {
    const auto place = from_bytes<GlobalId>(all_places[r]);
    const auto value = from_bytes<double>(all_values[r]);
    if (place.empty()) continue;
    const std::size_t width = value.size() / place.size();
    whole.resize(static_cast<std::size_t>(total) * width);
    for (std::size_t i = 0; i < place.size(); ++i)
      std::copy_n(value.data() + width * i, width,
                  whole.data() + width * static_cast<std::size_t>(place[i]));
  }
  return whole;
}

}  // namespace

Solution gathered_solution(const Communicator& comm, const BodyPart& part, const Solution& mine) {
  const Phase phase("gathering the answer");
  Solution whole;
  whole.u = in_order(comm, part.contact_place, mine.u, part.total_contacts);
  whole.r = in_order(comm, part.contact_place, mine.r, part.total_contacts);
  whole.l = in_order(comm, part.joint_place, mine.l, part.total_joint_rows);
  whole.v = in_order(comm, part.body_place, mine.v, part.total_bodies);
  return whole;
}

}  // namespace talus::app
