#include "partition/partition.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "body_rows.hpp"
#include "core/regular_file.hpp"
#include "curve_cuts.hpp"
#include "mail.hpp"
#include "metis_parts.hpp"
#include "partition/cell_map.hpp"
#include "records.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <numeric>

namespace talus {
namespace {

constexpr std::int64_t body_weight = 3;  // work of a body without rows, in rows

/// A row between two bodies, for the graph.
struct Link {
  GlobalId a = -1, b = -1;
  std::int64_t rows = 0;
};

std::vector<Link> links_of(const BodySlice& slice) {
  std::vector<Link> links;
  const std::int64_t contact_rows = stored_rows_per_contact(slice.data.has_rolling());
  for (std::size_t c = 0; c < slice.contact_a.size(); ++c)
    links.push_back({slice.contact_a[c], slice.contact_b[c], contact_rows});
  for (std::size_t j = 0; j < slice.joint_a.size(); ++j)
    links.push_back({slice.joint_a[j], slice.joint_b[j], 1});
  return links;
}

/// Everything that partitions share: which bodies of the slice bind their rows together, and
/// how much work they are.
class Partitioner {
 public:
  Partitioner(const Communicator& comm, const BodySlice& slice, const PartitionOptions& options)
      : comm_(comm),
        slice_(slice),
        options_(options),
        range_(slice_range(slice.total_bodies, comm.rank(), comm.size())),
        links_(links_of(slice)) {
    weigh();
  }

  std::vector<int> owners() {
    switch (options_.kind) {
      case PartitionKind::Random:
        return random();
      case PartitionKind::File:
        return agreed(comm_, [this] { return from_file(); });
      case PartitionKind::Blocks:
        return cut_along(order_keys());
      case PartitionKind::Hilbert:
        return cut_along(hilbert_keys());
      case PartitionKind::Metis:
        break;
    }
    return slice_.total_bodies <= options_.most_bodies_in_graph ? metis_on_bodies()
                                                                : metis_on_cells();
  }

 private:
  /// Weight of a body: its rows and something for itself. One that nothing moves has none, and a
  /// hub has none either: its rows are work of the other body's owner.
  void weigh() {
    weight_ = rows_of_bodies(comm_, slice_);
    for (const Binding binding : bindings_of_bodies(slice_, weight_))
      binds_.push_back(binding == Binding::Owned ? 1 : 0);
    for (std::size_t i = 0; i < weight_.size(); ++i)
      weight_[i] = binds_[i] != 0 ? weight_[i] + body_weight : 1;
  }

  std::vector<int> random() const {
    std::vector<int> owner;
    for (const GlobalId id : slice_.data.body_id)
      owner.push_back(random_owner(id, options_.seed, comm_.size()));
    return owner;
  }

  std::vector<int> from_file() const {
    std::ifstream file =
        readable_stream(options_.path, "give --partition a file with one rank per line");
    std::vector<int> owner;
    std::string line;
    for (GlobalId place = 0; std::getline(file, line); ++place) {
      int rank = -1;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), rank);
      if (error != std::errc() || end != line.data() + line.size() || rank < 0 ||
          rank >= comm_.size())
        throw InputError(fmt::format("{}:{}: '{}' is no rank from 0 to {}", options_.path,
                                     place + 1, line, comm_.size() - 1));
      if (range_.first <= place && place < range_.last) owner.push_back(rank);
      if (place >= slice_.total_bodies)
        throw InputError(fmt::format("{}: has more lines than the problem has bodies ({})",
                                     options_.path, slice_.total_bodies));
    }
    if (owner.size() != binds_.size())
      throw InputError(fmt::format("{}: has fewer lines than the problem has bodies ({})",
                                   options_.path, slice_.total_bodies));
    return owner;
  }

  std::vector<std::uint64_t> order_keys() const {
    std::vector<std::uint64_t> keys(binds_.size());
    std::iota(keys.begin(), keys.end(), static_cast<std::uint64_t>(range_.first));
    return keys;
  }

  /// Key of the cell of each body: cells of a cube around all bodies that move.
  std::vector<std::uint64_t> hilbert_keys() const {
    std::array<double, 3> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
    const auto component = [&](std::size_t i) {
      const Vec3& c = slice_.data.centre[i];
      return std::array<double, 3>{c.x, c.y, c.z};
    };
    for (std::size_t i = 0; i < binds_.size(); ++i)
      for (std::size_t k = 0; k < 3 && binds_[i] != 0; ++k) {
        low[k] = std::min(low[k], component(i)[k]);
        high[k] = std::max(high[k], component(i)[k]);
      }
    comm_.smallest(low);
    comm_.largest(high);
    double width = 0.0;
    for (std::size_t k = 0; k < 3; ++k) width = std::max(width, high[k] - low[k]);
    const CellCube cube{{low[0], low[1], low[2]}, width};
    std::vector<std::uint64_t> keys;
    for (const Vec3& centre : slice_.data.centre) keys.push_back(cube.key(centre));
    return keys;
  }

  std::vector<int> cut_along(const std::vector<std::uint64_t>& keys) const {
    const std::vector<std::uint64_t> cuts = curve_cuts(comm_, keys, weight_, comm_.size());
    std::vector<int> owner;
    for (const std::uint64_t key : keys) owner.push_back(piece_of(cuts, key));
    return owner;
  }

  /// The graph on rank 0, cut there; the part of every vertex, everywhere.
  std::vector<int> cut_graph(const std::vector<WeightedEdge>& my_edges,
                             const std::vector<std::int64_t>& weights) const {
    const std::vector<WeightedEdge> edges = gathered(comm_, my_edges);
    return made_on_first(comm_,
                         [&] { return metis_parts(make_graph(weights, edges), comm_.size()); });
  }

