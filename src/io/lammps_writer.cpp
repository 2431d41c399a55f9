#include "talus/core/elementary.hpp"
#include "talus/core/error.hpp"
#include "talus/io/lammps_data.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace talus {
namespace {

struct Atom {
  const NewBody* body;
  double radius;
};

/// "12 boxes (wall, gate, ...)": kinds with the names of the groups they are in.
std::string counted(const SavedState& state, const std::vector<const NewBody*>& bodies) {
  constexpr std::size_t most_names = 5;
  std::map<std::string, std::int64_t> counts;
  std::vector<std::string> names;
  for (const NewBody* body : bodies) {
    ++counts[name_of(state.shapes[body->shape])];
    const std::string& name = state.groups[body->group];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back(fmt::format("{} {}", kind, count));
  if (names.size() > most_names) {
    names.resize(most_names);
    names.emplace_back("...");
  }
  return fmt::format("{} ({})", fmt::join(kinds, ", "), fmt::join(names, ", "));
}

std::vector<Atom> atoms_of(const SavedState& state, const std::string& name, Others treatment) {
  std::vector<Atom> atoms;
  std::vector<const NewBody*> others, massless;
  for (const NewBody& body : state.bodies) {
    const auto* sphere = std::get_if<Sphere>(&state.shapes[body.shape]);
    if (sphere == nullptr)
      others.push_back(&body);
    else if (!std::isfinite(body.mass))
      massless.push_back(&body);
    else
      atoms.push_back({&body, sphere->radius * body.scale});
  }
  InputErrors faults;
  if (!others.empty() && treatment == Others::Refused)
    faults.add(fmt::format("{}: {} bodies are no spheres: {}; say --spheres-only to leave them out",
                           name, others.size(), counted(state, others)));
  if (!massless.empty())
    faults.add(
        fmt::format("{}: the mass of {} bodies is not known: {}; give their material a "
                    "density",
                    name, massless.size(), counted(state, massless)));
  if (faults.empty() && atoms.empty())
    faults.add(fmt::format("{}: has no spheres: LAMMPS has nothing else", name));
  faults.throw_if_any();
  return atoms;
}

/// A box that holds all spheres.
Bounds box_of(const std::vector<Atom>& atoms) {
  Bounds box;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const Bounds one = bounds_of(Sphere{atoms[i].radius}, 1.0, atoms[i].body->pose);
    if (i == 0) box = one;
    box.low = {std::min(box.low.x, one.low.x), std::min(box.low.y, one.low.y),
               std::min(box.low.z, one.low.z)};
    box.high = {std::max(box.high.x, one.high.x), std::max(box.high.y, one.high.y),
                std::max(box.high.z, one.high.z)};
  }
  return box;
}

int type_of(const NewBody& body) {
  return body.material + 1;
}

/// As many digits as bring back the same bits.
std::string words(const Vec3& v) {
  return fmt::format("{} {} {}", v.x, v.y, v.z);
}

}  // namespace

std::string lammps_data_text(const SavedState& state, const std::string& name, Others treatment) {
  const std::vector<Atom> atoms = atoms_of(state, name, treatment);
  const Bounds box = box_of(atoms);
  std::string text =
      fmt::format("talus state: t = {} s, step {}; SI units\n\n{} atoms\n{} atom types\n\n",
                  state.time, state.step, atoms.size(), state.materials.size());
  text += fmt::format("{} {} xlo xhi\n{} {} ylo yhi\n{} {} zlo zhi\n\nAtoms # sphere\n\n",
                      box.low.x, box.high.x, box.low.y, box.high.y, box.low.z, box.high.z);
  for (const Atom& atom : atoms) {
    const double diameter = 2.0 * atom.radius;
    const double volume = pi / 6.0 * diameter * diameter * diameter;
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", atom.body->id + 1,
                   type_of(*atom.body), diameter, atom.body->mass / volume,
                   words(atom.body->pose.position));
  }
  text += "\nVelocities\n\n";
  for (const Atom& atom : atoms)
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", atom.body->id + 1,
                   words(atom.body->velocity), words(atom.body->angular_velocity));
  return text;
}

std::string lammps_dump_text(const SavedState& state, const std::string& name, Others treatment) {
  const std::vector<Atom> atoms = atoms_of(state, name, treatment);
  const Bounds box = box_of(atoms);
  std::string text =
      fmt::format("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS ff ff ff\n",
                  state.step, atoms.size());
  text += fmt::format("{} {}\n{} {}\n{} {}\n", box.low.x, box.high.x, box.low.y, box.high.y,
                      box.low.z, box.high.z);
  text += "ITEM: ATOMS id type radius mass x y z vx vy vz omegax omegay omegaz\n";
  for (const Atom& atom : atoms)
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", atom.body->id + 1,
                   type_of(*atom.body), atom.radius, atom.body->mass,
                   words(atom.body->pose.position), words(atom.body->velocity),
                   words(atom.body->angular_velocity));
  return text;
}

}  // namespace talus
