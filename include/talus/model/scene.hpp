#pragma once
// What a scene file says, read, checked and resolved: names have become indices, formulas are
// compiled. Lists are in the order of the file.

#include "talus/model/output_settings.hpp"
#include "talus/model/world.hpp"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace talus {

enum class Scheme : std::uint8_t { AnitescuTasora, Spook };
/// What restitution is a share of: of the approach, or of the impulse that stops it.
enum class RestitutionLaw : std::uint8_t { Newton, Poisson };

struct TimeSettings {
  double step = 0.0;       ///< s; of automatic steps the longest
  double end = 0.0;        ///< s
  bool automatic = false;  ///< steps are chosen from their error, between `shortest` and `step`
  double shortest = 0.0;   ///< s: what automatic steps are multiples of; 0: from the longest
  /// Of automatic steps: error that one step may make, as a share of the smallest size.
  double accuracy = 5e-3;
  Scheme scheme = Scheme::AnitescuTasora;
  /// Share of a gap's error that one step takes away, in (0, 1] (anitescu-tasora).
  double stabilisation = 0.2;
  /// m/s: overlaps are pushed apart no faster. Infinite: no limit. Negative: chosen from the sizes
  /// of bodies, see docs.
  double recovery_speed = -1.0;
  /// m/s: slower impacts do not bounce. Negative: 2 g h.
  double bounce_speed = -1.0;
  double damping_time = -1.0;  ///< s: spook's tau of contacts and joints; negative: 4 h
  RestitutionLaw restitution_law = RestitutionLaw::Newton;
  /// Of the work of a run, for steps that are compared with shorter ones; 0: none.
  double error_share = 0.05;
};

/// A named body of the file.
struct SceneBody {
  std::string name;
  std::string place;  ///< "pile.yaml:14:5", for messages
  Motion motion = Motion::Dynamic;
  Index shape = 0;  ///< of Scene::world.shapes; frame as the user gave it
  double scale = 1.0;
  Index material = 0, group = 0;
  Pose pose;                        ///< of the shape's frame
  Vec3 velocity, angular_velocity;  ///< velocity of the centre of mass
  std::optional<double> mass;       ///< kg, instead of density
  std::optional<Sym3> inertia;      ///< kg m2 about the centre, axes of the shape's frame
  std::optional<KinematicMotion> kinematic;
};

// ---- generators ---------------------------------------------------------------------------------

struct SizeDistribution {
  enum class Kind : std::uint8_t { Constant, Uniform, Lognormal, Table };
  Kind kind = Kind::Constant;
  bool by_mass = false;          ///< probabilities are shares of mass, else of number
  double low = 0.0, high = 0.0;  ///< constant: low; uniform: both; lognormal: cut off at both
  double median = 0.0;           ///< lognormal
  double deviation = 0.0;        ///< lognormal: standard deviation of the logarithm
  std::vector<std::array<double, 2>> table{};  ///< size, share (normalised to 1)
};

/// What all generators say of their bodies. The name is also their group.
struct Generator {
  enum class Kind : std::uint8_t { Lattice, Random, Packing, Stream, Import };
  Kind kind = Kind::Lattice;
  std::string name, place;
  Index material = 0, group = 0;
  Index shape = 0;         ///< of World::shapes, of size 1 (a sphere: diameter 1, radius 0.5)
  SizeDistribution sizes;  ///< of diameters (other shapes: factor on the shape), m
  bool turned = false;     ///< random orientations, else as given
  Quaternion orientation;
  Vec3 velocity, angular_velocity;
  std::uint64_t seed = 1;
  Region region;
  // lattice
  Vec3 spacing;  ///< m
  /// Bodies touch the lowest corner of their cells, and the first cell that of the region; else
  /// bodies are in the middle of their cells, and these of the region.
  bool low = false;
  double jitter = 0.0;      ///< m: each coordinate moves by up to so much
  std::int64_t count = -1;  ///< at most so many (lattice), so many (random); -1: as many as fit
  // random, packing
  double solid_fraction = 0.0;
  // stream: `region` is the face (a thin box or cylinder) in which bodies appear
  Expression mass_rate;                 ///< kg/s, of time
  double from = 0.0, until = infinity;  ///< s
  double mass_limit = 0.0;              ///< kg in all; 0: none
  bool on = true;
  // import: bodies as read from the file
  std::vector<NewBody> imported;
  bool keeps_shapes = false;  ///< they have their own shapes and materials, else the generator's
};

