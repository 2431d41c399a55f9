// What the library is given by a program, not by a file: wrong sizes and indices are faults, not
// crashes; and a problem that nobody changes may be solved by several threads at once.

#include "talus/core/error.hpp"
#include "talus/problem/cone_problem.hpp"
#include "talus/solvers/solve.hpp"

#include "support/fault_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace talus {
namespace {

using ::testing::HasSubstr;

/// Of a problem that is given to a solver; of one whose values are looked at, too.
template <class Problem>
std::string fault_of(const Problem& problem, bool values = false) {
  return support::fault_of([&] {
    if (values) validate(problem, "problem");
    make_cone_problem(problem);
  });
}

/// Two bodies on the ground, one on the other, and a joint.
BodyProblem bodies() {
  BodyProblem p;
  const Sym3 turn{2.0, 0.0, 0.0, 2.0, 0.0, 2.0};
  p.add_body({0.0, 0.0, 0.5}, 1.0, turn, {0.1, 0, -0.1, 0, 0, 0});
  p.add_body({0.0, 0.0, 1.5}, 0.5, turn, {0, 0.05, -0.2, 0, 0, 0});
  p.add_contact(no_body, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, 0.5, {});
  p.add_contact(0, 1, {0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}, 0.25, {});
  p.add_joint_row(0, 1, {1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0}, 0.0);
  return p;
}

TEST(ProblemSizes, OfBodiesAreChecked) {
  const auto told = [](const std::function<void(BodyProblem&)>& spoil) {
    BodyProblem p = bodies();
    spoil(p);
    return fault_of(p);
  };
  EXPECT_EQ(told([](BodyProblem&) {}), "");
  EXPECT_THAT(told([](BodyProblem& p) { p.joint_body_b[0] = 99; }),
              HasSubstr("problem: /joints/body_b[0] = 99: no such body"));
  EXPECT_THAT(told([](BodyProblem& p) { p.contact_body_a[1] = -7; }),
              HasSubstr("/contacts/body_a[1] = -7: no such body"));
  EXPECT_THAT(told([](BodyProblem& p) { p.inverse_mass.pop_back(); }),
              HasSubstr("/bodies/inverse_mass has 1 entries: must have 2"));
  EXPECT_THAT(told([](BodyProblem& p) { p.joint_lower.clear(); }),
              HasSubstr("/joints/lower has 0 entries: must have 1"));
  EXPECT_THAT(told([](BodyProblem& p) { p.tangent.pop_back(); }),
              HasSubstr("/contacts/tangent has 1 entries: must have 2"));
}

TEST(ProblemSizes, OfPartsAndSlicesAreChecked) {
  BodyProblem p = bodies();
  p.contact_body_b[0] = 17;
  EXPECT_THROW(whole_part(p), InputError);
  EXPECT_THROW(slice_of(p, 0, 2), InputError);
}

/// One contact in space that meets itself.
LocalProblem local() {
  LocalProblem p;
  p.W = from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}});
  p.V = from_triplets(3, 0, {});
  p.q = {-1.0, 0.2, 0.0};
  p.friction = {0.5};
  return p;
}

TEST(ProblemSizes, AreLookedAtByWhoeverMakesAProblem) {
  LocalProblem flat = local();
  flat.dimension = 0;
  EXPECT_THAT(fault_of(flat), HasSubstr("problem: /dimension = 0: must be 2 or 3"));
  LocalProblem longer = local();
  longer.q.push_back(0.0);
  EXPECT_THAT(fault_of(longer), HasSubstr("problem: /vectors/q: has 4 entries"));
}

