#include "cones/projection.hpp"

#include "cones/projection_tiles.hpp"
#include "core/of_level.hpp"

#include <algorithm>
#include <cmath>

namespace talus {
namespace {

constexpr double smallest_square =
    1e-280;  // squares of the parts neither vanish nor overflow in between
constexpr double largest_square = 1e280;
constexpr double unbounded_friction = 1e100;  // its square times 1e140 must not overflow

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

// |t|, |m_R| and |m_S| of a point, and the three vectors themselves.
struct RollingParts {
  double normal = 0.0, spin = 0.0;
  Vec3 tangent, roll;
  std::array<double, 3> size{};
};

RollingParts parts_of(const SixRows& x, const Vec3& axis) {
  RollingParts p;
  const Vec3 &f = x.linear, &m = x.angular;
  p.normal = axis.x * f.x + axis.y * f.y + axis.z * f.z;
  p.spin = axis.x * m.x + axis.y * m.y + axis.z * m.z;
  p.tangent = {f.x - p.normal * axis.x, f.y - p.normal * axis.y, f.z - p.normal * axis.z};
  p.roll = {m.x - p.spin * axis.x, m.y - p.spin * axis.y, m.z - p.spin * axis.z};
  const auto length = [](const Vec3& a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); };
  p.size = {length(p.tangent), length(p.roll), std::abs(p.spin)};
  return p;
}

// For a given n the nearest t, m_R, m_S are cut to mu_i n; n itself is the root of the concave,
// increasing n - f_n - sum mu_i (T_i - mu_i n)_+, where T_i are the sizes. Newton's steps from the
// piece where all terms are active come to it from the left: each round solves the present piece
// and drops the terms that its root makes inactive, so that four rounds are always enough. The
// largest root counts: where mu is large, rounding may drop a term that is active by a hair, and
// the next root is then far too small.
double rolling_normal(const RollingParts& p, const std::array<double, 3>& mu) {
  std::array<double, 3> active{};
  for (std::size_t i = 0; i < 3; ++i) active[i] = mu[i] < unbounded_friction ? mu[i] : 0.0;
  double normal = 0.0;
  for (int round = 0; round < 4; ++round) {
    double above = p.normal, below = 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      above += active[i] * p.size[i];
      below += active[i] * active[i];
    }
    const double root = above / below;
    normal = root > normal ? root : normal;
    for (std::size_t i = 0; i < 3; ++i)
      active[i] = p.size[i] > active[i] * normal ? active[i] : 0.0;
  }
  return normal;
}

SixRows project_rolling_in_range(const SixRows& x, const Vec3& axis, const RollingFriction& f) {
  const RollingParts p = parts_of(x, axis);
  const std::array<double, 3> mu{f.sliding, f.rolling, f.spinning};
  const double normal = rolling_normal(p, mu);
  std::array<double, 3> shrink{};
  std::array<bool, 3> keep{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double bound = mu[i] * normal;
    keep[i] = mu[i] >= unbounded_friction || p.size[i] <= bound;
    shrink[i] = keep[i] ? 1.0 : bound / p.size[i];
  }
  const auto sum = [](double a, const Vec3& u, double b, const Vec3& v) {
    return Vec3{a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z};
  };
  SixRows nearest = x;
  if (!(keep[0] && normal == p.normal)) nearest.linear = sum(normal, axis, shrink[0], p.tangent);
  if (!(keep[1] && keep[2])) nearest.angular = sum(shrink[2] * p.spin, axis, shrink[1], p.roll);
  return nearest;
}

bool in_range(const SixRows& x) {
  const Vec3 &f = x.linear, &m = x.angular;
  const double square = f.x * f.x + f.y * f.y + f.z * f.z + (m.x * m.x + m.y * m.y + m.z * m.z);
  const bool is_zero =
      f.x == 0.0 && f.y == 0.0 && f.z == 0.0 && m.x == 0.0 && m.y == 0.0 && m.z == 0.0;
  return square <= largest_square && (square >= smallest_square || is_zero);
}

Vec3 scaled(const Vec3& a, int exponent) {
  return {std::ldexp(a.x, exponent), std::ldexp(a.y, exponent), std::ldexp(a.z, exponent)};
}

