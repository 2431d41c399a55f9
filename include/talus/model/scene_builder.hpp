#pragma once
// Scenes that are written in code. What names mean is found out as they are given; what is wrong is
// said in the words that scene files are answered with, all at once.

#include "talus/core/error.hpp"
#include "talus/model/scene.hpp"

#include <array>
#include <optional>
#include <string>

namespace talus {

/// A body by names.
struct BodySpec {
  std::string name;  ///< what others call it by
  Motion motion = Motion::Dynamic;
  std::string material;
  Shape shape;
  Pose pose;                        ///< of the frame of the shape, at the start
  Vec3 velocity, angular_velocity;  ///< m/s of the centre of mass; rad/s, world axes
  std::string group;            ///< bodies of one group share forces and events; empty: its name
  double scale = 1.0;           ///< of the shape
  std::optional<double> mass;   ///< kg, in place of the density
  std::optional<Sym3> inertia;  ///< kg m2 about the centre, axes of the shape's frame
  std::optional<KinematicMotion> movement;  ///< of kinematic bodies; its start is `pose`
};

/// A joint or spring by names.
struct JointSpec {
  std::string a = "world", b = "world";  ///< names of bodies; w is the velocity of b relative to a
  Vec3 position;                         ///< m, in the world at the start
  Vec3 axis{0.0, 0.0, 1.0};              ///< in the world at the start
  /// Of distances and springs: the two places, in place of `position` and `axis`. A distance
  /// without length and limits has theirs: in a periodic domain, which is to be said before, that
  /// of the nearest images.
  std::optional<std::array<Vec3, 2>> points;
  Joint joint;  ///< all else: name, type, limits, motors, ...; bodies and frames are filled in
};

class SceneBuilder {
 public:
  /// `name`: what messages begin with.
  explicit SceneBuilder(double time_step, std::string name = "scene");

  /// What is built so far. What no function here sets is set in it: domain, scheme, generators,
  /// events, ... Of generators and events build() does not look at numbers.
  Scene scene;

  void set_gravity(const Vec3& gravity);                              ///< m/s2
  Index add_material(const std::string& name, double density = 0.0);  ///< kg/m3; 0: not given
  void set_pair(const std::string& a, const std::string& b, const PairProperties& properties);
  /// Returns its place in scene.bodies, which is its id too.
  std::size_t add(const BodySpec& body);
  void add(const JointSpec& joint);
  /// On every body of a group, N and N m.
  void add_force(const std::string& group, const Vec3& force, const Vec3& torque = {});

  /// The scene. Throws InputError with all that is wrong with it as it stands.
  Scene build() const;

 private:
  InputErrors unknown_;  ///< names that were given and were not there
};

}  // namespace talus
