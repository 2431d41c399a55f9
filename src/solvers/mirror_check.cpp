#include "solvers/mirror_check.hpp"

#include "talus/parallel/agreement.hpp"

#include "core/key_order.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fstream>
#include <string>

namespace talus {
namespace {

/// What one rank has of one cone at the border.
struct BorderCone {
  std::int64_t key = 0, group = 0;  ///< keys of joint rows and of contacts are numbered apart
  std::uint64_t hash = 0;
  std::int64_t rank = 0, mirror = 0;
};

/// Of the bits of x and w in the rows of one cone. -0 and +0 are one number.
std::uint64_t hash_of(const ConeProblem& problem, const RowVector& x, const RowVector& gap,
                      Index slot) {
  const ConeSet& cones = problem.cones;
  std::uint64_t hash = mixed_bits(static_cast<std::uint64_t>(problem.key[slot]));
  const auto add = [&](Index row) {
    for (const RowVector* values : {&x, &gap})
      hash = mixed_bits(hash ^ std::bit_cast<std::uint64_t>((*values)[row] + 0.0));
  };
  if (slot < cones.planar_first_slot()) {
    add(cones.scalar_row(slot));
    return mixed_bits(hash);
  }
  if (slot < cones.spatial_first_slot())
    for (Index k = 0; k < 2; ++k) add(cones.planar_row(slot - cones.planar_first_slot(), k));
  else if (slot < cones.rolling_first_slot())
    for (Index k = 0; k < 3; ++k) add(cones.spatial_row(slot - cones.spatial_first_slot(), k));
  else
    for (Index k = 0; k < 6; ++k) add(cones.rolling_row(slot - cones.rolling_first_slot(), k));
  return hash;
}

/// visit(slot, mirror) for owned cones that another rank mirrors, and for mirrors.
template <class Visit>
void each_border_cone(const ConeProblem& problem, const Visit& visit) {
  const ConeSet& cones = problem.cones;
  for (const Index slot : problem.mirrored_elsewhere) visit(slot, false);
  const auto mirrors = [&](Index first_slot, Index owned, Index count) {
    for (Index m = 0; m < count; ++m) visit(first_slot + padded(owned) + m, true);
  };
  mirrors(0, cones.scalar_count, cones.mirrors.scalar);
  mirrors(cones.planar_first_slot(), cones.planar_count, cones.mirrors.planar);
  mirrors(cones.spatial_first_slot(), cones.spatial_count, cones.mirrors.spatial);
  mirrors(cones.rolling_first_slot(), cones.rolling_count, cones.mirrors.rolling);
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown CPU";
}

/// Both sides of every border cone meet on one rank; the first (by key) that differs, or none.
std::vector<BorderCone> first_difference(const ConeProblem& problem, const RowVector& x,
                                         const RowVector& gap, const Communicator& comm) {
  std::vector<std::vector<BorderCone>> to(static_cast<std::size_t>(comm.size()));
  each_border_cone(problem, [&](Index slot, bool mirror) {
    const std::int64_t key = problem.key[slot];
    const auto meeting =
        mixed_bits(static_cast<std::uint64_t>(key)) % static_cast<std::uint64_t>(comm.size());
    to[meeting].push_back({key, slot < problem.cones.planar_first_slot() ? 0 : 1,
                           hash_of(problem, x, gap, slot), comm.rank(), mirror ? 1 : 0});
  });
  std::vector<Bytes> packed;
  for (const auto& list : to) packed.push_back(to_bytes(list));
  std::vector<BorderCone> met;
  for (const Bytes& bytes : comm.all_to_all(packed))
    for (const BorderCone& cone : from_bytes<BorderCone>(bytes)) met.push_back(cone);
  const auto place = [](const BorderCone& c) { return std::tuple(c.group, c.key, c.mirror); };
  std::sort(met.begin(), met.end(),
            [&](const BorderCone& a, const BorderCone& b) { return place(a) < place(b); });
  for (std::size_t i = 0; i < met.size(); i += 2)
    if (i + 1 == met.size() || met[i].hash != met[i + 1].hash || met[i].key != met[i + 1].key)
      return {met.begin() + static_cast<std::ptrdiff_t>(i),
              met.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, met.size()))};
  return {};
}

}  // namespace

std::uint64_t mirror_sum(const ConeProblem& problem, const RowVector& impulses,
                         const RowVector& gap) {
  std::uint64_t sum = 0;
  each_border_cone(problem, [&](Index slot, bool mirror) {
    const std::uint64_t hash = hash_of(problem, impulses, gap, slot);
    sum += mirror ? 0 - hash : hash;
  });
  return sum;
}

void report_unlike_mirrors(const ConeProblem& problem, const RowVector& impulses,
                           const RowVector& gap, const Communicator& comm) {
  const std::vector<BorderCone> mine = first_difference(problem, impulses, gap, comm);
  std::vector<BorderCone> all;
  for (const Bytes& bytes : comm.gather(to_bytes(mine), 0))
    for (const BorderCone& cone : from_bytes<BorderCone>(bytes)) all.push_back(cone);
  const std::string model = cpu_model();
  std::vector<std::string> models;
  for (const Bytes& bytes : comm.gather(to_bytes(std::span<const char>(model)), 0)) {
    const auto letters = from_bytes<char>(bytes);
    models.emplace_back(letters.begin(), letters.end());
  }
  std::string text = "rows at the border of two ranks differ";
  if (comm.rank() == 0 && all.size() >= 2) {
    const auto side = [&](const BorderCone& c) {
      return fmt::format("rank {} ({})", c.rank, models[c.rank]);
    };
    text = fmt::format(
        "{} of key {} has other bits on {} than its mirror on {}: these machines do not compute "
        "alike, and the answer would depend on the ranks; use machines of one kind, or the same "
        "TALUS_SIMD level and libraries on all",
        all[0].group == 0 ? "the joint row" : "the contact", all[0].key, side(all[0]),
        side(all[1]));
  }
  Bytes bytes = to_bytes(std::span<const char>(text));
  comm.broadcast(bytes, 0);
  const auto letters = from_bytes<char>(bytes);
  throw AgreedFailure(std::string(letters.begin(), letters.end()));
}

}  // namespace talus
