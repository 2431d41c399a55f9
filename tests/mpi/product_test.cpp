// Products and whole solves on ranks against one rank, bit for bit.

#include "mpi/same_on_ranks.hpp"

namespace talus {
namespace {

BodyProblem some_bodies(bool two_points) {
  support::RandomBodies options;
  options.bodies = 60;
  options.contacts = 200;
  options.joints = 40;
  options.compliance = true;
  options.immovable_body = true;
  options.two_points = two_points;
  return support::random_bodies(options);
}

class Ranks : public testing::TestWithParam<const char*> {};

TEST_P(Ranks, SetUpAndProductHaveTheBitsOfOneRank) {
  for (const bool two_points : {false, true}) {
    expect_same_product(beside_one(some_bodies(two_points), GetParam()));
  }
}

struct Wanted {
  Method method = Method::Apgd;
  Law law = Law::Associated;
};

TEST_P(Ranks, SolvesHaveTheBitsOfOneRank) {
  const BesideOne b = beside_one(some_bodies(false), GetParam());
  for (const Wanted& wanted :
       {Wanted{Method::Jacobi}, Wanted{Method::Pspgfb}, Wanted{Method::Apgd},
        Wanted{Method::Apgd, Law::Coulomb}, Wanted{Method::Pspgfb, Law::Coulomb}}) {
    SolveOptions options;
    options.method = wanted.method;
    options.law = wanted.law;
    options.tolerance = 1e-12;
    options.max_iterations = 200;
    expect_same_solve(b, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, Ranks,
                         testing::Values("metis", "hilbert", "blocks", "random:7"));

}  // namespace
}  // namespace talus
