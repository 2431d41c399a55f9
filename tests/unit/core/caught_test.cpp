#include "core/caught.hpp"

#include "core/thread_workspace.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

namespace talus {
namespace {

TEST(Caught, NothingThrowsNothing) {
  Caught caught;
  int done = 0;
  caught.run(0, [&] { ++done; });
  caught.rethrow();
  EXPECT_EQ(done, 1);
}

TEST(Caught, OfSeveralTheOneOfTheLeastPlaceLeavesTheRegion) {
  Caught caught;
#pragma omp parallel for num_threads(3) schedule(dynamic) default(none) shared(caught)
  for (std::size_t i = 0; i < 300; ++i)
    caught.run(i, [&] {
      if (i % 7 == 5) throw std::runtime_error(std::to_string(i));
    });
  try {
    caught.rethrow();
    FAIL() << "nothing was kept";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "5");
  }
}

TEST(Caught, KeepsTheKind) {
  Caught caught;
  caught.run(3, [] { throw std::bad_alloc(); });
  EXPECT_THROW(caught.rethrow(), std::bad_alloc);
}

TEST(ThreadWorkspace, EachThreadHasItsOwnAndACopyBeginsAnew) {
  const ThreadWorkspace<int> workspace;
  workspace.mine() = 7;
  int of_other = -1;
  std::thread([&] { of_other = workspace.mine([] { return 3; })++; }).join();
  EXPECT_EQ(of_other, 3);
  EXPECT_EQ(workspace.mine(), 7);
  const ThreadWorkspace<int> copy(
      workspace);  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.mine(), 0);
}

}  // namespace
}  // namespace talus
