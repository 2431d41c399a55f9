// Monitors that look at contacts: who touches whom, stress, fabric, how forces are distributed.

#include "assembly/contact_rows.hpp"
#include "generate/scene_parts.hpp"
#include "model/body_traits.hpp"
#include "model/row_owners.hpp"
#include "model/ways.hpp"
#include "simulation/contact_forces.hpp"
#include "simulation/monitor_parts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace talus::monitors {
namespace {

/// A contact of the list that this rank owns, that carries a force, of two bodies of which one at
/// least is watched.
bool counts(const View& view, std::size_t c) {
  const ContactSet& contacts = view.world.contacts;
  return view.forces.owned[c] != 0 && view.forces.carries(c) &&
         (is_watched(view.settings, view.world, static_cast<std::size_t>(contacts.body_a[c])) ||
          is_watched(view.settings, view.world, static_cast<std::size_t>(contacts.body_b[c])));
}

bool is_seen(const View& view, std::size_t body) {
  return is_watched(view.settings, view.world, body) &&
         is_inside(view.settings, view.world.bodies.position[body]);
}

/// Of a body that all ranks have, each has counted a share. Collective.
void add_up_everywhere(const View& view, std::vector<std::int64_t>& counts) {
  const std::vector<Index> common = replicated_that_move(view.world.bodies);
  std::vector<std::int64_t> sums;
  for (const Index body : common) sums.push_back(counts[body]);
  if (sums.empty()) return;
  view.comm.sum(sums);
  for (std::size_t k = 0; k < common.size(); ++k) counts[common[k]] = sums[k];
}

/// Calls visit(body, partners) for each owned body that is seen: how many others press on it. Two
/// bodies with several contact points are partners once; contacts are in the order of names.
template <class Visit>
void each_body_with_partners(const View& view, const Visit& visit) {
  const ContactSet& contacts = view.world.contacts;
  std::vector<std::int64_t> partners(view.world.bodies.id.size(), 0);
  const auto same_pair = [&](std::size_t c, std::size_t d) {
    return contacts.name[c].a == contacts.name[d].a && contacts.name[c].b == contacts.name[d].b &&
           contacts.name[c].image == contacts.name[d].image;
  };
  const std::size_t count = contacts.gap.size();
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    bool carries = false;
    for (end = begin; end < count && same_pair(begin, end); ++end)
      carries = carries || view.forces.carries(end);
    if (!carries) continue;
    const Index a = contacts.body_a[begin], b = contacts.body_b[begin];
    const bool speaks = view.forces.owned[begin] != 0;
    for (const Index body : {a, b})
      if (speaks || view.world.bodies.is_local(body)) ++partners[body];
  }
  add_up_everywhere(view, partners);
  for (std::size_t b = 0; b < static_cast<std::size_t>(view.world.bodies.owned); ++b)
    if (is_seen(view, b)) visit(b, partners[b]);
}

/// Mean and mass of the bodies that are seen: mass, momentum.
Row mass_and_momentum(const View& view) {
  const BodySet& bodies = view.world.bodies;
  return exact_sums(view.comm, 4, [&](const Add& add) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
      if (!is_seen(view, b) || !std::isfinite(bodies.mass[b])) continue;
      const Vec3 p = bodies.mass[b] * bodies.velocity[b];
      add(0, bodies.mass[b]);
      add(1, p.x);
      add(2, p.y);
      add(3, p.z);
    }
  });
}

std::array<double, 3> components(const Vec3& v) {
  return {v.x, v.y, v.z};
}

/// Force on a body times the way from its centre to where it acts, pressure positive [Bagi96]: each
/// body that is seen has its share of the region.
void add_contact_stress(const View& view, const Add& add) {
  const ContactSet& contacts = view.world.contacts;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    if (view.forces.owned[c] == 0 || !view.forces.carries(c)) continue;
    const auto add_end = [&](Index body, double sign) {
      if (!is_seen(view, static_cast<std::size_t>(body))) return;
      const auto force = components(-sign * view.forces.force[c]);
      const auto arm = components(lever(view.world, view.forces.h, body, contacts.point[c]));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) add(3 * i + j, force[i] * arm[j]);
    };
    add_end(contacts.body_a[c], -1.0);
    add_end(contacts.body_b[c], 1.0);
  }
}

/// m (v - mean) (v - mean), of bodies that impulses move: xx, xy, xz, yy, yz, zz from sum 9 on.
void add_kinetic_stress(const View& view, const Vec3& mean, const Add& add) {
  const BodySet& bodies = view.world.bodies;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (!is_seen(view, b) || bodies.motion[b] != Motion::Dynamic) continue;
    const auto v = components(bodies.velocity[b] - mean);
    std::size_t k = 9;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) add(k++, bodies.mass[b] * v[i] * v[j]);
  }
}

}  // namespace

