#include "generate/deposition.hpp"

#include "generate/random.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace talus {
namespace {

// All relative to the radius of the sphere that is dropped.
constexpr double first_stride = 0.5;  // how far it moves down per step of rolling
constexpr double last_stride = 1e-4;  // and when rolling ends
constexpr int most_steps = 1000;
constexpr double support_reach = 0.05;    // what may become a support when rolling has ended
constexpr double squeeze_allowed = 1e-3;  // overlap that may remain while it rolls
constexpr double overlap_allowed = 1e-12;

/// What the centre of the dropped sphere may not enter: a ball (radius > 0) or the space below a
/// plane.
struct Obstacle {
  Vec3 centre;  // of the ball, or unit normal of the plane
  double radius = 0.0, offset = 0.0;

  double gap(const Vec3& p) const {
    if (radius == 0.0) return dot(centre, p) - offset;
    const Vec3 d = p - centre;
    return std::sqrt(dot(d, d)) - radius;
  }
  Vec3 normal(const Vec3& p) const {
    if (radius == 0.0) return centre;
    const Vec3 d = p - centre;
    return (1.0 / std::sqrt(dot(d, d))) * d;
  }
};

/// Solves N x = b for the rows N of three normals; none when they are dependent.
std::optional<Vec3> solved(const std::array<Vec3, 3>& n, const std::array<double, 3>& b) {
  const Vec3 c0 = cross(n[1], n[2]), c1 = cross(n[2], n[0]), c2 = cross(n[0], n[1]);
  const double determinant = dot(n[0], c0);
  if (std::abs(determinant) < 1e-6) return std::nullopt;
  return (1.0 / determinant) * (b[0] * c0 + b[1] * c1 + b[2] * c2);
}

/// The point that touches all three, by Newton from nearby.
std::optional<Vec3> touching(const std::array<Obstacle, 3>& three, Vec3 p) {
  for (int i = 0; i < 20; ++i) {
    std::array<Vec3, 3> normals;
    std::array<double, 3> gaps{};
    for (std::size_t k = 0; k < 3; ++k) {
      normals[k] = three[k].normal(p);
      gaps[k] = -three[k].gap(p);
    }
    const auto step = solved(normals, gaps);
    if (!step) return std::nullopt;
    p = p + *step;
  }
  return p;
}

/// Whether the three carry the weight: z is a non-negative sum of their normals.
bool carried(const std::array<Obstacle, 3>& three, const Vec3& p) {
  const Vec3 n0 = three[0].normal(p), n1 = three[1].normal(p), n2 = three[2].normal(p);
  const double determinant = dot(n0, cross(n1, n2));
  const double sign = determinant < 0.0 ? -1.0 : 1.0;
  return sign * cross(n1, n2).z >= 0.0 && sign * cross(n2, n0).z >= 0.0 &&
         sign * cross(n0, n1).z >= 0.0;
}

class Pile {
 public:
  // a stride may bring it to spheres that are two radii and as much again away
  explicit Pile(const DepositionOptions& options)
      : options_(options),
        grid_(options.width, (2.0 + 2.0 * first_stride) * options.radius * (1.0 + options.spread)) {
  }

  void drop(Index i) {
    KeyedRandom random(options_.seed, static_cast<std::uint64_t>(i), 1);
    const double r = options_.radius * (1.0 + options_.spread * random.uniform(-1.0, 1.0));
    Vec3 p{random.uniform(r, options_.width - r), random.uniform(r, options_.width - r), 0.0};
    p.z = top_ + r;
    p = lowered(p, r);
    p = rest(rolled(p, r), r);
    spheres_.push_back({p, fitting_radius(p, r)});
    grid_.add(i, p);
    top_ = std::max(top_, p.z + r);
  }

  std::vector<Sphere> spheres() { return std::move(spheres_); }

 private:
  void look_around(const Vec3& p, double r) {
    grid_.near(p, near_);
    obstacles_.clear();
    for (const Index j : near_) {
      const Sphere& s = spheres_[static_cast<std::size_t>(j)];
      const double reach = (1.0 + 2.0 * first_stride) * r + s.radius;
      const Vec3 d = s.centre - p;
      if (dot(d, d) < reach * reach) obstacles_.push_back({s.centre, r + s.radius, 0.0});
    }
    const double far = r - options_.width;
    obstacles_.push_back({{1.0, 0.0, 0.0}, 0.0, r});
    obstacles_.push_back({{-1.0, 0.0, 0.0}, 0.0, far});
    obstacles_.push_back({{0.0, 1.0, 0.0}, 0.0, r});
    obstacles_.push_back({{0.0, -1.0, 0.0}, 0.0, far});
    obstacles_.push_back({{0.0, 0.0, 1.0}, 0.0, r});
  }

  bool clear(const Vec3& p, double allowed) const {
    return std::all_of(obstacles_.begin(), obstacles_.end(),
                       [&](const Obstacle& o) { return o.gap(p) >= -allowed; });
  }

  /// Straight down while there is nothing near.
  Vec3 lowered(Vec3 p, double r) {
    while (p.z > r) {
      const Vec3 lower{p.x, p.y, std::max(r, p.z - 0.5 * r)};
      look_around(lower, r);
      if (!clear(lower, 0.0)) break;
      p = lower;
    }
    return p;
  }

  Vec3 pushed_out(Vec3 p) const {
    for (int round = 0; round < 8; ++round)
      for (const Obstacle& o : obstacles_) {
        const double depth = -o.gap(p);
        if (depth > 0.0) p = p + depth * o.normal(p);
      }
    return p;
  }

