// Example 3: the same scene on any number of ranks, with the same bits.
//
//   ./3_on_ranks scene.yaml 100
//   mpirun -n 3 ./3_on_ranks scene.yaml 100
//
// 1. Start MPI where a launcher has started this program on several ranks; else do nothing.
// 2. Every rank reads the scene and makes the simulation: bodies go to their owners.
// 3. Every rank steps: a step is collective, and its report is the same on all ranks.
// 4. Each rank has its own bodies and copies of those nearby. What is asked of all is collective:
//    here the number of bodies, and the hash of their positions and velocities.
// 5. The hash does not depend on the number of ranks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <talus/talus.hpp>

namespace {

void run_on_ranks(const std::string& path, int steps) {
  const talus::Communicator comm = talus::Communicator::world();

  // 2.
  talus::Simulation simulation(talus::read_scene(path), talus::run_defaults(), comm);

  // 3.
  talus::StepReport report;
  for (int k = 0; k < steps; ++k) report = simulation.step();

  // 4.
  const std::int64_t bodies = simulation.body_count();
  const std::uint64_t hash = talus::trajectory_hash(simulation.world().bodies, comm);
  std::fprintf(stderr, "rank %d of %d: %d bodies of its own, %lld copies\n", comm.rank(),
               comm.size(), static_cast<int>(simulation.world().bodies.owned),
               static_cast<long long>(simulation.ghost_count()));

  // 5.
  if (comm.rank() == 0)
    std::printf("%lld bodies, %lld steps, hash %016llx\n", static_cast<long long>(bodies),
                static_cast<long long>(report.step), static_cast<unsigned long long>(hash));
}

}  // namespace

int main(int argc, char** argv) {
  const talus::MpiSession session(argc, argv);  // 1.
  const int steps = argc > 2 ? std::atoi(argv[2]) : 0;
  if (steps < 1) {
    std::fprintf(stderr, "usage: %s scene.yaml STEPS (1 or more)\n", argv[0]);
    return 2;
  }
  try {
    run_on_ranks(argv[1], steps);
    return 0;
  } catch (const talus::InputError& fault) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  } catch (const std::exception& fault) {  // of this rank alone: the others may wait for it
    std::fprintf(stderr, "%s\n", fault.what());
    talus::MpiSession::abort(4);
  }
}
