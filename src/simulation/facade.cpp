// What users of the library see of a simulation. What it is made of they need not compile.

#include "simulation/simulation_parts.hpp"

#include <utility>

namespace talus {

// NOLINTNEXTLINE(performance-unnecessary-value-param): moved on
Simulation::Simulation(Scene scene, SolveOptions solver, Communicator comm, BalanceSettings balance)
    : parts_(std::make_unique<SimulationParts>(std::move(scene), std::move(solver), std::move(comm),
                                               balance)) {}

// NOLINTNEXTLINE(performance-unnecessary-value-param): as of one from a scene
Simulation::Simulation(Checkpoint from, SolveOptions solver, Communicator comm,
                       BalanceSettings balance)
    : parts_(std::make_unique<SimulationParts>(std::move(from), solver, comm, balance)) {}

Simulation::Simulation(const Simulation& other)
    : parts_(std::make_unique<SimulationParts>(*other.parts_)) {}
Simulation::Simulation(Simulation&& other) noexcept = default;
Simulation& Simulation::operator=(const Simulation& other) {
  return *this = Simulation(other);
}
Simulation& Simulation::operator=(Simulation&& other) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::ask(std::function<std::uint32_t()> stop_flags) {
  parts_->ask(std::move(stop_flags));
}
StepReport Simulation::step(double by) {
  return parts_->step(by);
}
void Simulation::push(GlobalId body, const Vec3& force, const Vec3& torque) {
  parts_->push(body, force, torque);
}
void Simulation::hold(GlobalId body, const Vec3& force, const Vec3& torque) {
  parts_->hold(body, force, torque);
}
void Simulation::push_owned(std::span<const Vec3> forces, std::span<const Vec3> torques) {
  parts_->push_owned(forces, torques);
}
BodyState Simulation::state_of(GlobalId body) const {
  return parts_->state_of(body);
}
void Simulation::set_state(GlobalId body, const BodyState& state) {
  parts_->set_state(body, state);
}
std::vector<BodyContact> Simulation::contacts_of(GlobalId body) const {
  return parts_->contacts_of(body);
}
JointState Simulation::joint_state(const std::string& joint) const {
  return parts_->joint_state(joint);
}
void Simulation::set_motor(const std::string& joint, double value, std::optional<Freedom> of) {
  parts_->set_motor(joint, value, of);
}
void Simulation::set_on(const std::string& target, bool on) {
  parts_->set_on(target, on);
}
GlobalId Simulation::add(const BodySpec& body) {
  return parts_->add(body);
}
GlobalId Simulation::add(std::span<const BodySpec> bodies) {
  return parts_->add(bodies);
}
void Simulation::remove(GlobalId body) {
  parts_->remove(body);
}
Checkpoint Simulation::checkpoint() {
  return parts_->checkpoint();
}
FrozenStep Simulation::freeze() {
  return parts_->freeze();
}
void Simulation::gather_joints() {
  parts_->gather_joints();
}
std::int64_t Simulation::body_count() const {
  return parts_->body_count();
}
const World& Simulation::world() const {
  return parts_->world();
}
const Communicator& Simulation::communicator() const {
  return parts_->communicator();
}
const BalanceSettings& Simulation::balance_settings() const {
  return parts_->balance_settings();
}
std::int64_t Simulation::ghost_count() const {
  return parts_->ghost_count();
}
double Simulation::imbalance() const {
  return parts_->imbalance();
}
const Scene& Simulation::scene() const {
  return parts_->scene();
}
const SolveOptions& Simulation::solver() const {
  return parts_->solver();
}
const std::string& Simulation::tolerance_reason() const {
  return parts_->tolerance_reason();
}
const StepSettings& Simulation::settings() const {
  return parts_->settings();
}
const std::vector<GeneratorReport>& Simulation::generators() const {
  return parts_->generators();
}
const std::vector<StreamState>& Simulation::streams() const {
  return parts_->streams();
}
const std::vector<std::string>& Simulation::warnings() const {
  return parts_->warnings();
}

}  // namespace talus
