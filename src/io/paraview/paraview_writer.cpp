#include "io/paraview_writer.hpp"

#include "talus/parallel/agreement.hpp"

#include "io/hdf5/field_table.hpp"
#include "io/paraview/paraview_tables.hpp"
#include "io/paraview/surfaces.hpp"
#include "io/paraview/vtk_file.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace talus {
namespace {

namespace fs = std::filesystem;
using io::FieldTable;
using io::PolyData;

/// Each extent on its own grid, so that planes do not change with every body that moves.
Bounds on_grid(Bounds bounds) {
  const Vec3 size = bounds.high - bounds.low;
  const double largest = std::max({size.x, size.y, size.z, 1e-9});
  const double unit = std::exp2(std::floor(std::log2(largest))) / 4.0;
  const auto out = [&](double& low, double& high) {
    low = unit * std::floor(low / unit);
    high = unit * std::ceil(high / unit);
  };
  out(bounds.low.x, bounds.high.x);
  out(bounds.low.y, bounds.high.y);
  out(bounds.low.z, bounds.high.z);
  return bounds;
}

/// Where planes are drawn: the domain, or where it has no border, as far as there are bodies.
/// Collective.
Bounds extents_of(const World& world, const Communicator& comm) {
  constexpr double none = infinity;
  std::array<double, 3> low{none, none, none}, high{-none, -none, -none};
  const BodySet& bodies = world.bodies;
  for (std::size_t b = 0; b < static_cast<std::size_t>(bodies.owned); ++b) {
    if (!std::isfinite(bodies.reach[b])) continue;
    const std::array<double, 3> x{bodies.position[b].x, bodies.position[b].y, bodies.position[b].z};
    for (std::size_t k = 0; k < x.size(); ++k) {
      low[k] = std::min(low[k], x[k] - bodies.reach[b]);
      high[k] = std::max(high[k], x[k] + bodies.reach[b]);
    }
  }
  comm.smallest(low);
  comm.largest(high);
  Bounds bounds{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  if (!(low[0] <= high[0])) bounds = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
  bounds = on_grid(bounds);
  const auto limit = [](double& own, double of_domain) {
    if (std::isfinite(of_domain)) own = of_domain;
  };
  const Domain& domain = world.domain;
  limit(bounds.low.x, domain.low.x), limit(bounds.high.x, domain.high.x);
  limit(bounds.low.y, domain.low.y), limit(bounds.high.y, domain.high.y);
  limit(bounds.low.z, domain.low.z), limit(bounds.high.z, domain.high.z);
  return bounds;
}

/// Rows of the table are vertices or lines: the first field are their points, the others are
/// numbers of each.
PolyData rows_of(io::SharedTable table) {
  PolyData data;
  std::vector<io::Field>& fields = table.mine.fields;
  const std::int64_t each = fields.front().components / 3;
  data.part = {table.share, each};
  data.points = std::move(std::get<std::vector<double>>(fields.front().values));
  // a vertex for each point: filters that choose, choose cells
  io::Cells& cells = each == 1 ? data.vertices : data.lines;
  const auto rows = static_cast<std::int64_t>(table.mine.rows());
  cells.connectivity.resize(static_cast<std::size_t>(each * rows));
  std::iota(cells.connectivity.begin(), cells.connectivity.end(), each * table.share.before);
  cells.offsets.resize(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row)
    cells.offsets[row] = each * (table.share.before + row + 1);
  std::vector<io::Field>& numbers = each == 1 ? data.point_data : data.cell_data;
  numbers.assign(std::make_move_iterator(fields.begin() + 1),
                 std::make_move_iterator(fields.end()));
  return data;
}

/// Of all ranks but the collectors, to the files that these have made, whose names each end with 0.
/// Collective.
void add_rows(const Communicator& comm, int ranks_per_file, const std::vector<io::VtpFile>& files,
              const std::string& made) {
  const int rank = comm.rank(), of = io::collector(rank, ranks_per_file);
  std::vector<Bytes> to_each(static_cast<std::size_t>(comm.size()));
  if (rank == of)
    for (int r = rank + 1; r < std::min(rank + ranks_per_file, comm.size()); ++r)
      to_each[r] = to_bytes(std::span<const char>(made));
  const std::vector<Bytes> all = comm.all_to_all(to_each);
  agree(comm, [&] {
    if (rank == of) return;
    const auto names = from_bytes<char>(all[of]);
    auto name = names.begin();
    for (const io::VtpFile& file : files) {
      const auto end = std::find(name, names.end(), '\0');
      file.add_to(std::string(name, end));
      name = end + 1;
    }
  });
}

/// What the numbers of fields stand for.
std::string legend(const World& world) {
  using Json = nlohmann::ordered_json;
  Json materials = Json::array();
  for (const Material& material : world.materials.materials()) materials.push_back(material.name);
  const Json json = {{"material", materials},
                     {"group", world.groups},
                     {"shape", {"sphere", "box", "plane", "compound", "mesh"}},
                     {"motion", {"dynamic", "fixed", "kinematic"}},
                     {"state", {"open", "stick", "slide"}}};
  return json.dump(2) + "\n";
}

}  // namespace

struct ParaViewWriter::List {
  std::vector<io::TimedFile> files;
};

/// One frame in the making.
struct ParaViewWriter::Frame {
  std::vector<PolyData> data;         ///< by part; of ranks that collect
  std::vector<std::uint64_t> hash;    ///< by part: of this rank's data
  std::vector<std::int64_t> points;   ///< by group and part, of all
  std::vector<std::int64_t> changed;  ///< by part: on how many ranks

