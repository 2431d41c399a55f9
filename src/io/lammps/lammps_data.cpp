#include "io/lammps_data.hpp"

#include "talus/core/error.hpp"

#include "core/elementary.hpp"
#include "core/number.hpp"
#include "core/regular_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace talus {
namespace {

enum class Section : std::uint8_t { Header, Atoms, Velocities, Skipped };

/// A row of Atoms, and where it stands.
struct Row {
  NewBody body;
  int type = 0;
  std::size_t line = 0;
};
struct VelocityRow {
  GlobalId id = 0;
  Vec3 velocity, angular_velocity;
  std::size_t line = 0;
};

constexpr std::size_t atom_columns = 7, image_columns = 3, velocity_columns = 7;
const std::vector<std::string> known_sections = {"Atoms", "Velocities"};
/// Sections that say nothing of where spheres are; what LAMMPS and LIGGGHTS write beside them.
const std::vector<std::string> skipped_sections = {"Masses", "Pair Coeffs", "PairIJ Coeffs"};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  LammpsData read() {
    std::ifstream file = readable_stream(path_, "give the name of a LAMMPS data file");
    std::string text;
    if (!std::getline(file, text))
      throw InputError(fmt::format("{}: cannot be read: {}; give the name of a LAMMPS data file",
                                   path_, file.eof() ? "it is empty" : std::strerror(errno)));
    line_ = 1;  // the first line is a comment, whatever it says
    while (std::getline(file, text)) {
      ++line_;
      const std::size_t hash = text.find('#');
      const std::string plain = trimmed(text.substr(0, hash));
      if (!plain.empty())
        read_line(plain, hash == std::string::npos ? "" : trimmed(text.substr(hash + 1)));
    }
    check_whole();
    errors_.throw_if_any();
    return gathered();
  }

 private:
  void fault(std::size_t line, const std::string& words) {
    errors_.add(fmt::format("{}:{}: {}", path_, line, words));
  }
  void fault(const std::string& words) { fault(line_, words); }

  void read_line(const std::string& text, const std::string& comment) {
    const char first = text.front();
    const bool is_number = (first >= '0' && first <= '9') || std::strchr("+-.", first) != nullptr;
    if (!is_number) return begin_section(text, comment);
    const std::vector<std::string> words = words_of(text);
    if (section_ == Section::Header) return read_header(words);
    if (section_ == Section::Atoms) return read_atom(words);
    if (section_ == Section::Velocities) return read_velocity(words);
  }

  void begin_section(const std::string& name, const std::string& comment) {
    section_ = Section::Skipped;
    if (std::count(skipped_sections.begin(), skipped_sections.end(), name) != 0) return;
    if (name == "Atoms") {
      section_ = Section::Atoms;
      if (!comment.empty() && comment != "sphere" && comment != "granular")
        fault(
            fmt::format("atom style = {} must be sphere or granular (id type diameter density x "
                        "y z): write the data with one of these",
                        comment));
    } else if (name == "Velocities") {
      section_ = Section::Velocities;
    } else {
      fault(
          fmt::format("section = {} must be Atoms or Velocities: {}talus reads spheres and their "
                      "motion; leave it out",
                      name, did_you_mean(name, known_sections)));
      return;
    }
    std::size_t& earlier = section_ == Section::Atoms ? atoms_line_ : velocities_line_;
    if (earlier != 0)
      fault(fmt::format("section = {} is here again after line {}: join the two", name, earlier));
    earlier = line_;
  }

  void read_header(const std::vector<std::string>& words) {
    const auto ends_with = [&](std::size_t numbers, const std::vector<std::string>& names) {
      return words.size() == numbers + names.size() &&
             std::equal(names.begin(), names.end(),
                        words.end() - static_cast<std::ptrdiff_t>(names.size()));
    };
    const std::array<const char*, 3> axes = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (ends_with(2, {fmt::format("{}lo", axes[axis]), fmt::format("{}hi", axes[axis])}))
        return read_bounds(words, axis);
    if (ends_with(1, {"atoms"})) return read_count(words[0], "number of atoms", atoms_);
    if (ends_with(1, {"atom", "types"}))
      return read_count(words[0], "number of atom types", types_);
    // counts of what is not there may be listed
    const bool zeros = std::all_of(words.begin(), words.end(), [](const std::string& word) {
      const std::optional<double> value = number_in<double>(word);
      return !value || *value == 0.0;
    });
    if (!zeros)
      fault(
          fmt::format("\"{}\" must not be in the header: talus reads atoms, atom types and the "
                      "bounds of an upright box; leave it out",
                      fmt::join(words, " ")));
  }

  void read_bounds(const std::vector<std::string>& words, std::size_t axis) {
    const double low = number(words[0], words[2]), high = number(words[1], words[3]);
    if (low >= high)
      fault(fmt::format("{} = {} must be below {} = {}", words[2], low, words[3], high));
    has_bounds_[axis] = true;
    double Vec3::*const along = axis == 0 ? &Vec3::x : (axis == 1 ? &Vec3::y : &Vec3::z);
    data_.box.low.*along = low;
    data_.box.high.*along = high;
  }

  void read_count(const std::string& word, const char* what, std::optional<std::int64_t>& count) {
    count = whole(word, what, 0, std::numeric_limits<Index>::max());
  }

  double number(std::string word, const std::string& what) {
    if (word.front() == '+') word.erase(0, 1);
    const std::optional<double> value = number_in<double>(word);
    if (value && std::isfinite(*value)) return *value;
    fault(fmt::format("{} = {} must be a finite number", what, word));
    return std::numeric_limits<double>::quiet_NaN();
  }

