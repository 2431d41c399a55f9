// Problems given by matrices, cut by cones: set-up, products and solves against one rank, bit for
// bit.

#include "talus/core/error.hpp"
#include "talus/solvers/solve.hpp"

#include "mpi/same_on_ranks.hpp"
#include "partition/partition_cones.hpp"
#include "problem/linear_operator.hpp"
#include "solvers/compare.hpp"
#include "support/machine.hpp"
#include "support/rolling_problems.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace talus {
namespace {

struct Named {
  const char* name;
  ProblemData data;
};

/// M with one entry that its mirror image does not have: it is inverted as given.
GlobalProblem with_lopsided_mass(GlobalProblem p) {
  std::vector<Triplet> entries{{0, 1, 0.01 * p.M.value.front()}};
  for (Index i = 0; i < p.M.rows; ++i)
    for (std::int64_t e = p.M.row_start[static_cast<std::size_t>(i)];
         e < p.M.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      entries.push_back(
          {i, p.M.column[static_cast<std::size_t>(e)], p.M.value[static_cast<std::size_t>(e)]});
  p.M = from_triplets(p.M.rows, p.M.columns, std::move(entries));
  return p;
}

std::vector<Named> problems() {
  const auto global = support::manufacture_global({.contacts = 20, .free_rows = 3}).data;
  return {
      {"local", support::manufacture_local({.contacts = 30, .free_rows = 5}).data},
      {"plane", support::manufacture_local({.contacts = 30, .free_rows = 3, .dimension = 2}).data},
      {"asymmetric", support::manufacture_local({.law = Law::Coulomb, .asymmetry = 0.05}).data},
      {"rolling", support::manufacture_rolling_local({}).data},
      {"fewer than ranks", support::manufacture_local({.bodies = 2, .contacts = 2}).data},
      {"global", global},
      {"rolling global", support::manufacture_rolling_global({}).data},
      {"bodies", support::manufacture_global_of_bodies({.contacts = 20, .free_rows = 3}).data},
      {"lopsided mass", with_lopsided_mass(std::get<GlobalProblem>(global))}};
}

MatrixPart part_of(const ProblemData& data, const std::string& partition,
                   const Communicator& comm) {
  const PartitionOptions options = parse_partition(partition);
  if (const auto* local = std::get_if<LocalProblem>(&data))
    return make_cone_problem(*local, partition_cones(comm, *local, options), comm);
  const auto& global = std::get<GlobalProblem>(data);
  return make_cone_problem(global, partition_cones(comm, global, options), comm);
}

/// visit(own row, row of the whole)
template <class Visit>
void each_row(const MatrixPart& part, const ConeProblem& whole, const Visit& visit) {
  for (std::size_t i = 0; i < part.bilateral_place.size(); ++i)
    visit(i, static_cast<std::size_t>(part.bilateral_place[i]));
  for (std::size_t c = 0; c < part.contact_place.size(); ++c) {
    const auto rows = [&](const ConeSet& cones, Index contact) {
      std::vector<Index> found;
      for (Index k = 0; k < 2 && cones.planar_count > 0; ++k)
        found.push_back(cones.planar_row(contact, k));
      for (Index k = 0; k < 3 && cones.spatial_count > 0; ++k)
        found.push_back(cones.spatial_row(contact, k));
      for (Index k = 0; k < 6 && cones.rolling_count > 0; ++k)
        found.push_back(cones.rolling_row(contact, k));
      return found;
    };
    const auto here = rows(part.problem.cones, static_cast<Index>(c));
    const auto there = rows(whole.cones, static_cast<Index>(part.contact_place[c]));
    ASSERT_EQ(here.size(), there.size());
    for (std::size_t k = 0; k < here.size(); ++k)
      visit(static_cast<std::size_t>(here[k]), static_cast<std::size_t>(there[k]));
  }
}

void expect_same_rows(const MatrixPart& part, const ConeProblem& whole, const RowVector& mine,
                      const RowVector& all) {
  each_row(part, whole, [&](std::size_t here, std::size_t there) {
    EXPECT_EQ(support::bits_of(mine[here]), support::bits_of(all[there]))
        << "row " << there << ": " << mine[here] << " and " << all[there];
  });
}

class MatrixParts : public testing::TestWithParam<const char*> {
 protected:
  const Communicator world = Communicator::world();
};

TEST_P(MatrixParts, SetUpAndProductHaveTheBitsOfOneRank) {
  for (const auto& [name, data] : problems()) {
    SCOPED_TRACE(name);
    const ConeProblem alone = make_cone_problem(data);
    const MatrixPart mine = part_of(data, GetParam(), world);
    RowVector x(static_cast<std::size_t>(alone.stored_rows())), y(x.size());
    each_owned_row(alone.cones, [&](Index row, Index /*slot*/) {
      x[static_cast<std::size_t>(row)] = 1.0 / (3.0 + row);
    });
    alone.delassus->apply(x, y);
    RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0),
        y_mine(x_mine.size(), 7.0);
    each_row(mine, alone, [&](std::size_t here, std::size_t there) { x_mine[here] = x[there]; });

    mine.problem.delassus->apply(x_mine, y_mine);

    expect_same_rows(mine, alone, y_mine, y);
    expect_same_rows(mine, alone, mine.problem.free_velocity, alone.free_velocity);
    expect_same_rows(mine, alone, mine.problem.diagonal, alone.diagonal);
    EXPECT_EQ(mine.problem.mean_diagonal, alone.mean_diagonal);
    EXPECT_EQ(mine.problem.siconos_scale, alone.siconos_scale);
    EXPECT_EQ(mine.problem.total_rows, alone.total_rows);
    EXPECT_EQ(mine.problem.asymmetry, alone.asymmetry);
    ASSERT_EQ(mine.problem.skew == nullptr, alone.skew == nullptr);
    if (alone.skew == nullptr) continue;
    alone.skew->apply(x, y);
    mine.problem.skew->apply(x_mine, y_mine);
    expect_same_rows(mine, alone, y_mine, y);
  }
}

TEST_P(MatrixParts, SolvesHaveTheBitsOfOneRank) {
  for (const auto& [name, data] : problems()) {
    const ConeProblem alone = make_cone_problem(data);
    const MatrixPart mine = part_of(data, GetParam(), world);
    const std::string of(name);
    const bool all_laws = of == "local" || of == "asymmetric" || of == "global";
    for (const Method method : {Method::Jacobi, Method::Pspgfb, Method::Apgd, Method::Auto})
      for (const Law law : {Law::Coulomb, Law::Associated, Law::Box}) {
        if (!all_laws && (law != Law::Coulomb || method == Method::Auto)) continue;
        SCOPED_TRACE(of + " " + name_of(method) + " " + name_of(law));
        SolveOptions options;
        options.method = method;
        options.law = law;
        options.tolerance = 1e-10;
        options.max_iterations = 20;
        RowVector x(static_cast<std::size_t>(alone.stored_rows()), 0.0), gap;
        const SolveReport expected = solve(alone, options, Communicator::self(), x, gap);
        RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap_mine;

        const SolveReport report = solve(mine.problem, options, world, x_mine, gap_mine);

        expect_same_report(report, expected);
        expect_same_rows(mine, alone, x_mine, x);
        expect_same_rows(mine, alone, gap_mine, gap);
      }
  }
}

TEST_P(MatrixParts, KrylovMethodsHaveTheBitsOfOneRank) {
  const ProblemData data = support::manufacture_local({.contacts = 0, .free_rows = 20}).data;
  const ConeProblem alone = make_cone_problem(data);
  const MatrixPart mine = part_of(data, GetParam(), world);
  for (const Method method : {Method::Cg, Method::Minres}) {
    SolveOptions options;
    options.method = method;
    RowVector x(static_cast<std::size_t>(alone.stored_rows()), 0.0), gap;
    const SolveReport expected = solve(alone, options, Communicator::self(), x, gap);
    RowVector x_mine(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap_mine;

    const SolveReport report = solve(mine.problem, options, world, x_mine, gap_mine);

    EXPECT_EQ(report.iterations, expected.iterations);
    EXPECT_EQ(report.status, SolveStatus::Converged);
    expect_same_rows(mine, alone, x_mine, x);
  }
}

TEST_P(MatrixParts, EveryConeIsOwnedOnce) {
  for (const auto& [name, data] : problems()) {
    SCOPED_TRACE(name);
    const MatrixPart mine = part_of(data, GetParam(), world);
    const auto count = [&](std::size_t total, const std::vector<GlobalId>& places) {
      std::vector<std::int64_t> owners(total, 0);
      for (const GlobalId place : places) ++owners.at(static_cast<std::size_t>(place));
      world.sum(owners);
      EXPECT_EQ(owners, std::vector<std::int64_t>(total, 1));
    };
    std::visit(
        [&](const auto& whole) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(whole)>, BodyProblem>) {
            count(static_cast<std::size_t>(whole.contact_count()), mine.contact_place);
            count(static_cast<std::size_t>(whole.bilateral_count()), mine.bilateral_place);
          }
        },
        data);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, MatrixParts, testing::Values("metis", "random:5"));

/// A chain: cone i meets i - 1 and i + 1.
LocalProblem chain(Index contacts) {
  LocalProblem p;
  std::vector<Triplet> entries;
  for (Index c = 0; c < contacts; ++c)
    for (Index k = 0; k < 3; ++k) {
      entries.push_back({3 * c + k, 3 * c + k, 2.0});
      if (c > 0) entries.push_back({3 * c + k, 3 * c - 3 + k, -0.5});
      if (c + 1 < contacts) entries.push_back({3 * c + k, 3 * c + 3 + k, -0.5});
    }
  p.W = from_triplets(3 * contacts, 3 * contacts, std::move(entries));
  p.V = from_triplets(3 * contacts, 0, {});
  p.R = from_triplets(0, 0, {});
  p.q.assign(static_cast<std::size_t>(3 * contacts), -1.0);
  p.friction.assign(static_cast<std::size_t>(contacts), 0.5);
  return p;
}

TEST(MatrixPartCounts, AProductSendsTheBoundaryRowsToTheNeighbours) {
  const Communicator world = Communicator::world();
  const MatrixPart mine = part_of(chain(100), "blocks", world);
  const bool first = world.rank() == 0, last = world.rank() == world.size() - 1;
  const std::int64_t neighbours = (first ? 0 : 1) + (last ? 0 : 1);
  const Traffic before = world.traffic();
  const RowVector x(static_cast<std::size_t>(mine.problem.stored_rows()), 1.0);
  RowVector y(x.size());

  mine.problem.delassus->apply(x, y);

  EXPECT_EQ(world.traffic().messages - before.messages, neighbours);
  EXPECT_EQ(world.traffic().bytes - before.bytes, 24 * neighbours);  // three rows of one cone
  EXPECT_EQ(world.traffic().reductions, before.reductions);
}

TEST(MatrixPartCounts, MetisCutsAChainWhereItIsThin) {
  const Communicator world = Communicator::world();

  const ConeOwners owners = partition_cones(world, chain(100), {});

  int cuts = 0;
  std::vector<int> cones(static_cast<std::size_t>(world.size()), 0);
  for (std::size_t c = 0; c < owners.contact.size(); ++c) {
    ++cones[static_cast<std::size_t>(owners.contact[c])];
    cuts += c > 0 && owners.contact[c] != owners.contact[c - 1] ? 1 : 0;
  }
  EXPECT_LE(cuts, 2 * (world.size() - 1));
  for (const int count : cones) EXPECT_NEAR(count, 100.0 / world.size(), 3.0);
}

TEST(MatrixPartFaults, AreTheSameOnAllRanks) {
  const Communicator world = Communicator::world();
  const LocalProblem whole = chain(10);

  EXPECT_THROW(partition_cones(world, whole, parse_partition("hilbert")), InputError);
  EXPECT_THROW(partition_cones(world, whole, parse_partition("file:parts")), InputError);
  GlobalProblem global = std::get<GlobalProblem>(support::manufacture_global({}).data);
  global.M.value.assign(global.M.value.size(), 0.0);
  const ConeOwners owners = partition_cones(world, global, {});
  EXPECT_THROW(make_cone_problem(global, owners, world), InputError);
}

TEST(MatrixPartFaults, SweepsNeedRowsThatNoOtherRankHas) {
  const Communicator world = Communicator::world();
  SolveOptions options;
  options.method = Method::Psor;
  for (const ProblemData& data : {ProblemData(chain(10)), support::manufacture_global({}).data}) {
    const MatrixPart mine = part_of(data, "blocks", world);
    RowVector x(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap;

    if (world.size() == 1)
      EXPECT_EQ(solve(mine.problem, options, world, x, gap).status, SolveStatus::Converged);
    else
      EXPECT_THROW(solve(mine.problem, options, world, x, gap), InputError);
  }
}

TEST(MatrixPart, IsRefusedByPsorBeforeAnyWork) {
  const Communicator world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "alone, psor sweeps matrices too";
  const ProblemData data = support::manufacture_local({.contacts = 4}).data;
  const MatrixPart mine = part_of(data, "blocks", world);
  SolveOptions several;
  several.methods = {Method::Apgd, Method::Psor};
  RowVector x(static_cast<std::size_t>(mine.problem.stored_rows()), 0.0), gap;

  EXPECT_THROW(solve(mine.problem, several, world, x, gap), InputError);
  EXPECT_NE(refusal_of(mine.problem, Method::Psor, Law::Associated), "");
  EXPECT_EQ(refusal_of(mine.problem, Method::Apgd, Law::Associated), "");
}

}  // namespace
}  // namespace talus