  std::int64_t points_of(int group, std::size_t part) const {
    return points[static_cast<std::size_t>(group) * data.size() + part];
  }
};

ParaViewWriter::ParaViewWriter(std::string folder, ParaViewSettings settings,
                               const Communicator& comm)
    : folder_(std::move(folder)),
      settings_(std::move(settings)),
      comm_(comm),
      parts_(settings_.parts.size()),
      list_(std::make_unique<List>()) {}

ParaViewWriter::~ParaViewWriter() = default;

int ParaViewWriter::groups() const {
  return (comm_.size() + settings_.ranks_per_file - 1) / settings_.ranks_per_file;
}

/// As a rule: walls are written again only where they have changed.
bool ParaViewWriter::stays(std::size_t part) const {
  return settings_.parts[part] == "walls";
}

bool ParaViewWriter::collects() const {
  return io::collector(comm_.rank(), settings_.ranks_per_file) == comm_.rank();
}

void ParaViewWriter::collect(const World& world, const ContactForces& forces, Frame& frame) const {
  const auto wants = [&](const char* part) {
    return std::find(settings_.parts.begin(), settings_.parts.end(), part) != settings_.parts.end();
  };
  const bool surfaces = wants("walls") || wants("surfaces");
  std::vector<FieldTable> rows(3);
  if (wants("bodies")) rows[0] = io::body_table(world, settings_.bodies, comm_.rank());
  if (wants("contacts")) rows[1] = io::contact_table(world, forces, settings_.contacts);
  if (wants("joints")) rows[2] = io::joint_table(world);
  std::vector<io::SharedTable> shared =
      io::shared_out(comm_, settings_.ranks_per_file, std::move(rows));
  std::vector<FieldTable> drawn(1);
  if (surfaces) drawn[0] = io::surface_table(world);
  const Bounds extents = surfaces ? extents_of(world, comm_) : Bounds{};
  drawn = io::collected(comm_, settings_.ranks_per_file, std::move(drawn));
  for (const std::string& part : settings_.parts) {
    PolyData& data = frame.data.emplace_back();
    if (part == "bodies") data = rows_of(std::move(shared[0]));
    if (part == "contacts") data = rows_of(std::move(shared[1]));
    if (part == "joints") data = rows_of(std::move(shared[2]));
    if (collects() && (part == "walls" || part == "surfaces"))
      data = io::surfaces_of(drawn[0], world.shapes, extents, part == "walls");
  }
}

/// What all must know: where there is something, and what is as in the last frame.
void ParaViewWriter::compare(Frame& frame) const {
  const std::size_t parts = parts_.size();
  frame.points.assign(static_cast<std::size_t>(groups()) * parts, 0);
  frame.changed.assign(parts, 0);
  frame.hash.assign(parts, 0);
  if (collects()) {
    const auto group = static_cast<std::size_t>(comm_.rank() / settings_.ranks_per_file);
    for (std::size_t part = 0; part < parts; ++part) {
      frame.points[group * parts + part] = frame.data[part].point_count();
      if (stays(part)) frame.hash[part] = frame.data[part].hash();
      const bool same =
          stays(part) && !parts_[part].file.empty() && parts_[part].hash == frame.hash[part];
      frame.changed[part] = same ? 0 : 1;
    }
  }
  comm_.sum(frame.points);
  comm_.sum(frame.changed);
}

std::string ParaViewWriter::name_of(const World& world, std::size_t part, int group) const {
  return group < 0 ? fmt::format("{}_{:09}", settings_.parts[part], world.step)
                   : fmt::format("{}_{:09}_{:04}", settings_.parts[part], world.step, group);
}

void ParaViewWriter::write_pieces(const World& world, const Frame& frame) const {
  const int group = comm_.rank() / settings_.ranks_per_file;
  std::vector<io::VtpFile> files;
  std::string made;  // names of what the collector shares, each ends with 0
  agree(comm_, [&] {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      // without rows there is still a file, but only one
      if (frame.changed[part] == 0 || (group > 0 && frame.points_of(group, part) == 0)) continue;
      const std::string name = name_of(world, part, groups() > 1 ? group : -1);
      const std::optional<double> time =
          stays(part) ? std::nullopt : std::optional<double>(world.time);
      if (!collects() && !frame.data[part].part) continue;
      files.emplace_back((fs::path(folder_) / (name + ".vtp")).string(), frame.data[part], time);
      if (!collects()) continue;
      const std::string& beside = files.back().create();
      if (frame.data[part].part) made += beside + '\0';
    }
  });
  if (comm_.size() > 1 && settings_.ranks_per_file > 1)
    add_rows(comm_, settings_.ranks_per_file, files, made);
  agree(comm_, [&] {
    if (!collects()) return;
    for (io::VtpFile& file : files) file.take_place();
  });
}

