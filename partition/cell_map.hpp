#pragma once
// Which rank owns which body of a scene that runs: a map of all space to ranks, so that a body that
// moves or comes has its owner at once, without a message. Why: docs/decisions/025.

#include "talus/core/types.hpp"
#include "talus/parallel/communicator.hpp"
#include "talus/partition/balance_options.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace talus {

/// A cube of 2^20 cells per axis, with a Hilbert curve through them.
struct CellCube {
  Vec3 low;
  double width = 0.0;  ///< m; 0: everything is in one cell

  /// Place on the curve, below 2^60. What is outside belongs to the nearest cell.
  std::uint64_t key(const Vec3& position) const;
};

/// The owner of every place. The same on all ranks.
class CellMap {
 public:
  /// Everything belongs to rank 0.
  CellMap() = default;
  /// By the id alone.
  static CellMap random(std::uint64_t seed, int ranks);
  /// Piece i of the curve through `cube`, up to the key cuts[i], belongs to owner[i]; cuts ascend.
  CellMap(OwnerKind kind, const CellCube& cube, std::vector<std::uint64_t> cuts,
          std::vector<int> owner);

  /// One key of the curve and a bisection. A position that is not a number belongs to rank 0.
  int owner_of(GlobalId id, const Vec3& position) const;

  /// How it came about: Hilbert where METIS was wanted and had no better cut.
  OwnerKind kind() const { return kind_; }
  const CellCube& cube() const { return cube_; }
  int piece_count() const { return static_cast<int>(owner_.size()); }
  friend bool operator==(const CellMap& a, const CellMap& b);

 private:
  OwnerKind kind_ = OwnerKind::Hilbert;
  CellCube cube_;
  std::vector<std::uint64_t> cuts_;
  std::vector<int> owner_{0};  // one more than cuts
  std::uint64_t seed_ = 0;     // of Random,
  int ranks_ = 1;              // and among how many
};

/// Two bodies that should have one owner: a contact or joint, or a pair of neighbours that may
/// soon touch. Each is given once, by the rank that owns it, with positions as the owners of the
/// bodies have them (not the images of a periodic axis).
struct BodyLink {
  Vec3 a, b;
  std::int64_t rows = 1;
};

/// The bodies that this rank owns and the links that it owns. Bodies that nothing moves and hub
/// ones, which all ranks have, are left out, and so are their links.
struct BodyLoad {
  std::span<const GlobalId> id;
  std::span<const Vec3> position;
  std::span<const std::int64_t> weight;  ///< at least 1; their sum over all ranks below 2^60
  std::span<const BodyLink> links;
};

/// Ranks of about equal weight and few rows between them. `before` is the map by which the bodies
/// are owned now, or null: parts get the ranks that have most of their bodies now, and of two cuts
/// that are about as good the one that moves less is taken. The same answer for the same bodies,
/// links and `before`, whoever owns the bodies. Collective.
CellMap make_cell_map(const Communicator& comm, const BodyLoad& load, const BalanceOptions& options,
                      const CellMap* before);
/// The same for so many ranks, of which those that work it out need not be as many: one alone has
/// the map that all of them would make.
CellMap make_cell_map(const Communicator& comm, const BodyLoad& load, const BalanceOptions& options,
                      const CellMap* before, int ranks);

}  // namespace talus
