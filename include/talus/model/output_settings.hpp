#pragma once
// What a scene wants written while it runs, which changes nothing of the run; and the parts of
// space that it names.

#include "talus/core/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talus {

/// A part of space that a scene names: where bodies are put, or what is measured.
struct Region {
  enum class Kind : std::uint8_t { Box, Sphere, Cylinder };
  Kind kind = Kind::Box;
  Vec3 low, high;            ///< box
  Vec3 centre;               ///< sphere; cylinder: middle of its base
  double radius = 0.0;       ///< sphere, cylinder
  Vec3 axis{0.0, 0.0, 1.0};  ///< cylinder: unit
  double height = 0.0;       ///< cylinder
};

/// Its border belongs to it.
bool contains(const Region& region, const Vec3& point);

struct LogSettings {
  double every = 0.0;                ///< simulated s; 0: never
  std::vector<std::string> columns;  ///< of log_columns; empty: all
};
/// penetration, joint_gap: m; overlap: the former as a share of the smaller body; joint_angle: rad;
/// time_error: m, and time_error_speed: m/s, of the last comparison with shorter steps; energies in
/// J.
inline const std::vector<std::string> log_columns{"step",
                                                  "time",
                                                  "bodies",
                                                  "contacts",
                                                  "joint_rows",
                                                  "iterations",
                                                  "error",
                                                  "largest_error",
                                                  "impulse_error",
                                                  "largest_impulse_error",
                                                  "penetration",
                                                  "overlap",
                                                  "joint_gap",
                                                  "joint_angle",
                                                  "time_step",
                                                  "time_error",
                                                  "time_error_speed",
                                                  "kinetic",
                                                  "potential",
                                                  "energy",
                                                  "seconds"};

/// What can be chosen of bodies and of contacts in files for ParaView.
inline const std::vector<std::string> paraview_body_fields{
    "quaternion", "velocity", "angular_velocity", "size", "shape",
    "motion",     "group",    "material",         "rank", "mass"};
inline const std::vector<std::string> paraview_contact_fields{"force", "torque", "state", "gap",
                                                              "point", "normal", "bodies"};
/// Files of a frame.
inline const std::vector<std::string> paraview_parts{"bodies", "contacts", "walls", "surfaces",
                                                     "joints"};

struct ParaViewSettings {
  double every = 0.0;  ///< simulated s; 0: never
  std::vector<std::string> bodies{"quaternion", "velocity", "size",     "shape",
                                  "motion",     "group",    "material", "rank"};
  std::vector<std::string> contacts{"force", "state", "gap"};  ///< there may be millions
  std::vector<std::string> parts = paraview_parts;
  int ranks_per_file = 16;  ///< so many leave one file of a part
};

struct SnapshotSettings {
  double every = 0.0;  ///< simulated s; 0: never
};

/// Files from which a run goes on. 0: not for this reason.
struct CheckpointSettings {
  double every = 0.0;  ///< simulated s
  double wall = 0.0;   ///< s on the clock
  int keep = 2;        ///< the newest of them
};

/// Numbers over time; docs/output.md has the formulas.
struct MonitorSettings {
  enum class Kind : std::uint8_t {
    Energy,
    Coordination,
    SolidFraction,
    Stress,
    Fabric,
    Forces,
    Flow,
    Load,
    Reaction,
    Quantiles,
    Profile,
    Track
  };
  Kind kind = Kind::Energy;
  std::string name;
  double every = 0.0;            ///< simulated s
  Index group = -1;              ///< of which bodies; -1: of all that impulses move
  std::string joint;             ///< reaction: its name
  std::optional<Region> region;  ///< nothing: everywhere
  int axis = 0, up = 2;          ///< quantiles, profile: along which; profile: of what
  std::vector<double> values;    ///< shares in [0, 1]
  Vec3 at;                       ///< flow: a point of the plane; load: torque about it
  Vec3 normal{0.0, 0.0, 1.0};    ///< flow: unit
  double from = 0.0, to = 0.0;   ///< profile: m; forces: multiples of the mean
  int bins = 1;
};

/// In the order of MonitorSettings::Kind: words of scene files.
inline const std::vector<std::string> monitor_kinds{
    "energy", "coordination", "solid_fraction", "stress",    "fabric",  "forces",
    "flow",   "load",         "reaction",       "quantiles", "profile", "track"};

}  // namespace talus