double largest_part(const Vec3& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

template <class Scalar, class Planarwise, class Spatialwise, class Rollingwise>
// NOLINTNEXTLINE(readability-function-size): one function per group
void each_cone(const ConeSet& cones, const RowVector& in, RowVector& out, const Scalar& scalar,
               const Planarwise& planar, const Spatialwise& spatial, const Rollingwise& rolling) {
  out.assign(static_cast<std::size_t>(cones.stored_rows()), 0.0);
  each_stored(cones.scalar_count, cones.mirrors.scalar,
              [&](Index i, bool /*owned*/) { out[i] = scalar(i, in[i]); });
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
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    set_rolling_value(cones, out, c,
                      rolling(rolling_value(cones, in, c), cones.axis_of(cones.rolling_frame(c)),
                              cones.rolling_friction_of(c)));
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
  const double size = largest_part(x);
  if (!std::isfinite(size)) return x;  // reported by whoever sums it
  const int exponent = std::ilogb(size);
  return scaled(project_in_range(scaled(x, -exponent), axis, cosine, sine), exponent);
}

SixRows project_rolling(const SixRows& x, const Vec3& axis, const RollingFriction& friction) {
  if (in_range(x)) return project_rolling_in_range(x, axis, friction);
  const double size = std::max(largest_part(x.linear), largest_part(x.angular));
  if (!std::isfinite(size)) return x;
  const int exponent = std::ilogb(size);
  const SixRows nearest = project_rolling_in_range(
      {scaled(x.linear, -exponent), scaled(x.angular, -exponent)}, axis, friction);
  return {scaled(nearest.linear, exponent), scaled(nearest.angular, exponent)};
}

// Moreau: w = P_K*(w) - P_K(-w)
SixRows project_rolling_dual(const SixRows& w, const Vec3& axis, const RollingFriction& friction) {
  const SixRows rest = project_rolling({-w.linear, -w.angular}, axis, friction);
  return {w.linear + rest.linear, w.angular + rest.angular};
}

namespace baseline {
extern ProjectTiles project_tiles;
}
namespace v3 {
extern ProjectTiles project_tiles;
}
namespace v4 {
extern ProjectTiles project_tiles;
}

namespace {

/// visit(place) of the lanes without a cone behind the owned cones and behind the mirrors of a
/// kind.
template <class Visit>
void each_filling(Index owned, Index mirrors, const Visit& visit) {
  const Index first = padded(owned);
  for (Index c = owned; c < first; ++c) visit(c);
  for (Index c = first + mirrors; c < first + padded(mirrors); ++c) visit(c);
}

void clear_filling(const ConeSet& cones, RowVector& rows) {
  each_filling(cones.scalar_count, cones.mirrors.scalar,
               [&](Index i) { rows[cones.scalar_row(i)] = 0.0; });
  each_filling(cones.planar_count, cones.mirrors.planar, [&](Index c) {
    for (Index k = 0; k < 2; ++k) rows[cones.planar_row(c, k)] = 0.0;
  });
  each_filling(cones.spatial_count, cones.mirrors.spatial,
               [&](Index c) { set_spatial_value(cones, rows, c, {}); });
  each_filling(cones.rolling_count, cones.mirrors.rolling,
               [&](Index c) { set_rolling_value(cones, rows, c, {}); });
}

}  // namespace

void project(const ConeSet& cones, const RowVector& x, RowVector& projected) {
  projected.resize(static_cast<std::size_t>(cones.stored_rows()));
  ProjectTiles& tiles = of_level(baseline::project_tiles, v3::project_tiles, v4::project_tiles);
  for (const RowPart part : {RowPart::Owned, RowPart::Mirrored}) {
    const ConeView view = view_of(cones, part);
    tiles(view, x.data(), projected.data(), 0, view.tiles());
  }
  clear_filling(cones, projected);
}

void project_dual(const ConeSet& cones, const RowVector& w, RowVector& projected) {
  each_cone(
      cones, w, projected,
      [&](Index i, double value) {
        return project_interval_dual(value, cones.lower[i], cones.upper[i]);
      },
      [&](std::size_t slot, const Planar& value) {
        return project_planar(value, cones.sine[slot], cones.cosine[slot]);
      },
      [&](std::size_t slot, const Vec3& axis, const Vec3& value) {
        return project_spatial(value, axis, cones.sine[slot], cones.cosine[slot]);
      },
      project_rolling_dual);
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
  const auto gap = [&](Index row) { return x[row] - nearest[row]; };
  each_stored(cones.scalar_count, cones.mirrors.scalar,
              [&](Index i, bool /*owned*/) { distance[i] = std::abs(gap(i)); });
  each_stored(cones.planar_count, cones.mirrors.planar, [&](Index c, bool /*owned*/) {
    distance[cones.planar_slot(c)] =
        std::hypot(gap(cones.planar_row(c, 0)), gap(cones.planar_row(c, 1)));
  });
  each_stored(cones.spatial_count, cones.mirrors.spatial, [&](Index c, bool /*owned*/) {
    distance[cones.spatial_slot(c)] = std::hypot(
        gap(cones.spatial_row(c, 0)), gap(cones.spatial_row(c, 1)), gap(cones.spatial_row(c, 2)));
  });
  each_stored(cones.rolling_count, cones.mirrors.rolling, [&](Index c, bool /*owned*/) {
    const auto part = [&](Index k) {
      return std::hypot(gap(cones.rolling_row(c, k)), gap(cones.rolling_row(c, k + 1)),
                        gap(cones.rolling_row(c, k + 2)));
    };
    distance[cones.rolling_slot(c)] = std::hypot(part(0), part(3));
  });
  return distance;
}

}  // namespace talus
