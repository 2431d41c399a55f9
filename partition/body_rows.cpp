#include "body_rows.hpp"

#include "talus/problem/body_part.hpp"

#include "mail.hpp"

#include <unordered_map>

namespace talus {
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
