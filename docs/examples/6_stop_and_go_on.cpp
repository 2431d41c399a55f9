// Example 6: stop, and go on later from a file, on other ranks, with the same bits.
//
//   mpirun -n 2 ./6_stop_and_go_on 100 half.h5              (from the start)
//   mpirun -n 3 ./6_stop_and_go_on 100 end.h5 half.h5       (goes on)
//   ./6_stop_and_go_on 200 end.h5                           (ends with the same hash)
//
// 1. From the start: build the scene in code, grains on a floor and a ball among them.
// 2. To go on: read the checkpoint and make the simulation from it. It has scene and state; options
//    of the solver are said again (tolerance 0: the one that it had; the law must be the same).
// 3. What this program itself must remember, here the sum of a controller, it keeps as bytes in
//    `program` of the checkpoint.
// 4. Step: the controller pushes the ball through the grains.
// 5. Write a checkpoint: after a step and before the next push, which no checkpoint has.
// 6. The hash does not depend on where the run was stopped, nor on the number of ranks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <talus/talus.hpp>
#include <utility>

namespace {

constexpr double diameter = 0.02, edge = 0.2;  // m
constexpr talus::GlobalId ball = 1;

talus::Scene ball_among_grains() {
  // 1.
  talus::SceneBuilder builder(1e-3);
  talus::PairProperties pair;
  pair.friction = 0.4;
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.add_material("stone", 2500.0);
  builder.set_pair("stone", "stone", pair);
  builder.scene.world.domain.low = {0.0, 0.0, -edge};
  builder.scene.world.domain.high = {edge, edge, edge};
  builder.scene.world.domain.periodic = {true, true, false};
  talus::BodySpec body;
  body.material = "stone";
  body.name = "floor";
  body.motion = talus::Motion::Fixed;
  body.shape = talus::Plane{};
  builder.add(body);
  body.name = "ball";
  body.motion = talus::Motion::Dynamic;
  body.shape = talus::Sphere{2.0 * diameter};
  body.pose.position = {0.5 * edge, 0.5 * edge, 2.0 * diameter};
  builder.add(body);
  body.shape = talus::Sphere{0.5 * diameter};
  for (int i = 0; i < 9 * 9; ++i) {
    body.name = "grain" + std::to_string(i);
    body.pose.position = {0.022 * (i % 9) + 0.01, 0.022 * (i / 9) + 0.01, 4.6 * diameter};
    builder.add(body);
  }
  return builder.build();
}

talus::Simulation simulation_of(const std::string& from, double& sum,
                                const talus::Communicator& comm) {
  const talus::SolveOptions solver = talus::run_defaults();
  if (from.empty()) return talus::Simulation(ball_among_grains(), solver, comm);

  // 2.
  talus::Checkpoint checkpoint = talus::read_checkpoint(from, comm);

  // 3.
  if (checkpoint.program.size() != sizeof sum)
    throw talus::AgreedInputError(from + ": is of another program");
  std::memcpy(&sum, checkpoint.program.data(), sizeof sum);
  return talus::Simulation(std::move(checkpoint), solver, comm);
}

void run(int steps, const std::string& to, const std::string& from) {
  const talus::Communicator comm = talus::Communicator::world();
  double sum = 0.0;  // m s
  talus::Simulation simulation = simulation_of(from, sum, comm);

  // 4.
  for (int step = 0; step < steps; ++step) {
    const talus::BodyState state = simulation.state_of(ball);
    const double error = 0.5 * edge - state.position.y;
    sum += 1e-3 * error;
    simulation.push(ball, {1.5, 40.0 * error + 20.0 * sum, 0.0});
    simulation.step();
  }

  // 5.
  talus::Checkpoint checkpoint = simulation.checkpoint();
  checkpoint.program.resize(sizeof sum);
  std::memcpy(checkpoint.program.data(), &sum, sizeof sum);
  talus::write_checkpoint(to, checkpoint, comm);

  // 6.
  const std::uint64_t hash = talus::trajectory_hash(simulation.world().bodies, comm);
  if (comm.rank() == 0)
    std::printf("step %lld, hash %016llx\n", static_cast<long long>(simulation.world().step),
                static_cast<unsigned long long>(hash));
}

}  // namespace

int main(int argc, char** argv) {
  const talus::MpiSession session(argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s STEPS TO.h5 [FROM.h5]\n", argv[0]);
    return 2;
  }
  try {
    run(std::atoi(argv[1]), argv[2], argc > 3 ? argv[3] : "");
    return 0;
  } catch (const talus::InputError& fault) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  } catch (const std::exception& fault) {  // of this rank alone: the others may wait for it
    std::fprintf(stderr, "%s\n", fault.what());
    talus::MpiSession::abort(4);
  }
}
