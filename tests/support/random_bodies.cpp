#include "support/random_bodies.hpp"

#include "generate/random.hpp"
#include "support/dense_problem.hpp"

#include <cmath>

namespace talus::support {
namespace {

enum class Purpose : std::uint32_t { Body = 101, Contact, Joint, Rolling };

double on_grid(double x) {
  return std::ldexp(std::nearbyint(std::ldexp(x, 20)), -20);
}

Vec3 on_grid(const Vec3& x) {
  return {on_grid(x.x), on_grid(x.y), on_grid(x.z)};
}

Vec6 random_vec6(KeyedRandom& random) {
  Vec6 v;
  for (double& x : v) x = random.uniform(-1.0, 1.0);
  return v;
}

/// Symmetric positive definite, with full off-diagonals.
Sym3 random_inverse_inertia(KeyedRandom& random) {
  Sym3 m{0.1, 0.0, 0.0, 0.1, 0.0, 0.1};
  for (int k = 0; k < 3; ++k) {
    const Vec3 a = random.direction();
    m.xx += a.x * a.x;
    m.xy += a.x * a.y;
    m.xz += a.x * a.z;
    m.yy += a.y * a.y;
    m.yz += a.y * a.z;
    m.zz += a.z * a.z;
  }
  return m;
}

struct Pair {
  Index a, b;
};

/// Two different bodies, or one and the world on either side.
Pair random_pair(Index bodies, Index row, KeyedRandom& random) {
  const auto draw = [&] {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
  };
  const Index a = draw();
  if (bodies == 1 || row % 4 == 1) return row % 8 < 4 ? Pair{a, no_body} : Pair{no_body, a};
  Index b = draw();
  while (b == a) b = draw();
  return {a, b};
}

/// Unique for row < 7919, a prime, and out of order.
GlobalId key_of(Index row) {
  return (static_cast<GlobalId>(row) * 4801 + 17) % 7919;
}

/// Every fourth contact does not roll, every third does not spin.
void add_rolling(BodyProblem& p, const RandomBodies& options) {
  for (Index c = 0; c < options.contacts; ++c) {
    KeyedRandom random(options.seed, static_cast<std::uint64_t>(c),
                       static_cast<std::uint32_t>(Purpose::Rolling));
    const double rolling = random.uniform(0.01, 0.2), spinning = random.uniform(0.01, 0.2);
    p.rolling_friction.push_back(c % 4 == 3 ? 0.0 : rolling);
    p.spinning_friction.push_back(c % 3 == 2 ? 0.0 : spinning);
  }
}

}  // namespace

BodyProblem random_bodies(const RandomBodies& options) {
  BodyProblem p;
  const auto random_of = [&](Index i, Purpose purpose) {
    return KeyedRandom(options.seed, static_cast<std::uint64_t>(i),
                       static_cast<std::uint32_t>(purpose));
  };
  for (Index i = 0; i < options.bodies; ++i) {
    KeyedRandom random = random_of(i, Purpose::Body);
    const double w = 0.5 * options.width;
    const double x = random.uniform(-w, w), y = random.uniform(-w, w);
    const Vec3 centre = on_grid(Vec3{x, y, random.uniform(-w, w)});
    const double inverse_mass = std::exp(random.uniform(-1.0, 1.0));
    const bool fixed = options.immovable_body && i == 0;
    const Sym3 inertia = random_inverse_inertia(random);
    p.add_body(centre, fixed ? 0.0 : inverse_mass, fixed ? Sym3{} : inertia, random_vec6(random));
  }
  std::vector<Vec3> points_b;
  for (Index c = 0; c < options.contacts; ++c) {
    KeyedRandom random = random_of(c, Purpose::Contact);
    const auto [a, b] = random_pair(options.bodies, c, random);
    const Vec3 centre = p.centre[static_cast<std::size_t>(a == no_body ? b : a)];
    const Vec3 point = on_grid(centre + random.direction()), normal = random.direction();
    const double friction = random.uniform(0.0, 1.0);
    p.add_contact(a, b, normal, point, friction, random.direction());
    p.contact_key.back() = key_of(c);
    points_b.push_back(on_grid(point + 0.1 * random.direction()));
    if (!options.compliance) continue;
    p.normal_compliance.back() = random.uniform(0.0, 0.5);
    p.tangent_compliance.back() = random.uniform(0.0, 0.5);
  }
  if (options.two_points) p.point_b = points_b;
  if (options.rolling) add_rolling(p, options);
  for (Index j = 0; j < options.joints; ++j) {
    KeyedRandom random = random_of(j, Purpose::Joint);
    const auto [a, b] = random_pair(options.bodies, j, random);
    const Vec6 block_a = random_vec6(random), block_b = random_vec6(random);
    p.add_joint_row(a, b, block_a, block_b, random.uniform(-1.0, 1.0));
    p.joint_key.back() = key_of(j);
    if (options.compliance) p.joint_compliance.back() = random.uniform(0.0, 0.5);
  }
  return p;
}

ConeSet cones_of(const BodyProblem& problem) {
  ConeSet cones = make_cone_set(problem.joint_row_count(), 0, problem.contact_count());
  if (problem.has_rolling())
    cones = make_cone_set({problem.joint_row_count(), 0, 0, problem.contact_count()});
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    if (problem.has_rolling())
      set_rolling_friction(
          cones, c,
          {problem.friction[i], problem.rolling_friction[i], problem.spinning_friction[i]},
          problem.normal[i], problem.tangent[i]);
    else
      set_spatial_friction(cones, c, problem.friction[i], problem.normal[i], problem.tangent[i]);
  }
  return cones;
}

BodyOperator operator_of(const BodyProblem& problem, const ConeSet& cones) {
  return BodyOperator(std::make_shared<BodyPart>(whole_part(problem)), cones, Communicator::self());
}

RowVector random_impulses(const ConeSet& cones, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return to_stored(cones, plain_random_vector(plain_size(cones), random));
}

}  // namespace talus::support