  std::vector<int> metis_on_bodies() const {
    const std::vector<std::int64_t> weights = gathered(comm_, weight_);
    // Bodies that nothing moves, and hubs, bind nothing together: their rows are no edges.
    std::vector<GlobalId> places;
    for (const Link& link : links_) places.insert(places.end(), {link.a, link.b});
    const auto binds =
        ask_slices<char>(comm_, slice_.total_bodies, distinct_places(std::move(places)),
                         [&](GlobalId place) { return binds_[place - range_.first]; });
    std::vector<WeightedEdge> edges;
    for (const Link& link : links_)
      if (link.a >= 0 && link.b >= 0 && binds.at(link.a) != 0 && binds.at(link.b) != 0)
        edges.push_back({link.a, link.b, link.rows});
    const std::vector<int> part = cut_graph(edges, weights);
    return {part.begin() + range_.first, part.begin() + range_.last};
  }

  struct CellOfBody {
    std::int32_t cell = 0, binds = 0;
  };

  std::vector<int> metis_on_cells() const {
    const std::vector<std::uint64_t> keys = hilbert_keys();
    const int cells = BalanceOptions{}.cells_per_rank * comm_.size();
    const std::vector<std::uint64_t> cuts = curve_cuts(comm_, keys, weight_, cells);
    std::vector<std::int64_t> weights(static_cast<std::size_t>(cells), 0);
    std::vector<std::int32_t> cell;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      cell.push_back(piece_of(cuts, keys[i]));
      weights[cell.back()] += weight_[i];
    }
    comm_.sum(weights);
    std::vector<GlobalId> places;
    for (const Link& link : links_) places.insert(places.end(), {link.a, link.b});
    const auto cell_of = ask_slices<CellOfBody>(
        comm_, slice_.total_bodies, distinct_places(std::move(places)), [&](GlobalId place) {
          const auto i = static_cast<std::size_t>(place - range_.first);
          return CellOfBody{cell[i], binds_[i]};
        });
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> rows;
    for (const Link& link : links_) {
      if (link.a < 0 || link.b < 0) continue;
      const CellOfBody a = cell_of.at(link.a), b = cell_of.at(link.b);
      if (a.binds != 0 && b.binds != 0 && a.cell != b.cell)
        rows[std::minmax<std::int64_t>(a.cell, b.cell)] += link.rows;
    }
    std::vector<WeightedEdge> edges;
    for (const auto& [pair, weight] : rows) edges.push_back({pair.first, pair.second, weight});
    const std::vector<int> part = cut_graph(edges, weights);
    std::vector<int> owner;
    for (const std::int32_t c : cell) owner.push_back(part[c]);
    return owner;
  }

  const Communicator& comm_;
  const BodySlice& slice_;
  const PartitionOptions& options_;
  SliceRange range_;
  std::vector<Link> links_;
  std::vector<char> binds_;
  std::vector<std::int64_t> weight_;
};

}  // namespace

PartitionOptions parse_partition(const std::string& text) {
  PartitionOptions options;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  static const std::vector<std::string> kinds{"metis", "hilbert", "blocks", "random", "file"};
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  if (found == kinds.end())
    throw InputError(
        fmt::format("--partition {}: {}known are metis, hilbert, blocks, random:SEED, file:PATH",
                    text, did_you_mean(kind, kinds)));
  options.kind = static_cast<PartitionKind>(found - kinds.begin());
  if (options.kind == PartitionKind::File) {
    options.path = rest;
    if (rest.empty()) throw InputError("--partition file: needs a path: file:PATH");
  } else if (options.kind == PartitionKind::Random && colon != std::string::npos) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), options.seed);
    if (error != std::errc() || end != rest.data() + rest.size())
      throw InputError(
          fmt::format("--partition {}: '{}' is no seed: give a whole number", text, rest));
  } else if (colon != std::string::npos) {
    throw InputError(fmt::format("--partition {}: {} takes nothing after a colon", text, kind));
  }
  return options;
}

std::vector<int> partition_bodies(const Communicator& comm, const BodySlice& slice,
                                  const PartitionOptions& options) {
  const Phase phase("partitioning");
  return Partitioner(comm, slice, options).owners();
}

std::string partition_text(const Communicator& comm, const std::vector<int>& owner) {
  std::string text;
  for (const Bytes& bytes : comm.gather(to_bytes(owner), 0))
    for (const int rank : from_bytes<int>(bytes)) text += fmt::format("{}\n", rank);
  return text;
}

PartitionQuality quality_of(const Communicator& comm, const BodyPart& part) {
  const std::int64_t per_contact = part.data.has_rolling() ? 6 : 3;
  const std::int64_t owned = per_contact * part.owned_contacts + part.owned_joint_rows;
  const std::int64_t all = owned + per_contact * part.mirrored_contacts + part.mirrored_joint_rows;
  std::array<std::int64_t, 5> sums{owned, all - owned, part.boundary_bodies, part.owned_bodies,
                                   all + body_weight * part.owned_bodies};
  std::array<double, 2> most{static_cast<double>(sums[4]),
                             static_cast<double>(part.neighbours.size())};
  comm.sum(sums);
  comm.largest(most);
  PartitionQuality quality;
  quality.cut_rows = sums[1];
  const auto ratio = [](double a, double b) { return b > 0.0 ? a / b : 0.0; };
  quality.mirrored_share = ratio(static_cast<double>(sums[1]), static_cast<double>(sums[0]));
  quality.boundary_share = ratio(static_cast<double>(sums[2]), static_cast<double>(sums[3]));
  quality.imbalance = ratio(most[0] * comm.size(), static_cast<double>(sums[4]));
  quality.most_neighbours = static_cast<Index>(most[1]);
  return quality;
}

}  // namespace talus
