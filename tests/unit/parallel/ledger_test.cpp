// The network model against sums made by hand, and what --model takes.

#include "parallel/ledger.hpp"

#include "talus/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Ledger measured_on(int ranks) {
  Ledger ledger;
  ledger.ranks = ranks;
  ledger.reductions = 110;
  ledger.exchanges = ranks > 1 ? 100 : 0;
  ledger.messages = {300.0, 300.0, 300.0};
  ledger.bytes = {8e6, 8e6, 8e6};
  ledger.compute_seconds = {0.9, 1.0, 1.2};
  return ledger;
}

TEST(Ledger, ImbalanceIsMostOverMean) {
  EXPECT_DOUBLE_EQ(measured_on(2).imbalance(), 1.2);
  EXPECT_DOUBLE_EQ(Ledger{}.imbalance(), 1.0);
}

TEST(Ledger, OfOneRankIsItsTraffic) {
  Traffic used;
  used.reductions = 7;
  used.reduction_seconds = 0.25;
  used.wait_seconds = 0.5;

  const Ledger ledger = ledger_of(Communicator::self(), used, 2.0);

  EXPECT_EQ(ledger.reductions, 7);
  EXPECT_DOUBLE_EQ(ledger.compute_seconds.mean, 1.25);
  EXPECT_DOUBLE_EQ(ledger.wait_seconds.most, 0.5);
  EXPECT_DOUBLE_EQ(ledger.reduction_seconds.least, 0.25);
}

TEST(NetworkModel, IsTheSumOfComputingExchangesAndReductions) {
  const NetworkModel network{1e-6, 1e9, 16};
  const CutFacts cut{1e5, 0.1, 1.0};

  const ModelEstimate m = estimate(measured_on(2), cut, network);

  const double work = 1.0 * 2.0 / 1.1;  // seconds of one rank without mirrors
  EXPECT_NEAR(m.compute_seconds, work / 16.0 * (1.0 + 0.1 * 2.0),
              1e-15);                      // cube root of 8 times more ranks
  const double bytes = 8e6 / 100.0 / 4.0;  // a rank's surface is 8^(2/3) times smaller
  EXPECT_NEAR(m.exchange_seconds, 100.0 * (14.0 * 1e-6 + bytes / 1e9), 1e-15);
  EXPECT_NEAR(m.reduction_seconds, 110.0 * 2.0 * 4.0 * (1e-6 + 216.0 / 1e9), 1e-15);
  EXPECT_NEAR(m.efficiency, work / (16.0 * m.seconds()), 1e-15);
}

TEST(NetworkModel, FromOneRankUsesTheSurfaceOfPackings) {
  const ModelEstimate m = estimate(measured_on(1), {8e4}, {1e-6, 1e9, 8});

  EXPECT_NEAR(m.compute_seconds, 1.0 / 8.0 * (1.0 + 1.5 / std::cbrt(1e4)), 1e-15);
  const double bytes = 48.0 * 6.0 * std::pow(1e4, 2.0 / 3.0);
  EXPECT_NEAR(m.exchange_seconds, 110.0 * (7.0 * 1e-6 + bytes / 1e9), 1e-12);
}

TEST(NetworkModel, OneRankSendsNothing) {
  const ModelEstimate m = estimate(measured_on(1), {8e4}, {1e-6, 1e9, 1});

  EXPECT_DOUBLE_EQ(m.seconds(), 1.0);
  EXPECT_DOUBLE_EQ(m.efficiency, 1.0);
}

TEST(NetworkModel, IsReadWithAllFaultsAtOnce) {
  const NetworkModel model = parse_network_model("ranks=64,latency=1.5e-6,bandwidth=1e10");
  EXPECT_EQ(model.ranks, 64);
  EXPECT_DOUBLE_EQ(model.latency, 1.5e-6);
  EXPECT_DOUBLE_EQ(model.bandwidth, 1e10);
  const auto fault = [](const std::string& text) -> std::string {
    try {
      parse_network_model(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(
      fault("latncy=1,bandwidth=x,ranks=1.5"),
      AllOf(HasSubstr("did you mean latency"), HasSubstr("bandwidth=x"), HasSubstr("ranks=1.5")));
  EXPECT_THAT(fault("latency=1"), HasSubstr("needs latency=S"));
  EXPECT_THAT(fault(""), HasSubstr("--model"));
}

}  // namespace
}  // namespace talus