  double positive(const std::string& word, const char* what, const char* remedy) {
    const double value = number(word, what);
    if (value <= 0.0) fault(fmt::format("{} = {} must be positive: {}", what, word, remedy));
    return value;
  }

  /// Below `least` where it is a fault.
  std::int64_t whole(const std::string& word, const char* what, std::int64_t least,
                     std::int64_t most) {
    const auto value = number_in<std::int64_t>(word);
    if (value && *value >= least && *value <= most) return *value;
    fault(fmt::format("{} = {} must be a whole number from {} to {}", what, word, least, most));
    return least - 1;
  }

  /// 0 where it is a fault.
  GlobalId id_in(const std::string& word) { return whole(word, "id", 1, std::int64_t{1} << 52); }

  Vec3 vector(const std::vector<std::string>& words, std::size_t from,
              const std::array<const char*, 3>& names) {
    const double x = number(words[from], names[0]), y = number(words[from + 1], names[1]);
    return {x, y, number(words[from + 2], names[2])};
  }

  void read_atom(const std::vector<std::string>& words) {
    if (words.size() != atom_columns && words.size() != atom_columns + image_columns)
      return fault(
          fmt::format("a row of Atoms with columns = {} must have {}, or {} with image "
                      "flags: id type diameter density x y z",
                      words.size(), atom_columns, atom_columns + image_columns));
    Row row;
    row.line = line_;
    row.body.id = id_in(words[0]);
    row.type = static_cast<int>(whole(words[1], "type", 1, std::numeric_limits<int>::max()));
    const double diameter =
        positive(words[2], "diameter", "talus has no points; give spheres a size in m");
    const double density = positive(words[3], "density", "give it in kg/m3");
    row.body.scale = diameter;
    row.body.mass = density * (pi / 6.0) * diameter * diameter * diameter;
    const double inertia = 0.1 * row.body.mass * diameter * diameter;
    row.body.inertia = {inertia, 0.0, 0.0, inertia, 0.0, inertia};
    row.body.pose.position = vector(words, 4, {"x", "y", "z"});
    // how often an atom went around a periodic box does not say where it is now
    for (std::size_t i = atom_columns; i < words.size(); ++i)
      whole(words[i], "image flag", std::numeric_limits<int>::min(),
            std::numeric_limits<int>::max());
    rows_.push_back(row);
  }

  void read_velocity(const std::vector<std::string>& words) {
    if (words.size() != velocity_columns)
      return fault(
          fmt::format("a row of Velocities with columns = {} must have {}: id vx vy vz wx "
                      "wy wz",
                      words.size(), velocity_columns));
    velocities_.push_back({id_in(words[0]), vector(words, 1, {"vx", "vy", "vz"}),
                           vector(words, 4, {"wx", "wy", "wz"}), line_});
  }

  void check_whole() {
    if (atoms_line_ == 0)
      return errors_.add(
          fmt::format("{}: section Atoms is missing: id type diameter density x y z "
                      "of each sphere",
                      path_));
    if (!atoms_)
      errors_.add(fmt::format("{}: the number of atoms is missing in the header: \"{} atoms\"",
                              path_, rows_.size()));
    else if (errors_.empty() && *atoms_ != static_cast<std::int64_t>(rows_.size()))
      errors_.add(
          fmt::format("{}: number of atoms = {} must be that of the rows of Atoms, {}: the "
                      "file is cut short or the header is another's",
                      path_, *atoms_, rows_.size()));
    const std::array<const char*, 3> names = {"xlo xhi", "ylo yhi", "zlo zhi"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!has_bounds_[axis])
        errors_.add(fmt::format("{}: the bounds {} are missing in the header", path_, names[axis]));
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return a.body.id < b.body.id; });
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0 && rows_[i].body.id > 0 && rows_[i].body.id == rows_[i - 1].body.id)
        fault(rows_[i].line, fmt::format("id = {} must be given once: it is in line {} too",
                                         rows_[i].body.id, rows_[i - 1].line));
      if (types_ && rows_[i].type > *types_)
        fault(rows_[i].line, fmt::format("type = {} must be at most the number of atom types, {}",
                                         rows_[i].type, *types_));
    }
    add_velocities();
  }

  void add_velocities() {
    for (const VelocityRow& row : velocities_) {
      if (row.id == 0) continue;
      const auto found = std::lower_bound(rows_.begin(), rows_.end(), row.id,
                                          [](const Row& a, GlobalId id) { return a.body.id < id; });
      if (found == rows_.end() || found->body.id != row.id) {
        fault(row.line, fmt::format("id = {} must be one of Atoms: leave the row out", row.id));
        continue;
      }
      found->body.velocity = row.velocity;
      found->body.angular_velocity = row.angular_velocity;
    }
  }

  LammpsData gathered() {
    for (const Row& row : rows_) {
      data_.bodies.push_back(row.body);
      data_.type.push_back(row.type);
    }
    return std::move(data_);
  }

  std::string path_;
  InputErrors errors_;
  std::size_t line_ = 0, atoms_line_ = 0, velocities_line_ = 0;
  Section section_ = Section::Header;
  std::optional<std::int64_t> atoms_, types_;
  std::array<bool, 3> has_bounds_{};
  std::vector<Row> rows_;
  std::vector<VelocityRow> velocities_;
  LammpsData data_;
};

}  // namespace

LammpsData read_lammps_data(const std::string& path) {
  return Reader(path).read();
}

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