TEST(ProblemSizes, OfLocalMatricesAreChecked) {
  const auto told = [](const std::function<void(LocalProblem&)>& spoil) {
    LocalProblem p = local();
    spoil(p);
    return fault_of(p, true);
  };
  EXPECT_EQ(told([](LocalProblem&) {}), "");
  EXPECT_THAT(told([](LocalProblem& p) { p.q.pop_back(); }),
              HasSubstr("problem: /vectors/q: has 2 entries; must have 3"));
  EXPECT_THAT(told([](LocalProblem& p) { p.q.push_back(1.0); }), HasSubstr("has 4 entries"));
  EXPECT_THAT(told([](LocalProblem& p) { p.dimension = 0; }),
              HasSubstr("/dimension = 0: must be 2 or 3"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.column[1] = 5; }),
              HasSubstr("/W: entry 1 of row 1 is in column 5"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.row_start[1] = 9; }),
              HasSubstr("row_start must grow"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.row_start.pop_back(); }),
              HasSubstr("row_start has 3 entries; must have 4"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.value.pop_back(); }), HasSubstr("and 2 values"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.rows = -1; }), HasSubstr("no size of a matrix"));
  EXPECT_THAT(told([](LocalProblem& p) {
                p.W = from_triplets(3, 3, {{0, 0, 1.0}, {0, 1, 0.1}, {1, 1, 1.0}, {2, 2, 1.0}});
                std::swap(p.W.column[0], p.W.column[1]);
              }),
              HasSubstr("columns of row 0 must ascend"));
  EXPECT_THAT(told([](LocalProblem& p) { p.s = {0.0}; }), HasSubstr("/V: is 3 x 0; must be 3 x 1"));
  EXPECT_THAT(told([](LocalProblem& p) { p.W.value[0] = -1.0; }),
              HasSubstr("/W[0,0] = -1: must not be negative"));
  EXPECT_THAT(told([](LocalProblem& p) { p.friction[0] = -0.5; }),
              HasSubstr("/vectors/mu[0] = -0.5: must not be negative"));
  EXPECT_THAT(told([](LocalProblem& p) {
                p.rolling_friction = {0.1, 0.2};
              }),
              HasSubstr("/vectors/mu_r: has 2 entries; must have 1"));
}

/// A body of one kilogramme on the ground.
GlobalProblem global() {
  GlobalProblem p;
  std::vector<Triplet> mass;
  for (Index i = 0; i < 6; ++i) mass.push_back({i, i, 1.0});
  p.M = from_triplets(6, 6, mass);
  p.H = from_triplets(6, 3, {{2, 0, 1.0}, {0, 1, 1.0}, {1, 2, 1.0}});
  p.G = from_triplets(6, 0, {});
  p.f = {0.1, 0, -1, 0, 0, 0};
  p.w = {0, 0, 0};
  p.friction = {0.5};
  return p;
}

TEST(ProblemSizes, OfGlobalMatricesAreChecked) {
  const auto told = [](const std::function<void(GlobalProblem&)>& spoil) {
    GlobalProblem p = global();
    spoil(p);
    return fault_of(p, true);
  };
  EXPECT_EQ(told([](GlobalProblem&) {}), "");
  EXPECT_THAT(told([](GlobalProblem& p) { p.f.pop_back(); }),
              HasSubstr("/M: is 6 x 6; must be 5 x 5"));
  EXPECT_THAT(told([](GlobalProblem& p) { p.w.clear(); }),
              HasSubstr("/vectors/w: has 0 entries; must have 3"));
  EXPECT_THAT(told([](GlobalProblem& p) { p.M.value[2] = 0.0; }),
              HasSubstr("/M[2,2] = 0: must be positive"));
  EXPECT_THAT(told([](GlobalProblem& p) { p.body_centre.resize(2); }),
              HasSubstr("/bodies/position: has 2 rows; must have 1"));
  EXPECT_THAT(told([](GlobalProblem& p) { p.time_step = -1.0; }), HasSubstr("/@dt = -1"));
  EXPECT_THAT(told([](GlobalProblem& p) { p.b = {1.0}; }),
              HasSubstr("/G: is 6 x 0; must be 6 x 1"));
}

/// Impulses of `threads` solves at once, each with a communicator of its own.
std::vector<RowVector> solved_at_once(const ConeProblem& problem, int threads) {
  std::vector<RowVector> answers(static_cast<std::size_t>(threads));
  std::vector<std::thread> all;
  for (RowVector& answer : answers)
    all.emplace_back([&problem, &answer] {
      SolveOptions options;
      options.tolerance = 1e-10;
      options.max_iterations = 400;
      RowVector gap;
      for (int i = 0; i < 20; ++i) {
        answer.assign(static_cast<std::size_t>(problem.stored_rows()), 0.0);
        solve(problem, options, Communicator::self(), answer, gap);
      }
    });
  for (std::thread& thread : all) thread.join();
  return answers;
}

TEST(ConstProblem, SolvedByThreeThreadsHasTheSameAnswers) {
  LocalProblem full = local();
  full.W = from_triplets(3, 3, {{0, 0, 2.0}, {0, 1, 0.3}, {1, 0, 0.3}, {1, 1, 1.0}, {2, 2, 1.0}});
  for (const ProblemData& data :
       {ProblemData(bodies()), ProblemData(full), ProblemData(global())}) {
    const ConeProblem problem = make_cone_problem(data);
    const RowVector alone = solved_at_once(problem, 1)[0];
    for (const RowVector& one : solved_at_once(problem, 3)) EXPECT_EQ(one, alone) << data.index();
  }
}

}  // namespace
}  // namespace talus
