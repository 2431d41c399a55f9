#include "talus/cones/projection.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double smallest_square =
    1e-280;  // squares of the parts neither vanish nor overflow in between
constexpr double largest_square = 1e280;

// The polar cone is asked first: then mu = 0 needs no special case. It lies on the other side of
// the apex, which must be asked too: where mu is infinite, `along` is 0 all over the axis.
Vec3 project_in_range(const Vec3& x, const Vec3& axis, double cosine, double sine) {
  const double normal = axis.x * x.x + axis.y * x.y + axis.z * x.z;
  const Vec3 t{x.x - normal * axis.x, x.y - normal * axis.y, x.z - normal * axis.z};
  const double tangent = std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
  const double along =
      cosine * normal + sine * tangent;  // on the generator of the cone nearest to x
  if (along <= 0.0 && normal <= 0.0) return {};
  if (cosine * tangent <= sine * normal) return x;
  const double projected_normal = cosine * along;
  const double shrink = sine * along / tangent;
  return {projected_normal * axis.x + shrink * t.x, projected_normal * axis.y + shrink * t.y,
          projected_normal * axis.z + shrink * t.z};
}

bool in_range(const Vec3& x) {
  const double square = x.x * x.x + x.y * x.y + x.z * x.z;
  return square <= largest_square &&
         (square >= smallest_square || (x.x == 0.0 && x.y == 0.0 && x.z == 0.0));
}

template <class Scalar, class Planarwise, class Spatialwise>
void each_cone(const ConeSet& cones, const RowVector& in, RowVector& out, const Scalar& scalar,
               const Planarwise& planar, const Spatialwise& spatial) {
  out.assign(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    out[static_cast<std::size_t>(i)] = scalar(i, in[static_cast<std::size_t>(i)]);
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    const auto n = static_cast<std::size_t>(cones.planar_row(c, 0));
    const auto t = static_cast<std::size_t>(cones.planar_row(c, 1));
    const Planar p = planar(static_cast<std::size_t>(cones.planar_slot(c)), Planar{in[n], in[t]});
    out[n] = p.normal;
    out[t] = p.tangent;
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    set_spatial_value(cones, out, c,
                      spatial(static_cast<std::size_t>(cones.spatial_slot(c)), cones.axis_of(c),
                              spatial_value(cones, in, c)));
  });
}

// w that some x of the interval admits: its sign is free only towards a finite bound.
double project_interval_dual(double w, double lower, double upper) {
  if (w > 0.0 && lower == -infinity) return 0.0;
  if (w < 0.0 && upper == infinity) return 0.0;
  return w;
}

}  // namespace

double project_interval(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

Planar project_planar(const Planar& x, double cosine, double sine) {
  const double tangent = std::abs(x.tangent);
  const double along = cosine * x.normal + sine * tangent;
  if (along <= 0.0 && x.normal <= 0.0) return {};
  if (cosine * tangent <= sine * x.normal) return x;
  return {cosine * along, std::copysign(sine * along, x.tangent)};
}

Vec3 project_spatial(const Vec3& x, const Vec3& axis, double cosine, double sine) {
  if (in_range(x)) return project_in_range(x, axis, cosine, sine);
  const double size = std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)});
  if (!std::isfinite(size)) return x;  // reported by whoever sums it
  const int exponent = std::ilogb(size);
  const auto scaled = [](const Vec3& a, int e) {
    return Vec3{std::ldexp(a.x, e), std::ldexp(a.y, e), std::ldexp(a.z, e)};
  };
  return scaled(project_in_range(scaled(x, -exponent), axis, cosine, sine), exponent);
}

void project(const ConeSet& cones, const RowVector& x, RowVector& projected) {
  each_cone(
      cones, x, projected,
      [&](Index i, double value) {
        return project_interval(value, cones.lower[static_cast<std::size_t>(i)],
                                cones.upper[static_cast<std::size_t>(i)]);
      },
      [&](std::size_t slot, const Planar& value) {
        return project_planar(value, cones.cosine[slot], cones.sine[slot]);
      },
      [&](std::size_t slot, const Vec3& axis, const Vec3& value) {
        return project_spatial(value, axis, cones.cosine[slot], cones.sine[slot]);
      });
}

void project_dual(const ConeSet& cones, const RowVector& w, RowVector& projected) {
  each_cone(
      cones, w, projected,
      [&](Index i, double value) {
        return project_interval_dual(value, cones.lower[static_cast<std::size_t>(i)],
                                     cones.upper[static_cast<std::size_t>(i)]);
      },
      [&](std::size_t slot, const Planar& value) {
        return project_planar(value, cones.sine[slot], cones.cosine[slot]);
      },
      [&](std::size_t slot, const Vec3& axis, const Vec3& value) {
        return project_spatial(value, axis, cones.sine[slot], cones.cosine[slot]);
      });
}

void project_polar(const ConeSet& cones, const RowVector& x, RowVector& projected) {
  RowVector negative(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) negative[i] = -x[i];
  project_dual(cones, negative, projected);
  for (double& value : projected) value = -value;
}

std::vector<double> distances(const ConeSet& cones, const RowVector& x) {
  RowVector nearest;
  project(cones, x, nearest);
  std::vector<double> distance(static_cast<std::size_t>(cones.slots()), 0.0);
  const auto gap = [&](Index row) {
    return x[static_cast<std::size_t>(row)] - nearest[static_cast<std::size_t>(row)];
  };
  each_stored(cones.scalar_count, cones.mirrors.scalar, [&](Index i, bool /*owned*/) {
    distance[static_cast<std::size_t>(i)] = std::abs(gap(i));
  });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    distance[static_cast<std::size_t>(cones.planar_slot(c))] =
        std::hypot(gap(cones.planar_row(c, 0)), gap(cones.planar_row(c, 1)));
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    distance[static_cast<std::size_t>(cones.spatial_slot(c))] = std::hypot(
        gap(cones.spatial_row(c, 0)), gap(cones.spatial_row(c, 1)), gap(cones.spatial_row(c, 2)));
  });
  return distance;
}

}  // namespace talus
