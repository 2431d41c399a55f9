// Example 5: grains in a flow that carries them and is slowed by them. What a CFD coupling needs.
//
//   ./5_outer_field [STEPS]        (default 500)
//   mpirun -n 3 ./5_outer_field
//
// The flow is as simple as may be: a row of cells along x, each with one velocity. Nothing but the
// grains slows it, so that momentum tells whether all is right.
//
// 1. Build the scene in code: grains at rest in a periodic box. Without gravity give a tolerance.
// 2. From the flow to the grains: each rank computes the drag on the bodies that it owns, in their
//    order, and pushes all of them with one call. No lookups, no messages.
// 3. From the grains to the flow: what a cell gives it loses. Its grains may be on several ranks:
//    their sum is exact, and so the same for any number of them.
// 4. Step both. What is pushed acts in this step alone.
// 5. Momentum of grains and water is what it was; the hash does not depend on the number of ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <talus/talus.hpp>
#include <vector>

namespace {

constexpr double time_step = 1e-3, diameter = 0.01, edge = 0.12;  // s, m, m
constexpr int cells = 6;
constexpr double drag = 3.0 * 3.14159265358979 * 0.1 * diameter;  // N s/m: Stokes, 0.1 Pa s
constexpr double mass_of_cell = 0.02;                             // kg of water
using Flow = std::array<double, cells>;                           // m/s along x

talus::Scene grains_at_rest() {
  talus::SceneBuilder builder(time_step);
  talus::PairProperties pair;
  pair.friction = 0.3;
  pair.restitution = 0.5;
  builder.add_material("glass", 2500.0);
  builder.set_pair("glass", "glass", pair);
  builder.scene.world.domain.low = {0.0, 0.0, 0.0};
  builder.scene.world.domain.high = {edge, edge, edge};
  builder.scene.world.domain.periodic = {true, true, true};
  talus::BodySpec grain;
  grain.group = "grains";
  grain.material = "glass";
  grain.shape = talus::Sphere{0.5 * diameter};
  for (int i = 0; i < 6 * 4 * 4; ++i) {
    grain.name = "grain" + std::to_string(i);
    grain.pose.position = {0.02 * (i % 6) + 0.005, 0.011 * (i / 6 % 4) + 0.01,
                           0.03 * (i / 24) + 0.01};
    builder.add(grain);
  }
  return builder.build();
}

/// Pushes the grains. Returns what each cell loses, N.
Flow couple(talus::Simulation& simulation, const Flow& flow) {
  const talus::BodySet& bodies = simulation.world().bodies;
  std::vector<talus::Vec3> forces(static_cast<std::size_t>(bodies.owned));
  std::vector<talus::LimbSum> sums(cells);
  // 2.
  for (std::size_t b = 0; b < forces.size(); ++b) {
    const int cell = std::min(static_cast<int>(bodies.position[b].x / edge * cells), cells - 1);
    const talus::Vec3& v = bodies.velocity[b];
    const double y = bodies.position[b].y / edge;  // the flow is fastest in the middle
    forces[b] = {drag * (4.0 * y * (1.0 - y) * flow[cell] - v.x), -drag * v.y, -drag * v.z};
    sums[cell].add(std::span(&forces[b].x, 1));
  }
  simulation.push_owned(forces);
  // 3.
  talus::reduce(simulation.communicator(), sums);
  Flow lost{};
  for (int cell = 0; cell < cells; ++cell) lost[cell] = sums[cell].value();
  return lost;
}

void run(int steps) {
  const talus::Communicator comm = talus::Communicator::world();

  // 1.
  talus::SolveOptions solver = talus::run_defaults();
  solver.tolerance = 1e-6;  // m/s
  talus::Simulation simulation(grains_at_rest(), solver, comm);
  Flow flow;
  flow.fill(0.5);

  // 4.
  for (int step = 0; step < steps; ++step) {
    const Flow lost = couple(simulation, flow);
    simulation.step();
    for (int cell = 0; cell < cells; ++cell) flow[cell] -= time_step * lost[cell] / mass_of_cell;
  }

  // 5.
  const double of_grains = talus::momenta_of(simulation.world(), comm).linear.x;
  double of_water = 0.0;
  for (const double u : flow) of_water += mass_of_cell * u;
  const double all = 0.5 * mass_of_cell * cells;
  const std::uint64_t hash = talus::trajectory_hash(simulation.world().bodies, comm);
  if (comm.rank() == 0)
    std::printf("grains %.4f, water %.4f of the momentum; %.0e is missing; hash %016llx\n",
                of_grains / all, of_water / all, std::fabs(1.0 - (of_grains + of_water) / all),
                static_cast<unsigned long long>(hash));
}

}  // namespace

int main(int argc, char** argv) {
  const talus::MpiSession session(argc, argv);
  try {
    run(argc > 1 ? std::atoi(argv[1]) : 500);
    return 0;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    talus::MpiSession::abort(4);
  }
}
