// A user of the installed library: a block of 2 kg on four corner contacts under its weight for 10
// ms.
#include <cmath>
#include <cstdio>
#include <talus/talus.hpp>

int main() {
  constexpr double mass = 2.0, gravity = 9.81, time_step = 0.01;
  talus::BodyProblem data;
  const double inverse_inertia = 6.0 / mass;  // cube of 1 m
  const talus::Index block = data.add_body(
      {0, 0, 0.5}, 1.0 / mass, {inverse_inertia, 0, 0, inverse_inertia, 0, inverse_inertia},
      {0, 0, -mass * gravity * time_step, 0, 0, 0});
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5})
      data.add_contact(talus::no_body, block, {0, 0, 1}, {x, y, 0}, 0.5, {0, 0, 0});
  const talus::ConeProblem problem = talus::make_cone_problem(data);
  talus::RowVector impulses(static_cast<std::size_t>(problem.stored_rows()), 0.0), gap;

  const talus::SolveReport report =
      talus::solve(problem, {.tolerance = 1e-10}, talus::Communicator::self(), impulses, gap);

  const talus::Solution answer = talus::make_solution(data, problem, impulses, gap);
  double support = 0.0;  // the normal impulses carry the weight, however they share it
  for (std::size_t contact = 0; contact < 4; ++contact) support += answer.r[3 * contact];
  std::printf("%s after %lld iterations: support %.12f N s\n",
              talus::name_of(report.status).c_str(), static_cast<long long>(report.iterations),
              support);
  const bool right = report.status == talus::SolveStatus::Converged &&
                     std::abs(support - mass * gravity * time_step) < 1e-8 &&
                     std::abs(answer.v[2]) < 1e-8;
  return right ? 0 : 1;
}
