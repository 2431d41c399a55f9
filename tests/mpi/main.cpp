// Runs the tests of this folder on all ranks at once; every rank must pass.

#include "talus/parallel/communicator.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

namespace {

/// One rank reports; the others speak only of failures.
class QuietPrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", talus::launched_rank(),
                   result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                   result.message());
  }
};

}  // namespace

int main(int argc, char** argv) {
  talus::MpiSession session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (talus::launched_rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new QuietPrinter);
  }
  const bool passed = RUN_ALL_TESTS() == 0;
  return talus::Communicator::world().all_agree(passed) ? 0 : 1;
}
