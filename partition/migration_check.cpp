#include "migration_check.hpp"

#include "core/key_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

namespace talus {
namespace {

std::uint64_t state_bits(const BodySet& bodies, std::size_t b) {
  const Vec3 &x = bodies.position[b], &v = bodies.velocity[b], &w = bodies.angular_velocity[b];
  const Quaternion& q = bodies.orientation[b];
  std::uint64_t hash = mixed_bits(static_cast<std::uint64_t>(bodies.id[b]));
  for (const double number :
       {x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z, bodies.mass[b]})
    hash = mixed_bits(hash ^ std::bit_cast<std::uint64_t>(number));
  return hash;
}

struct StateOfId {
  GlobalId id = 0;
  std::uint64_t state = 0;
};
std::multimap<GlobalId, std::uint64_t> states_of(const Communicator& comm, const BodySet& bodies) {
  std::vector<StateOfId> mine;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    mine.push_back({bodies.id[b], state_bits(bodies, b)});
  std::multimap<GlobalId, std::uint64_t> states;
  for (const StateOfId& one : of_all_ranks(comm, mine)) states.emplace(one.id, one.state);
  return states;
}

std::string list_of(const std::vector<GlobalId>& ids) {
  constexpr std::size_t most = 10;
  const std::size_t shown = std::min(most, ids.size());
  if (shown == 0) return "none";
  return fmt::format("{}{}", fmt::join(std::span(ids).first(shown), ", "),
                     ids.size() > most ? ", ..." : "");
}

std::string numbers(const Vec3& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z);
}

}  // namespace

BodyLedger ledger_of(const BodySet& bodies) {
  BodyLedger ledger;
  ledger.count = bodies.owned;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    ledger.ids += mixed_bits(static_cast<std::uint64_t>(bodies.id[b]));
    ledger.states += state_bits(bodies, b);
  }
  return ledger;
}

MigrationCheck::MigrationCheck(const World& world)
    : ledger_(ledger_of(world.bodies)), contacts_(world.contacts.name) {}

void MigrationCheck::check(const Communicator& comm, const BodySet& before,
                           const BodySet& after) const {
  const BodyLedger now = ledger_of(after);
  std::array<std::int64_t, 2> counts{ledger_.count, now.count};
  std::array<std::uint64_t, 2> differences{now.ids - ledger_.ids, now.states - ledger_.states};
  comm.sum(counts);
  comm.sum(differences);
  if (counts[0] == counts[1] && differences[0] == 0 && differences[1] == 0) return;
  throw MigrationFault(
      fmt::format("bodies went wrong on their way between ranks: {} before, {} "
                  "after; {}",
                  counts[0], counts[1], fault(comm, before, after)));
}

/// Which ids are missing, new or doubled, or have another state; all ranks say the same.
std::string MigrationCheck::fault(const Communicator& comm, const BodySet& before,
                                  const BodySet& after) const {
  const auto then = states_of(comm, before), now = states_of(comm, after);
  std::vector<GlobalId> lost, doubled, changed;
  for (const auto& [id, state] : then) {
    const auto there = now.find(id);
    if (there == now.end())
      lost.push_back(id);
    else if (now.count(id) == 1 && there->second != state)
      changed.push_back(id);
  }
  for (auto at = now.begin(); at != now.end(); at = now.upper_bound(at->first))
    if (now.count(at->first) > 1 || !then.contains(at->first)) doubled.push_back(at->first);

  constexpr std::size_t most_told = 3;
  std::vector<GlobalId> wrong = lost;
  wrong.insert(wrong.end(), changed.begin(), changed.end());
  std::string mine;
  for (std::size_t k = 0; k < std::min(most_told, wrong.size()); ++k) {
    const Index body = before.find(wrong[k]);
    if (body >= 0 && before.is_owned(body)) mine += words_of(before, body);
  }
  const std::vector<char> told = of_all_ranks(comm, std::vector<char>(mine.begin(), mine.end()));
  return fmt::format("lost: {}; doubled or unknown: {}; changed: {}{}", list_of(lost),
                     list_of(doubled), list_of(changed), std::string(told.begin(), told.end()));
}

std::string MigrationCheck::words_of(const BodySet& before, Index body) const {
  const auto b = static_cast<std::size_t>(body);
  const GlobalId id = before.id[b];
  std::vector<GlobalId> partners;
  for (const ContactName& name : contacts_)
    if (name.a == id || name.b == id) partners.push_back(name.a == id ? name.b : name.a);
  return fmt::format("; body {}, position {} m, velocity {} m/s, last contacts with {}", id,
                     numbers(before.position[b]), numbers(before.velocity[b]), list_of(partners));
}

}  // namespace talus