Row coordination(const View& view) {
  std::array<std::int64_t, 3> counted{};  // bodies, partners, bodies with partners
  each_body_with_partners(view, [&](std::size_t, std::int64_t partners) {
    ++counted[0];
    counted[1] += partners;
    counted[2] += partners > 0 ? 1 : 0;
  });
  view.comm.sum(counted);
  const auto bodies = static_cast<double>(counted[0]), partners = static_cast<double>(counted[1]),
             touching = static_cast<double>(counted[2]);
  return {bodies, partners, bodies > 0.0 ? partners / bodies : 0.0, touching,
          touching > 0.0 ? partners / touching : 0.0};
}

Row stress(const View& view) {
  const Row moving = mass_and_momentum(view);
  const Vec3 momentum{moving[1], moving[2], moving[3]};
  const Vec3 mean = moving[0] > 0.0 ? (1.0 / moving[0]) * momentum : Vec3{};
  Row row = exact_sums(view.comm, 15, [&](const Add& add) {
    add_contact_stress(view, add);
    add_kinetic_stress(view, mean, add);
  });
  const double volume = volume_of(*view.settings.region);
  for (double& component : row) component /= volume;
  row.insert(row.begin() + 9, (row[0] + row[4] + row[8]) / 3.0);
  return row;
}

Row fabric(const View& view) {
  const ContactSet& contacts = view.world.contacts;
  std::array<std::int64_t, 1> count{0};
  Row sums = exact_sums(view.comm, 6, [&](const Add& add) {
    for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
      if (!counts(view, c) || !is_inside(view.settings, contacts.point[c])) continue;
      ++count[0];
      const auto n = components(contacts.normal[c]);
      std::size_t k = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j) add(k++, n[i] * n[j]);
    }
  });
  view.comm.sum(count);
  for (double& component : sums)
    component = count[0] > 0 ? component / static_cast<double>(count[0]) : 0.0;
  sums.insert(sums.begin(), static_cast<double>(count[0]));
  return sums;
}

Row forces(const View& view) {
  const ContactSet& contacts = view.world.contacts;
  std::vector<double> normal;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c)
    if (counts(view, c) && is_inside(view.settings, contacts.point[c]))
      normal.push_back(dot(view.forces.force[c], contacts.normal[c]));
  const double sum = exact_sums(view.comm, 1, [&](const Add& add) {
    for (const double force : normal) add(0, force);
  })[0];
  const auto bins = static_cast<std::size_t>(view.settings.bins);
  std::vector<std::int64_t> counted(bins + 2, 0);  // bins, above, all
  counted[bins + 1] = static_cast<std::int64_t>(normal.size());
  view.comm.sum({counted.data() + bins + 1, 1});
  const double mean = counted[bins + 1] > 0 ? sum / static_cast<double>(counted[bins + 1]) : 0.0;
  const double width = view.settings.to * mean / static_cast<double>(bins);
  for (const double force : normal) {
    // what cohesion pulls is in the first bin
    const double place = width > 0.0 ? std::max(0.0, std::floor(force / width)) : 0.0;
    ++counted[place < static_cast<double>(bins) ? static_cast<std::size_t>(place) : bins];
  }
  view.comm.sum({counted.data(), bins + 1});
  Row row{mean, static_cast<double>(counted[bins + 1])};
  for (std::size_t bin = 0; bin <= bins; ++bin) row.push_back(static_cast<double>(counted[bin]));
  return row;
}

}  // namespace talus::monitors

namespace talus {

ContactState state_of(const World& world, std::size_t c, double h) {
  const Vec3 &impulse = world.contacts.impulse[c], &normal = world.contacts.normal[c];
  const double pulled = dot(impulse, normal);
  const double pressed = pulled + cohesion_pull(world, static_cast<Index>(c), h);
  if (!(pressed > 0.0)) return ContactState::Open;
  constexpr double hair = 1e-6;  // methods project on the friction cone, which rounds
  const double tangential = length(impulse - pulled * normal);
  return tangential < (1.0 - hair) * pair_of(world, c).friction * pressed ? ContactState::Stick
                                                                          : ContactState::Slide;
}

Vec3 lever(const World& world, double h, Index body, const Vec3& point) {
  const auto b = static_cast<std::size_t>(body);
  const BodySet& bodies = world.bodies;
  const Vec3 moved = bodies.motion[b] == Motion::Fixed ? Vec3{} : h * bodies.velocity[b];
  return shortest_way(world.periodicity(), bodies.position[b] - moved, point);
}

ContactForces contact_forces(const World& world, double h) {
  const ContactSet& contacts = world.contacts;
  const std::size_t count = contacts.gap.size();
  ContactForces forces;
  forces.h = h;
  forces.force.resize(count);
  forces.state.resize(count);
  forces.owned.resize(count);
  forces.torque.resize(contacts.angular_impulse.size());
  for (std::size_t c = 0; c < count; ++c) {
    forces.force[c] = (1.0 / h) * contacts.impulse[c];
    forces.state[c] = state_of(world, c, h);
    forces.owned[c] = speaks_for(world.bodies, contacts.body_a[c], contacts.body_b[c]) ? 1 : 0;
    if (!forces.torque.empty()) forces.torque[c] = (1.0 / h) * contacts.angular_impulse[c];
  }
  return forces;
}

}  // namespace talus

// Monitors of shares of the bodies: quantiles of a coordinate, and of the height along an axis.

