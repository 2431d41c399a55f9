#pragma once
// The world on many ranks: who owns which body, who has a copy of which, and what travels between
// steps. On one rank all of it is nothing to do. docs/decisions/027.

#include "talus/model/world.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/parallel/communicator.hpp"

#include "parallel/halo.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace talus {

/// Owner of a body that is not everywhere, by its id and place; the same on all ranks.
using OwnerOf = std::function<int(GlobalId, const Vec3&)>;

/// A body that travels has been lost, doubled or changed: names the ids. All ranks know.
class MigrationFault : public AgreedFailure {
 public:
  using AgreedFailure::AgreedFailure;
};

/// Whose partners come along as ghosts, wherever they are.
enum class Partners : std::uint8_t {
  OfJoints,
  OfJointsAndContacts  ///< of the last step, which are asked for before the next search
};

class WorldShare {
 public:
  /// Bodies of larger reach (m) are stored everywhere.
  explicit WorldShare(Communicator comm) : comm_(std::move(comm)) {}

  double large_reach = infinity;
  bool rolling = false;  ///< contacts have torques

  /// Bodies that do not move, are infinite or large or have been hubs are stored everywhere.
  Residence residence_of(const BodySet& bodies, Index body) const;
  /// Of a new body.
  Residence residence_of(Motion motion, double reach) const;

  /// Contacts of a file, of which this rank has any: each goes to the ranks that own its bodies
  /// now, slices of all in the order of ids (state_slice()). Before they migrate. Collective.
  void take_contacts(World& world, const std::vector<StoredContact>& slice) const;

  /// Every body goes to its owner, with its contacts of the last step, what its joints remember and
  /// what is pushed; ghosts are gone. One message to every rank that gets something. Checks that no
  /// body is lost. Returns how many bodies this rank has given away. Collective.
  std::int64_t migrate(World& world, const OwnerOf& owner_of);

  /// Fetches the bodies that this rank needs beside its own: those whose `bounds` (of owned bodies,
  /// enlarged by what they may move until the next call) meet those of an owned body that moves,
  /// and partners. Collective.
  void find_ghosts(World& world, const std::vector<Bounds>& bounds,
                   Partners partners = Partners::OfJoints);

  /// Ghosts, and bodies that are everywhere, as their owners have them now. `shifts`: per body,
  /// those of owned bodies given. One message to and from every neighbour. Collective.
  void refresh(World& world, std::vector<Shift>& shifts);

  /// Rows of bodies that are everywhere, added over the ranks, and marks of all bodies that have
  /// more than one rank keeps. True where some of them were not everywhere: they are to be from now
  /// on (migrate, and count again). `riders`: numbers of the caller, of which the largest of all
  /// ranks travel along. Collective: one reduction.
  bool find_hubs(World& world, std::vector<std::int64_t>& rows, std::vector<std::uint8_t>& hub,
                 std::span<double> riders);

  /// Contacts of a body that is everywhere and not a hub go to its owner, with their other bodies
  /// as late ghosts. Collective.
  void send_contacts(World& world, const std::vector<std::uint8_t>& hub);
  /// Takes the late ghosts and their contacts away.
  void drop_late(World& world);

  /// What only their owners know of joints of bodies that are everywhere, and of contacts between
  /// two such bodies. After the joints are updated. Collective.
  void share_rows_of_everywhere(World& world, const std::vector<std::uint8_t>& hub);

  /// What every joint remembers, to all ranks. Collective.
  void gather_joints(World& world, const std::vector<std::uint8_t>& hub);

  /// Momenta, or what else is 6 numbers per body of the world, of ghosts and of bodies that are
  /// everywhere from their owners. Collective.
  void share_momenta(const World& world, std::vector<Vec6>& momenta);

  /// What is pushed, of ghosts and of bodies that are everywhere, from their owners. While there
  /// are no late ghosts. Collective.
  void share_pushed(World& world);

  std::int64_t ghost_count() const { return ghosts_; }
  /// Whether some body that moves is everywhere.
  static bool replicates_moving(const World& world);

 private:
  void send_partners(const World& world, std::vector<std::vector<Index>>& to) const;
  void send_partners_in_contacts(const World& world, std::vector<std::vector<Index>>& to) const;

  Communicator comm_;
  std::vector<HaloNeighbour> neighbours_;  ///< of ghosts
  std::shared_ptr<Halo> states_, momenta_;
  std::vector<double> numbers_;                          ///< that travel
  std::vector<std::vector<Index>> late_to_, late_from_;  ///< per rank; empty: no late ghosts at all
  std::vector<GlobalId> hub_from_now_;                   ///< of this rank, until it migrates
  std::int64_t ghosts_ = 0;
};

/// Of what must be the same before and after: number, ids and states of bodies.
struct BodyLedger {
  std::int64_t count = 0;
  std::uint64_t ids = 0, states = 0;
};
BodyLedger ledger_of(const BodySet& bodies);

}  // namespace talus
