#pragma once
// How many rows the bodies of a slice have, from the rows of all slices.

#include "talus/parallel/communicator.hpp"

#include "partition/distribute.hpp"

#include <vector>

namespace talus {

/// Rows (scalar constraints) on each body of this rank's slice. Collective.
std::vector<std::int64_t> rows_of_bodies(const Communicator& comm, const BodySlice& slice);

/// What a body of a slice is to its rows; a row goes where the body that binds it more is owned.
enum class Binding : std::int32_t {
  World = -1,
  Still = 0,  ///< nothing moves it: its rows need not know each other
  Wide = 1,   ///< every rank has it: its rows may be anywhere
  Owned = 2   ///< its rows are all on the rank that owns it
};

/// Of each body of the slice, which have so many rows.
std::vector<Binding> bindings_of_bodies(const BodySlice& slice,
                                        const std::vector<std::int64_t>& rows);

}  // namespace talus
