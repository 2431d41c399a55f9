#pragma once
// The kinds of monitors: what one line of each is. All are collective and give all ranks the same.

#include "talus/model/contact_forces.hpp"
#include "talus/model/output_settings.hpp"
#include "talus/model/world.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/parallel/exact_sum.hpp"

#include <functional>
#include <vector>

namespace talus::monitors {

/// What a monitor looks at.
struct View {
  const MonitorSettings& settings;
  const World& world;
  const ContactForces& forces;
  const Communicator& comm;
};

using Row = std::vector<double>;

/// What calls add(k, term) for each term of the sums k.
using Add = std::function<void(std::size_t, double)>;
using Terms = std::function<void(const Add&)>;
/// `count` sums of this rank's terms, exact in any order.
std::vector<LimbSum> local_sums(std::size_t count, const Terms& terms);
/// Over all ranks. Collective.
Row exact_sums(const Communicator& comm, std::size_t count, const Terms& terms);

/// A body that is watched: of the group, or where there is none, one that impulses move.
inline bool is_watched(const MonitorSettings& settings, const World& world, std::size_t body) {
  return settings.group >= 0 ? world.bodies.group[body] == settings.group
                             : world.bodies.motion[body] == Motion::Dynamic;
}
bool is_inside(const MonitorSettings& settings, const Vec3& point);
double coordinate(const Vec3& v, int axis);

Row energy(const View& view);
Row solid_fraction(const View& view);
Row coordination(const View& view);
Row stress(const View& view);
Row fabric(const View& view);
Row forces(const View& view);
Row reaction(const View& view);
Row quantiles(const View& view);
Row profile(const View& view);
/// A row per body, in the order of ids, on rank 0.
std::vector<Row> track(const View& view);

/// On the bodies of the group by all others: force, and torque about `at`: terms to six sums.
void add_load(const View& view, const Add& add);

}  // namespace talus::monitors
