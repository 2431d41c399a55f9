#pragma once
// Time steps of bodies and joints without contacts, apart from the program's own: what joint tests
// compare with closed forms.

#include "assembly/joint_rows.hpp"

namespace talus::support {

/// The semi-implicit step of [AT10]: v' = M^-1 (f + D^T gamma), x' = x + h v'. Position errors fade
/// by `stabilisation` per step; compliant rows, springs among them, follow [Lacoursiere13] with the
/// constants that its derivation gives: G v1 + 4 eps lambda / (h^2 a) = -4 g / (h a) + G v0 / a,
/// a = 1 + 4 tau / h.
class JointStepper {
 public:
  explicit JointStepper(double h) : h_(h) {}

  World world;
  Vec3 gravity{0.0, 0.0, 0.0};
  double stabilisation = 0.2;

  /// A dynamic body; its inertia is about its own axes.
  GlobalId add_body(const Pose& pose, double mass, const Sym3& inertia);
  /// Frames from one pose in the world, at the start.
  Joint& add_joint(JointType type, GlobalId a, GlobalId b, const Pose& frame);

  void step();
  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
  }

  double h() const { return h_; }
  Pose pose(GlobalId body) const;
  /// Of the last step: all rows and their impulses, N s.
  const std::vector<JointRow>& rows() const { return rows_; }
  const std::vector<double>& impulses() const { return impulses_; }

 private:
  double h_;
  std::vector<JointRow> rows_;
  std::vector<double> impulses_;
};

/// The frame whose x axis is `axis`, at a point.
Pose frame_at(const Vec3& position, const Vec3& axis = {1.0, 0.0, 0.0});
/// Of a thin rod of length l along its x axis.
Sym3 rod_inertia(double mass, double l);

}  // namespace talus::support
