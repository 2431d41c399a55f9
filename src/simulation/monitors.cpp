#include "simulation/monitors.hpp"

#include "talus/core/error.hpp"

#include "simulation/monitor_parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace talus {

using MonitorKind = MonitorSettings::Kind;
using Names = std::vector<std::string>;

namespace monitors {

std::vector<LimbSum> local_sums(std::size_t count, const Terms& terms) {
  std::vector<LimbSum> sums(count);
  std::vector<std::vector<double>> waiting(count);
  const auto flush = [&](std::size_t k) {
    sums[k].add(waiting[k]);
    waiting[k].clear();
  };
  terms([&](std::size_t k, double term) {
    waiting[k].push_back(term);
    if (waiting[k].size() == LimbSum::most_terms) flush(k);
  });
  for (std::size_t k = 0; k < count; ++k) flush(k);
  return sums;
}

Row exact_sums(const Communicator& comm, std::size_t count, const Terms& terms) {
  std::vector<LimbSum> sums = local_sums(count, terms);
  reduce(comm, sums);
  Row totals;
  for (const LimbSum& sum : sums) totals.push_back(sum.value());
  return totals;
}

double coordinate(const Vec3& v, int axis) {
  return std::array<double, 3>{v.x, v.y, v.z}.at(static_cast<std::size_t>(axis));
}

bool is_inside(const MonitorSettings& settings, const Vec3& point) {
  return !settings.region || contains(*settings.region, point);
}

}  // namespace monitors

