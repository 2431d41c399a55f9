#include "talus/model/contact_set.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace talus {
namespace {

/// All arrays, so that none is forgotten: a new one does not compile without its name here.
auto arrays_of(ContactSet& contacts) {
  auto& [name, body_a, body_b, point, normal, gap, impulse, angular_impulse] = contacts;
  return std::tie(name, body_a, body_b, point, normal, gap, impulse, angular_impulse);
}

template <class Choose>
void rearrange(ContactSet& contacts, const Choose& choose) {
  std::apply(
      [&](auto&... array) {
        const auto one = [&](auto& values) {
          if (!values.empty()) choose(values);  // nothing rolls, nothing is solved yet
        };
        (one(array), ...);
      },
      arrays_of(contacts));
}

}  // namespace

void ContactSet::clear() {
  std::apply([](auto&... array) { (array.clear(), ...); }, arrays_of(*this));
}

StoredContact stored(const ContactSet& contacts, Index contact) {
  const auto c = static_cast<std::size_t>(contact);
  StoredContact one{contacts.name[c], contacts.point[c],   contacts.normal[c],
                    contacts.gap[c],  contacts.impulse[c], {}};
  if (!contacts.angular_impulse.empty()) one.angular_impulse = contacts.angular_impulse[c];
  return one;
}

void keep(ContactSet& contacts, const std::vector<std::uint8_t>& marks) {
  TALUS_ASSERT(marks.size() == contacts.gap.size());
  rearrange(contacts, [&](auto& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (marks[i] != 0) values[kept++] = values[i];
    values.resize(kept);
  });
}

void merge(ContactSet& contacts, const std::vector<StoredContact>& more, bool rolling) {
  if (more.empty()) return;
  for (const auto& [its_name, point, normal, gap, impulse, angular_impulse] : more) {
    contacts.name.push_back(its_name);
    contacts.body_a.push_back(-1);
    contacts.body_b.push_back(-1);
    contacts.point.push_back(point);
    contacts.normal.push_back(normal);
    contacts.gap.push_back(gap);
    contacts.impulse.push_back(impulse);
    if (rolling) contacts.angular_impulse.push_back(angular_impulse);
  }
  std::vector<std::size_t> order(contacts.gap.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto& name = contacts.name;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return name[i] < name[j]; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::size_t i, std::size_t j) { return name[i] == name[j]; }),
              order.end());
  rearrange(contacts, [&](auto& values) {
    auto sorted = values;
    sorted.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
    values = std::move(sorted);
  });
}

}  // namespace talus
