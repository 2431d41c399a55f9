#pragma once
// What a migration must leave as it was: number, ids and states of all bodies. A fault is told with
// the bodies, where they were and what they touched.

#include "partition/world_share.hpp"

#include <string>
#include <vector>

namespace talus {

class MigrationCheck {
 public:
  /// The world as it is before.
  explicit MigrationCheck(const World& world);

  /// `before`: the bodies that this rank had. Throws MigrationFault, on all ranks the same.
  /// Collective.
  void check(const Communicator& comm, const BodySet& before, const BodySet& after) const;

 private:
  std::string fault(const Communicator& comm, const BodySet& before, const BodySet& after) const;
  std::string words_of(const BodySet& before, Index body) const;

  BodyLedger ledger_;
  std::vector<ContactName> contacts_;
};

}  // namespace talus