  /// Steepest way down that enters none of `blocking_`: the lowest of straight down, along one
  /// plane and along the edge of two. None when it would not go down.
  std::optional<Vec3> way_down() const {
    const Vec3 down{0.0, 0.0, -1.0};
    Vec3 best{0.0, 0.0, -1e-6};
    bool found = false;
    const auto consider = [&](const Vec3& along) {
      const double squared = dot(along, along);
      if (squared < 1e-20) return;
      const Vec3 d = (along.z > 0.0 ? -1.0 : 1.0) / std::sqrt(squared) * along;
      if (d.z >= best.z) return;
      const bool free = std::all_of(blocking_.begin(), blocking_.end(),
                                    [&](const Vec3& n) { return dot(n, d) >= -1e-9; });
      if (!free) return;
      best = d;
      found = true;
    };
    consider(down);
    for (std::size_t i = 0; i < blocking_.size(); ++i) {
      consider(down - dot(down, blocking_[i]) * blocking_[i]);
      for (std::size_t j = i + 1; j < blocking_.size(); ++j)
        consider(cross(blocking_[i], blocking_[j]));
    }
    if (!found) return std::nullopt;
    return best;
  }

  /// Down by strides that shorten where it does not get on.
  Vec3 rolled(Vec3 p, double r) {
    double stride = first_stride * r;
    for (int step = 0; step < most_steps && stride > last_stride * r; ++step) {
      look_around(p, r);
      blocking_.clear();
      for (const Obstacle& o : obstacles_)
        if (o.gap(p) < 0.5 * stride) blocking_.push_back(o.normal(p));
      const auto way = way_down();
      const Vec3 q = way ? pushed_out(p + stride * *way) : p;
      // a place still half inside a neighbour would let it slip through
      if (way && q.z < p.z && clear(q, squeeze_allowed * r)) {
        p = q;
        stride = std::min(1.25 * stride, first_stride * r);
      } else {
        stride *= 0.5;
      }
    }
    return p;
  }

  /// The place near p where it rests on exact supports; p itself in the rare case (one in 1e5) that
  /// there is none.
  Vec3 rest(const Vec3& p, double r) {
    look_around(p, r);
    std::vector<Obstacle> supports;
    for (const Obstacle& o : obstacles_)
      if (o.gap(p) < support_reach * r) supports.push_back(o);
    if (p.z < (1.0 + support_reach) * r) add_holds(p, supports);
    std::optional<Vec3> best;
    double best_distance = r * r;
    for (std::size_t i = 0; i < supports.size(); ++i)
      for (std::size_t j = i + 1; j < supports.size(); ++j)
        for (std::size_t k = j + 1; k < supports.size(); ++k) {
          const std::array<Obstacle, 3> three = {supports[i], supports[j], supports[k]};
          const auto q = touching(three, p);
          if (!q || !clear(*q, overlap_allowed * r) || !carried(three, *q)) continue;
          const Vec3 moved = *q - p;
          if (dot(moved, moved) >= best_distance) continue;
          best_distance = dot(moved, moved);
          best = q;
        }
    return best.value_or(p);
  }

  /// On the floor a sphere needs nothing else to rest: imagined walls hold it where it is.
  static void add_holds(const Vec3& p, std::vector<Obstacle>& supports) {
    supports.push_back({{1.0, 0.0, 0.0}, 0.0, p.x});
    supports.push_back({{0.0, 1.0, 0.0}, 0.0, p.y});
  }

  /// What is left of the radius when nothing may overlap: rounding where it rests, a thousandth
  /// where no rest was found.
  double fitting_radius(const Vec3& p, double r) {
    look_around(p, r);
    double deepest = 0.0;
    for (const Obstacle& o : obstacles_) deepest = std::min(deepest, o.gap(p));
    return r + deepest;
  }

  const DepositionOptions& options_;
  SphereGrid grid_;
  std::vector<Sphere> spheres_;
  double top_ = 0.0;
  std::vector<Index> near_;
  std::vector<Obstacle> obstacles_;
  std::vector<Vec3> blocking_;  // normals of the obstacles that it leans on
};

}  // namespace

SphereGrid::SphereGrid(double width, double reach)
    : columns_(std::max<Index>(1, static_cast<Index>(width / reach))),
      cell_(width / columns_),
      columns_up_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(columns_)) {}

Index SphereGrid::slot(double along) const {
  return std::clamp(static_cast<Index>(along / cell_), Index{0}, columns_ - 1);
}

void SphereGrid::add(Index sphere, const Vec3& centre) {
  auto& column = columns_up_[static_cast<std::size_t>(slot(centre.x) + columns_ * slot(centre.y))];
  const auto level = static_cast<std::size_t>(centre.z / cell_);
  if (column.size() <= level) column.resize(level + 1);
  column[level].push_back(sphere);
}

void SphereGrid::near(const Vec3& centre, std::vector<Index>& found) const {
  found.clear();
  const Index cx = slot(centre.x), cy = slot(centre.y), cz = static_cast<Index>(centre.z / cell_);
  for (Index y = std::max(0, cy - 1); y <= std::min(columns_ - 1, cy + 1); ++y)
    for (Index x = std::max(0, cx - 1); x <= std::min(columns_ - 1, cx + 1); ++x) {
      const auto& column = columns_up_[static_cast<std::size_t>(x + columns_ * y)];
      const Index top = std::min(static_cast<Index>(column.size()) - 1, cz + 1);
      for (Index z = std::max(0, cz - 1); z <= top; ++z) {
        const auto& bucket = column[static_cast<std::size_t>(z)];
        found.insert(found.end(), bucket.begin(), bucket.end());
      }
    }
}

std::vector<Sphere> deposit(const DepositionOptions& options) {
  Pile pile(options);
  for (Index i = 0; i < options.count; ++i) pile.drop(i);
  return pile.spheres();
}

}  // namespace talus