namespace talus::monitors {
namespace {

/// Doubles in their order, as whole numbers.
std::uint64_t place_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
double value_at(std::uint64_t place) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((place & sign) != 0 ? place & ~sign : ~place);
}

/// A sample in shares on the ranks, and which of its values, counted from 0 in ascending order, are
/// wanted.
struct Sample {
  std::vector<double> values;  ///< of this rank
  std::vector<std::int64_t> wanted;
};

/// All wanted values of all samples, by bisection of the numbers that there are: 64 sums of a few
/// integers, whatever the size. Collective.
std::vector<std::vector<double>> selected(const Communicator& comm, std::vector<Sample>& samples) {
  struct Search {
    const std::vector<double>* values;
    std::int64_t wanted;
    std::uint64_t low = 0, high = ~std::uint64_t{0};  // the least place with more than `wanted`
  };
  std::vector<Search> searches;
  for (Sample& sample : samples) {
    std::sort(sample.values.begin(), sample.values.end());
    for (const std::int64_t wanted : sample.wanted) searches.push_back({&sample.values, wanted});
  }
  std::vector<std::int64_t> below(searches.size());
  constexpr int bits = 64;
  for (int bit = 0; bit < bits && !searches.empty(); ++bit) {
    for (std::size_t s = 0; s < searches.size(); ++s) {
      const Search& search = searches[s];
      const std::uint64_t middle = search.low + (search.high - search.low) / 2;
      const auto first_above =
          std::partition_point(search.values->begin(), search.values->end(),
                               [&](double value) { return place_of(value) <= middle; });
      below[s] = first_above - search.values->begin();
    }
    comm.sum(below);
    for (std::size_t s = 0; s < searches.size(); ++s) {
      Search& search = searches[s];
      const std::uint64_t middle = search.low + (search.high - search.low) / 2;
      if (below[s] > search.wanted)
        search.high = middle;
      else
        search.low = std::min(middle + 1, search.high);
    }
  }
  std::vector<std::vector<double>> found;
  std::size_t next = 0;
  for (const Sample& sample : samples) {
    found.emplace_back();
    for (std::size_t k = 0; k < sample.wanted.size(); ++k)
      found.back().push_back(value_at(searches[next++].high));
  }
  return found;
}

/// Quantiles of each sample, between values linear in their number, as numpy.quantile has them;
/// NaN of a sample without values. `counts`: of all ranks.
std::vector<Row> quantiles_of(const Communicator& comm, std::vector<Sample> samples,
                              const std::vector<double>& shares,
                              const std::vector<std::int64_t>& counts) {
  const auto place = [&](std::size_t s, double share) {
    return share * static_cast<double>(counts[s] - 1);
  };
  for (std::size_t s = 0; s < samples.size(); ++s)
    for (const double share : shares) {
      if (counts[s] == 0) continue;
      const auto lower = static_cast<std::int64_t>(std::floor(place(s, share)));
      samples[s].wanted.push_back(lower);
      samples[s].wanted.push_back(std::min(lower + 1, counts[s] - 1));
    }
  const auto found = selected(comm, samples);
  std::vector<Row> rows;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    Row& row = rows.emplace_back();
    for (std::size_t k = 0; k < shares.size(); ++k) {
      if (counts[s] == 0) {
        row.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const double at = place(s, shares[k]), part = at - std::floor(at);
      const double low = found[s][2 * k], high = found[s][2 * k + 1];
      row.push_back(low + part * (high - low));
    }
  }
  return rows;
}

}  // namespace

Row quantiles(const View& view) {
  const BodySet& bodies = view.world.bodies;
  Sample sample;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b)
    if (is_watched(view.settings, view.world, b))
      sample.values.push_back(coordinate(bodies.position[b], view.settings.axis));
  std::vector<std::int64_t> counts{static_cast<std::int64_t>(sample.values.size())};
  view.comm.sum(counts);
  return quantiles_of(view.comm, {sample}, view.settings.values, counts)[0];
}

Row profile(const View& view) {
  const MonitorSettings& settings = view.settings;
  const BodySet& bodies = view.world.bodies;
  const auto bins = static_cast<std::size_t>(settings.bins);
  std::vector<Sample> samples(bins);
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (!is_watched(settings, view.world, b)) continue;
    const double x = coordinate(bodies.position[b], settings.axis);
    if (!(settings.from <= x && x < settings.to)) continue;
    const double place =
        (x - settings.from) / (settings.to - settings.from) * static_cast<double>(bins);
    samples[std::min(static_cast<std::size_t>(place), bins - 1)].values.push_back(
        coordinate(bodies.position[b], settings.up));
  }
  std::vector<std::int64_t> counts;
  for (const Sample& sample : samples)
    counts.push_back(static_cast<std::int64_t>(sample.values.size()));
  view.comm.sum(counts);
  const std::vector<Row> heights =
      quantiles_of(view.comm, std::move(samples), settings.values, counts);
  Row row;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    row.push_back(static_cast<double>(counts[bin]));
    row.insert(row.end(), heights[bin].begin(), heights[bin].end());
  }
  return row;
}

}  // namespace talus::monitors
