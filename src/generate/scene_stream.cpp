// Streams: bodies that come in during a step, as many as the mass rate asks for and as find a
// place.

#include "generate/random.hpp"
#include "generate/scene_parts.hpp"
#include "geometry/narrow_phase.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

/// Places that a body tries in one step. Where none is free, it tries again in the next step.
constexpr int tries_of_a_body = 200;

/// What of the world is near the region.
struct Near {
  std::vector<Vec3> centre;  ///< of spheres
  std::vector<double> radius;
  std::vector<PlacedShape> others;
};

bool reaches_into(const Bounds& bounds, const Vec3& p, double reach) {
  const Vec3 r{reach, reach, reach};
  return overlap({p - r, p + r}, bounds);
}

/// Bodies of this rank that reach into the bounds in some image.
std::vector<StoredBody> bodies_near(const World& world, const std::vector<Vec3>& images,
                                    const Bounds& bounds) {
  std::vector<StoredBody> found;
  for (Index i = 0; i < world.bodies.owned; ++i) {
    const auto b = static_cast<std::size_t>(i);
    if (std::any_of(images.begin(), images.end(), [&](const Vec3& image) {
          return reaches_into(bounds, world.bodies.position[b] + image, world.bodies.reach[b]);
        }))
      found.push_back(stored(world.bodies, i));
  }
  return found;
}

Near near_bodies(const World& world, const Bounds& bounds, const GatherBodies& gather) {
  const std::vector<Vec3> images = images_of({}, world.periodicity());
  Near near;
  const std::vector<StoredBody> bodies = gather(bodies_near(world, images, bounds));
  for (const Vec3& image : images)
    for (const StoredBody& one : bodies) {
      const NewBody& body = one.body;
      const Pose pose{body.pose.position + image, body.pose.orientation};
      if (!reaches_into(bounds, pose.position, one.reach)) continue;
      const Shape& shape = world.shapes[body.shape];
      if (const auto* sphere = std::get_if<Sphere>(&shape)) {
        near.centre.push_back(pose.position);
        near.radius.push_back(sphere->radius * body.scale);
      } else if (overlap(bounds_of(shape, body.scale, pose), bounds)) {
        near.others.push_back({&shape, body.scale, pose});
      }
    }
  return near;
}

double largest_of(const std::vector<double>& radii, double least) {
  for (const double radius : radii) least = std::max(least, radius);
  return least;
}

class Surroundings {
 public:
  Surroundings(Near near, double largest_radius)
      : grid_(largest_of(near.radius, largest_radius), near.radius.size()),
        others_(std::move(near.others)) {
    for (std::size_t i = 0; i < near.radius.size(); ++i)
      grid_.insert(near.centre[i], near.radius[i]);
  }

  bool free(const Vec3& centre, double radius) {
    if (!grid_.free(centre, radius)) return false;
    const Shape ball = Sphere{radius};
    const PlacedShape placed{&ball, 1.0, {centre, {}}};
    const Vec3 r{radius, radius, radius};
    const Bounds bounds{centre - r, centre + r};
    for (const PlacedShape& other : others_) {
      if (!overlap(bounds_of(*other.shape, other.scale, other.pose), bounds)) continue;
      contacts_.clear();
      collide(other, placed, 0.0, contacts_);
      for (const ContactPoint& contact : contacts_)
        if (contact.gap < 0.0) return false;
    }
    return true;
  }

  void insert(const Vec3& centre, double radius) { grid_.insert(centre, radius); }

 private:
  SphereGrid grid_;
  std::vector<PlacedShape> others_;
  std::vector<ContactPoint> contacts_;
};

/// kg that the rate brings in the step, by its value in the middle of what of it lies between
/// `from` and `until`.
double mass_of_step(const Generator& generator, double t, double h) {
  const double low = std::max(t, generator.from), high = std::min(t + h, generator.until);
  if (!generator.on || !(low < high)) return 0.0;
  return std::max(0.0, generator.mass_rate.at(0.5 * (low + high))) * (high - low);
}

/// A place for body number state.count; each time it is refused it tries others.
bool find_place(const Generator& generator, const StreamState& state, double radius,
                Surroundings& surroundings, Vec3& centre) {
  // the number of refusals takes the bits above those of the number of the body
  const std::uint64_t attempt =
      static_cast<std::uint64_t>(state.count) + (static_cast<std::uint64_t>(state.refused) << 40);
  KeyedRandom random(generator.seed, attempt, purpose_stream);
  for (int i = 0; i < tries_of_a_body; ++i) {
    centre = point_inside(generator.region, radius, random);
    if (surroundings.free(centre, radius)) return true;
  }
  return false;
}

}  // namespace

std::vector<NewBody> stream_bodies(const Generator& generator, const World& world, double h,
                                   GlobalId first_id, StreamState& state,
                                   const GatherBodies& gather) {
  state.owed += mass_of_step(generator, world.time, h);
  if (generator.mass_limit > 0.0)
    state.owed = std::max(0.0, std::min(state.owed, generator.mass_limit - state.mass));
  std::vector<NewBody> bodies;
  if (!generator.on || !(state.owed > 0.0)) return bodies;
  const Sizes sizes(generator.sizes);
  const Pattern pattern = pattern_of(generator, world);
  const auto next_body = [&] {
    const double size = sizes.draw(generator.seed, static_cast<std::uint64_t>(state.count));
    return body_of(generator, pattern, state.count, {}, size);
  };
  NewBody body = next_body();
  if (body.mass > state.owed) return bodies;  // most steps: nothing is looked at

  const double largest_radius = pattern.reach * sizes.largest();
  const Vec3 r{largest_radius, largest_radius, largest_radius};
  const Bounds region = bounds_of(generator.region);
  Surroundings surroundings(near_bodies(world, {region.low - r, region.high + r}, gather),
                            largest_radius);
  for (; body.mass <= state.owed; body = next_body()) {
    const double radius = pattern.reach * body.scale;
    if (!find_place(generator, state, radius, surroundings, body.pose.position)) {
      ++state.refused;
      break;
    }
    surroundings.insert(body.pose.position, radius);
    body.id = first_id + static_cast<GlobalId>(bodies.size());
    state.owed -= body.mass;
    state.mass += body.mass;
    ++state.count;
    bodies.push_back(body);
  }
  return bodies;
}

}  // namespace talus