void ParaViewWriter::write_lists(const World& world, const Frame& frame) {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (frame.changed[part] > 0) {
      parts_[part].file = name_of(world, part, -1) + (groups() > 1 ? ".pvtp" : ".vtp");
      parts_[part].hash = frame.hash[part];
      std::vector<std::string> pieces;
      for (int group = 0; group < groups(); ++group)
        if (frame.points_of(group, part) > 0)
          pieces.push_back(name_of(world, part, group) + ".vtp");
      if (pieces.empty()) pieces.push_back(name_of(world, part, 0) + ".vtp");
      if (groups() > 1 && comm_.rank() == 0)
        io::write_pvtp((fs::path(folder_) / parts_[part].file).string(), frame.data[part], pieces);
    }
    list_->files.push_back(
        {world.time, static_cast<int>(part), settings_.parts[part], parts_[part].file});
  }
  if (comm_.rank() == 0) write_collections();
}

void ParaViewWriter::write_collections() const {
  io::write_pvd((fs::path(folder_) / "run.pvd").string(), list_->files);
  for (const std::string& part : settings_.parts) {
    std::vector<io::TimedFile> of_part;
    for (const io::TimedFile& file : list_->files)
      if (file.name == part) of_part.push_back({file.time, 0, file.name, file.file});
    io::write_pvd((fs::path(folder_) / (part + ".pvd")).string(), of_part);
  }
}

void ParaViewWriter::write(const World& world, const ContactForces& forces) {
  const Phase phase("output for ParaView");
  Frame frame;
  collect(world, forces, frame);
  compare(frame);
  if (!begun_)
    agree(comm_, [&] {
      if (comm_.rank() != 0) return;
      fs::create_directory(folder_);  // not the run's, which somebody may have removed
      write_text((fs::path(folder_) / "legend.json").string(), legend(world));
    });
  begun_ = true;
  write_pieces(world, frame);
  agree(comm_, [&] { write_lists(world, frame); });
}

/// With their pieces, but for those that frames before have, too.
void ParaViewWriter::remove_files_of(const List& dropped) const {
  std::set<std::string> kept, gone;
  for (const io::TimedFile& file : list_->files) kept.insert(fs::path(file.file).stem().string());
  for (const io::TimedFile& file : dropped.files) {
    const std::string stem = fs::path(file.file).stem().string();
    if (kept.count(stem) == 0) gone.insert(stem);
  }
  std::vector<fs::path> paths;
  std::error_code none;
  for (fs::directory_iterator at(folder_, none), end; !none && at != end; at.increment(none)) {
    const std::string stem = at->path().stem().string();  // PART_STEP or PART_STEP_GROUP
    const std::size_t step = stem.find('_');
    if (step != std::string::npos && gone.count(stem.substr(0, stem.find('_', step + 1))) > 0)
      paths.push_back(at->path());
  }
  for (const fs::path& path : paths) fs::remove(path, none);
}

std::string ParaViewWriter::go_on_from(double time) {
  std::string damage;
  agree(comm_, [&] {
    if (comm_.rank() != 0) return;
    std::vector<io::TimedFile> files;
    try {
      files = io::read_pvd((fs::path(folder_) / "run.pvd").string());
    } catch (const std::exception& error) {  // a power failure: it is not synced
      damage =
          fmt::format("{}: frames up to now are still there, but the new list does not name them",
                      error.what());
    }
    List dropped;
    for (io::TimedFile& file : files)
      (file.time > time ? dropped : *list_).files.push_back(std::move(file));
    if (dropped.files.empty()) return;
    write_collections();  // first: they never name what is not there
    remove_files_of(dropped);
  });
  return damage;
}

}  // namespace talus
