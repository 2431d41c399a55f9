// Example 4: lift an arm and hold it, by a motor that is driven by the measured angle.
//
//   ./4_control_loop [ANGLE [SECONDS]]        (rad above the horizon; default 0.5, 4)
//   mpirun -n 2 ./4_control_loop
//
// 1. Build the scene in code: an arm on a hinge of the world, with a motor that applies a torque.
// 2. Make the simulation. All faults of the scene are said at once.
// 3. Between two steps measure the angle of the hinge and its rate.
// 4. The controller: a torque from the error, its rate and its sum (PID).
// 5. Drive the motor with it, and step. Reading and driving are collective: on ranks every rank
//    runs the same loop, and the motor gets the same bits on all of them.
// 6. Look at what the hinge carries: the weight of the arm, once it is at rest.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <talus/talus.hpp>

namespace {

constexpr double time_step = 1e-3;                       // s
constexpr talus::Vec3 size{0.6, 0.05, 0.05};             // m, of the arm
constexpr double density = 2700.0, largest_torque = 60;  // kg/m3, N m

talus::Scene arm_on_a_hinge() {
  // 1.
  talus::SceneBuilder builder(time_step);
  builder.set_gravity({0.0, 0.0, -9.81});
  builder.add_material("aluminium", density);

  talus::BodySpec arm;
  arm.name = "arm";
  arm.material = "aluminium";
  arm.shape = talus::Box{0.5 * size};
  arm.pose.position = {0.5 * size.x, 0.0, 0.0};
  builder.add(arm);

  talus::JointSpec hinge;
  hinge.a = "world";
  hinge.b = "arm";
  hinge.axis = {0.0, -1.0, 0.0};  // through the origin: the angle grows as the arm rises
  hinge.joint.name = "hinge";
  hinge.joint.type = talus::JointType::Revolute;
  hinge.joint.angle_motor.type = talus::MotorType::Force;
  hinge.joint.angle_motor.limit = largest_torque;
  builder.add(hinge);
  return builder.build();
}

void hold(double wanted, double seconds) {
  const talus::Communicator comm = talus::Communicator::world();

  // 2.
  talus::SolveOptions solver = talus::run_defaults();
  solver.tolerance = 1e-7;  // m/s: one arm costs nothing, and its hinge carries what it should
  talus::Simulation simulation(arm_on_a_hinge(), solver, comm);

  constexpr double stiffness = 60.0, damping = 10.0, summing = 80.0;  // of the controller
  double sum = 0.0;
  const auto steps = static_cast<int>(std::lround(seconds / time_step));
  for (int step = 0; step < steps; ++step) {
    // 3.
    const talus::JointState hinge = simulation.joint_state("hinge");

    // 4.
    const double error = wanted - hinge.angle;
    sum = std::clamp(sum + time_step * error, -1.0, 1.0);
    const double torque = stiffness * error - damping * hinge.angle_rate + summing * sum;

    // 5.
    simulation.set_motor("hinge", torque);
    const talus::StepReport report = simulation.step();
    if (report.step % 500 == 0 && comm.rank() == 0)
      std::printf("t = %.3f s: %.4f rad, %.3f N m\n", report.time, hinge.angle, torque);
  }

  // 6.
  const talus::JointState hinge = simulation.joint_state("hinge");
  if (comm.rank() == 0)
    std::printf("held at %.4f rad, %.1e rad/s; the hinge carries %.2f N\n", hinge.angle,
                hinge.angle_rate, hinge.reaction_force.z);
}

}  // namespace

int main(int argc, char** argv) {
  const talus::MpiSession session(argc, argv);
  try {
    hold(argc > 1 ? std::atof(argv[1]) : 0.5, argc > 2 ? std::atof(argv[2]) : 4.0);
    return 0;
  } catch (const talus::InputError& fault) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  } catch (const std::exception& fault) {  // of this rank alone: the others may wait for it
    std::fprintf(stderr, "%s\n", fault.what());
    talus::MpiSession::abort(4);
  }
}