namespace {

using monitors::Row;
using monitors::View;

constexpr std::size_t force_and_torque = 6;

Names share_names(const std::vector<double>& values, const std::string& prefix) {
  Names names;
  for (const double value : values) names.push_back(fmt::format("{}q{:g}", prefix, value));
  return names;
}

Names histogram_names(int bins) {
  Names names{"mean", "contacts"};
  for (int bin = 0; bin < bins; ++bin) names.push_back(fmt::format("bin{}", bin));
  names.emplace_back("above");
  return names;
}

Names profile_names(const MonitorSettings& settings) {
  Names names;
  for (int bin = 0; bin < settings.bins; ++bin) {
    names.push_back(fmt::format("bin{}_count", bin));
    const Names shares = share_names(settings.values, fmt::format("bin{}_", bin));
    names.insert(names.end(), shares.begin(), shares.end());
  }
  return names;
}

Names names_of(const MonitorSettings& settings) {
  switch (settings.kind) {
    case MonitorKind::Energy:
      return {"translation", "rotation", "potential", "total"};
    case MonitorKind::Coordination:
      return {"bodies", "partners", "coordination", "touching", "coordination_of_touching"};
    case MonitorKind::SolidFraction:
      return {"solid_fraction", "volume"};
    case MonitorKind::Stress:
      return {"xx",         "xy",         "xz",         "yx",        "yy",         "yz",
              "zx",         "zy",         "zz",         "pressure",  "kinetic_xx", "kinetic_xy",
              "kinetic_xz", "kinetic_yy", "kinetic_yz", "kinetic_zz"};
    case MonitorKind::Fabric:
      return {"contacts", "xx", "xy", "xz", "yy", "yz", "zz"};
    case MonitorKind::Forces:
      return histogram_names(settings.bins);
    case MonitorKind::Flow:
      return {"bodies", "mass", "mass_rate", "total_bodies", "total_mass"};
    case MonitorKind::Load:
      return {"fx",      "fy",      "fz",      "mx",      "my",      "mz",
              "mean_fx", "mean_fy", "mean_fz", "mean_mx", "mean_my", "mean_mz"};
    case MonitorKind::Reaction:
      return {"fx", "fy", "fz", "mx", "my", "mz", "angle"};
    case MonitorKind::Quantiles:
      return share_names(settings.values, "");
    case MonitorKind::Profile:
      return profile_names(settings);
    case MonitorKind::Track:
      return {"id", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
  }
  return {};
}

/// A body has gone through the plane in the last step: 1 along its normal, -1 against it.
int crossing(const View& view, std::size_t body) {
  const Vec3 &x = view.world.bodies.position[body], &v = view.world.bodies.velocity[body];
  const Vec3 from = x - view.forces.h * v - view.settings.at, to = x - view.settings.at;
  const bool before = dot(view.settings.normal, from) >= 0.0;
  const bool after = dot(view.settings.normal, to) >= 0.0;
  return (after ? 1 : 0) - (before ? 1 : 0);
}

/// Masses of those to sum 0; returns how many.
std::int64_t add_flow(const View& view, const monitors::Add& add) {
  std::int64_t crossings = 0;
  for (std::size_t b = 0; b < static_cast<std::size_t>(view.world.bodies.owned); ++b) {
    if (!monitors::is_watched(view.settings, view.world, b)) continue;
    const int way = crossing(view, b);
    if (way == 0) continue;
    crossings += way;
    add(0, way * view.world.bodies.mass[b]);
  }
  return crossings;
}

}  // namespace

Monitors::Monitors(std::vector<MonitorSettings> settings, const Communicator& comm)
    : settings_(std::move(settings)), comm_(comm), memory_(settings_.size()) {
  for (std::size_t m = 0; m < settings_.size(); ++m) {
    if (settings_[m].kind == MonitorKind::Flow) memory_[m].sums.resize(1);
    if (settings_[m].kind == MonitorKind::Load) memory_[m].sums.resize(force_and_torque);
  }
}

std::vector<std::string> Monitors::columns(std::size_t monitor) const {
  Names names = names_of(settings_[monitor]);
  names.insert(names.begin(), "time");
  return names;
}

bool Monitors::watches_steps() const {
  return std::any_of(settings_.begin(), settings_.end(), [](const MonitorSettings& settings) {
    return settings.kind == MonitorKind::Flow || settings.kind == MonitorKind::Load;
  });
}

void Monitors::after_step(const World& world, const ContactForces& forces, std::int64_t ticks) {
  for (std::size_t m = 0; m < settings_.size(); ++m) {
    const MonitorSettings& settings = settings_[m];
    Memory& memory = memory_[m];
    if (memory.sums.empty()) continue;
    memory.ticks += ticks;
    const View view{settings, world, forces, comm_};
    const std::vector<LimbSum> more =
        monitors::local_sums(memory.sums.size(), [&](const monitors::Add& add) {
          if (settings.kind == MonitorKind::Load)
            monitors::add_load(view, [&](std::size_t k, double term) {
              add(k, static_cast<double>(ticks) * term);  // a mean over time
            });
          else
            memory.crossings += add_flow(view, add);
        });
    for (std::size_t k = 0; k < more.size(); ++k) memory.sums[k].merge(more[k]);
  }
}

std::vector<double> Monitors::flow_row(std::size_t monitor, const World& world) {
  Memory& memory = memory_[monitor];
  reduce(comm_, memory.sums);
  std::array<std::int64_t, 1> bodies{memory.crossings};
  comm_.sum(bodies);
  const double mass = memory.sums[0].value(), passed = world.time - memory.since;
  memory.total += mass;
  memory.total_crossings += bodies[0];
  memory.sums.assign(1, {});
  memory.crossings = 0;
  memory.ticks = 0;
  memory.since = world.time;
  return {static_cast<double>(bodies[0]), mass, passed > 0.0 ? mass / passed : 0.0,
          static_cast<double>(memory.total_crossings), memory.total};
}

std::vector<double> Monitors::load_row(std::size_t monitor, const World& world,
                                       const ContactForces& forces) {
  Memory& memory = memory_[monitor];
  const View view{settings_[monitor], world, forces, comm_};
  Row row = monitors::exact_sums(comm_, force_and_torque,
                                 [&](const monitors::Add& add) { monitors::add_load(view, add); });
  reduce(comm_, memory.sums);
  for (const LimbSum& sum : memory.sums)
    row.push_back(memory.ticks > 0 ? sum.value() / static_cast<double>(memory.ticks) : 0.0);
  memory.sums.assign(force_and_torque, {});
  memory.ticks = 0;
  return row;
}

std::vector<std::vector<double>> Monitors::rows(std::size_t monitor, const World& world,
                                                const ContactForces& forces) {
  const View view{settings_[monitor], world, forces, comm_};
  const auto lines = [&]() -> std::vector<Row> {
    switch (settings_[monitor].kind) {
      case MonitorKind::Energy:
        return {monitors::energy(view)};
      case MonitorKind::Coordination:
        return {monitors::coordination(view)};
      case MonitorKind::SolidFraction:
        return {monitors::solid_fraction(view)};
      case MonitorKind::Stress:
        return {monitors::stress(view)};
      case MonitorKind::Fabric:
        return {monitors::fabric(view)};
      case MonitorKind::Forces:
        return {monitors::forces(view)};
      case MonitorKind::Flow:
        return {flow_row(monitor, world)};
      case MonitorKind::Load:
        return {load_row(monitor, world, forces)};
      case MonitorKind::Reaction:
        return {monitors::reaction(view)};
      case MonitorKind::Quantiles:
        return {monitors::quantiles(view)};
      case MonitorKind::Profile:
        return {monitors::profile(view)};
      case MonitorKind::Track:
        return monitors::track(view);
    }
    return {};
  };
  std::vector<Row> all = lines();
  for (Row& row : all) row.insert(row.begin(), world.time);
  return all;
}

// What monitors remember from step to step, for runs that go on.

namespace {

static_assert(std::is_trivially_copyable_v<LimbSum>);

template <class Value>
void pack(Bytes& bytes, const Value& value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class Value>
void unpack(const Bytes& bytes, std::size_t& at, Value& value) {
  TALUS_ASSERT(at + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof value);
  at += sizeof value;
}

}  // namespace

Bytes Monitors::memory() const {
  Bytes bytes;
  for (const Memory& memory : memory_) {
    std::vector<LimbSum> sums = memory.sums;
    if (!sums.empty()) reduce(comm_, sums);
    std::array<std::int64_t, 1> crossings{memory.crossings};
    comm_.sum(crossings);
    for (const LimbSum& sum : sums) pack(bytes, sum);
    pack(bytes, crossings[0]);
    pack(bytes, memory.ticks);
    pack(bytes, memory.since);
    pack(bytes, memory.total);
    pack(bytes, memory.total_crossings);
  }
  return bytes;
}

void Monitors::recall(const Bytes& bytes) {
  std::size_t at = 0;
  for (Memory& memory : memory_) {
    for (LimbSum& sum : memory.sums) unpack(bytes, at, sum);
    unpack(bytes, at, memory.crossings);
    unpack(bytes, at, memory.ticks);
    unpack(bytes, at, memory.since);
    unpack(bytes, at, memory.total);
    unpack(bytes, at, memory.total_crossings);
    if (comm_.rank() == 0) continue;  // which has it for all
    for (LimbSum& sum : memory.sums) sum = {};
    memory.crossings = 0;
  }
  TALUS_ASSERT(at == bytes.size());
}

}  // namespace talus
