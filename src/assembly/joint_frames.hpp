#pragma once
// Where the two frames of a joint are, and how far they are from where its type wants them.

#include "talus/model/joint.hpp"
#include "talus/model/world.hpp"

#include <array>
#include <optional>

namespace talus {

struct JointFrames {
  Index body_a = no_body, body_b = no_body;  ///< of World::bodies; no_body: the world
  /// Of the bodies; of the world: its origin. In a periodic domain b is where it is nearest to a.
  Vec3 centre_a, centre_b;
  Pose a, b;  ///< of the frames, in the world
};

/// Nothing where one of the bodies is not there any more.
std::optional<JointFrames> frames_of(const World& world, const Joint& joint);

/// The frames after the time h with the present velocities of their bodies.
JointFrames moved_on(const JointFrames& frames, const BodySet& bodies, double h);
/// Square of the larger angular velocity of the two bodies, 1/s2.
double fastest_spin(const JointFrames& frames, const BodySet& bodies);

/// A scalar measure of a joint and its rate, block_a . (v_a, w_a) + block_b . (v_b, w_b). The
/// blocks are derivatives of the value wherever the bodies are, and the impulses of a row on the
/// two bodies have one line: they keep momentum and angular momentum also where the joint is
/// violated.
struct Measured {
  double value = 0.0;  ///< m or rad
  Vec6 block_a{}, block_b{};
};
Measured negated(const Measured& m);
/// Its rate with the present velocities of the bodies.
double rate_of(const Measured& m, const JointFrames& frames, const BodySet& bodies);

bool turns_about_axis(JointType type);
bool slides_along_axis(JointType type);

/// Up to six measures, without an allocation for each joint of each step.
struct Locked {
  std::array<Measured, 6> measures{};
  std::size_t count = 0;
  void add(const Measured& m) { measures[count++] = m; }
  const Measured* begin() const { return measures.data(); }
  const Measured* end() const { return measures.data() + count; }
};
/// What a joint of this type keeps zero, in the order of its places. None for springs, and for
/// distance joints, whose only measure is distance_of.
Locked locked_by(JointType type, const JointFrames& frames);

/// How far b is turned about the x axis of a, in (-pi, pi].
Measured turn_about_axis(const JointFrames& frames);
/// The same and a number of full turns, so that it is nearest to `near`.
Measured turn_about_axis(const JointFrames& frames, double near);
/// How far the origin of b is along the x axis of a.
Measured way_along_axis(const JointFrames& frames);
/// Between the origins. Where they coincide, the direction is the x axis of a.
Measured distance_of(const JointFrames& frames);

// What a motor asks for in a step.

/// Of a position motor: where it wants to be at the end of a step, and its mean rate over the step.
struct Followed {
  double value = 0.0;  ///< rad or m
  double rate = 0.0;   ///< rad/s or m/s
};
Followed followed_by(const Motor& motor, double time, double h);

/// Of a speed motor: its value in the middle of the step. The way of the step is then that of the
/// midpoint rule, right to second order; at the end of the step it would be to first.
double speed_of(const Motor& motor, double time, double h);

/// Of a force motor in the middle of the step, within its limit.
double force_of(const Motor& motor, double time, double h);

}  // namespace talus