// ---- events -------------------------------------------------------------------------------------

struct Event {
  enum class Kind : std::uint8_t { Remove, Fix, Release, Switch, Gravity, Add };
  Kind kind = Kind::Remove;
  std::string place;
  double at = -1.0;    ///< s; negative: `when` decides
  Expression when;     ///< of event_variables; happens once, at the first step where it holds
  std::string target;  ///< name of a body, group, joint, generator, force
  bool on = true;      ///< switch
  std::array<Expression, 3> gravity;
  std::vector<SceneBody> added;
  bool done = false;  ///< state
};
/// What `when` may use, in this order.
inline const std::vector<std::string> event_variables{
    "t", "step", "bodies", "contacts", "kinetic_energy", "largest_speed"};

struct Scene {
  std::string title;
  std::string file;  ///< its path
  TimeSettings time;
  /// Shapes, materials, groups, domain, gravity, forces and joints (whose bodies are indices into
  /// `bodies` until make_world gives them ids); no bodies yet.
  World world;
  std::vector<SceneBody> bodies;
  std::vector<Generator> generators;
  std::vector<Event> events;
  /// "solver.method=apgd": what the file's solver section says, for the application to apply.
  std::vector<std::string> solver_assignments;
  std::vector<std::string> solver_places;  ///< "pile.yaml:50:22" of each of them, for messages
  bool stop_unconverged = false;           ///< solver.unconverged: stop
  double max_overlap = 0.01;               ///< of the size: what the start may have
  bool balance_by_counts = false;          ///< of ranks, else by seconds
  bool energy_ledger = true;               ///< adds up where energy goes, in every step
  LogSettings log;
  ParaViewSettings paraview;
  SnapshotSettings snapshots;
  CheckpointSettings checkpoint;
  std::vector<MonitorSettings> monitors;
  std::vector<std::string> joint_places;  ///< of each of world.joints: what validate_joints asks
  /// What a user should know and what is no fault: keys that this version does not act on.
  std::vector<std::string> notes;
};

/// The world at t = 0 with the named bodies of the scene (no generators): ids in the order of the
/// file, masses from shape and density where they are not given, shapes moved to their centres,
/// joints with ids and frames about the centres.
World make_world(const Scene& scene);
/// One named body: appended to `world` with the next id. Used by make_world and by events. Throws
/// InputError where neither shape and density nor the body itself give a mass or an inertia.
void add_body(World& world, const SceneBody& body);
/// The same, but for the appending: the next id is taken, a prescribed motion has begun.
NewBody next_body(World& world, const SceneBody& body);

/// What is wrong with a name that is to be switched (Event::Kind::Switch): "'x' cannot be switched:
/// known are ..."; empty: nothing. `world`: of the scene, as it is now.
std::string fault_of_switch(const Scene& scene, const World& world, const std::string& target);

/// `body`, whose shape is as the user gave it and whose pose is that of the shape's frame, becomes
/// a body about the centre of mass of its shape. A moved copy of the shape is added to the world
/// once.
void move_to_centre(World& world, NewBody& body);
/// What the copy is: the shape in a frame whose origin is its centre of mass.
Shape centred(const Shape& shape);
struct BodyMass {
  double mass = 0.0;  ///< kg
  Sym3 inertia;       ///< kg m2 about the centre
};
/// Of a shape of such density (kg/m3). All zero for planes and open meshes.
BodyMass mass_of(const Shape& shape, double scale, double density);

// What generators have made.

struct GeneratorReport {
  std::string name;
  std::int64_t count = 0;
  double mass = 0.0, wanted_mass = 0.0;  ///< kg; wanted: 0 where nothing is asked
  double solid_fraction = 0.0, wanted_solid_fraction = 0.0;                ///< of the region
  double smallest = 0.0, mean = 0.0, median_by_mass = 0.0, largest = 0.0;  ///< sizes, m
  double largest_deviation = 0.0;  ///< of the cumulative distribution from the wanted one, 0 to 1
  double largest_overlap = 0.0;    ///< of the sizes, among its own bodies; filled by packing
};

/// What a stream has let in so far.
struct StreamState {
  double owed = 0.0;         ///< kg that should have come in and has not yet
  double mass = 0.0;         ///< kg that has come in
  std::int64_t count = 0;    ///< bodies that have come in
  std::int64_t refused = 0;  ///< times that there was no place
};

}  // namespace talus
