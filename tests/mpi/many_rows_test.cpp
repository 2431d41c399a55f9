// Enough contacts that threads share the tiles of a product, its sums and the messages on their
// way: still the bits of one rank.

#include "generate/generate.hpp"
#include "mpi/same_on_ranks.hpp"

namespace talus {
namespace {

class ManyRows : public testing::TestWithParam<const char*> {
 protected:
  ManyRows() {
    support::RandomBodies options;
    options.bodies = 1000;
    options.contacts = 3200;
    options.joints = 400;
    options.immovable_body = true;
    b_ = beside_one(support::random_bodies(options), GetParam());
  }

  support::ForcedThreads threads_{2};
  BesideOne b_;
};

TEST_P(ManyRows, SetUpAndProductHaveTheBitsOfOneRank) {
  expect_same_product(b_);
}

TEST_P(ManyRows, SolvesHaveTheBitsOfOneRank) {
  for (const auto& [method, law] :
       {std::pair{Method::Apgd, Law::Associated}, std::pair{Method::Pspgfb, Law::Coulomb}}) {
    SolveOptions options;
    options.method = method;
    options.law = law;
    options.tolerance = 0.0;
    options.max_iterations = 20;
    expect_same_solve(b_, options);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, ManyRows, testing::Values("metis", "alternating"));

/// More bodies inside of each rank than a thread adds up between two looks at the messages.
TEST(LongChain, ProductHasTheBitsOfOneRank) {
  const support::ForcedThreads one_thread(1);
  expect_same_product(beside_one(generate(parse_generate("chain,bodies=18000")), "blocks"));
}

}  // namespace
}  // namespace talus
