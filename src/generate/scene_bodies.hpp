#pragma once
// Bodies that generators of a scene make. The same for any ranks and threads: numbers are drawn by
// (seed, number of the body), never in turn.

#include "talus/model/scene.hpp"

#include <functional>
#include <string>
#include <vector>

namespace talus {

/// Bodies of one generator at t = 0 (none of a stream). Ids count from `first_id`. Those that are
/// imported keep size, mass, pose; the generator's velocities are added to theirs; group and
/// (unless they keep theirs) shape and material are the generator's. Others have the mass that
/// density and shape say. Random places and packings keep apart the spheres that hold the shapes.
/// Throws InputError with the generator's place where it cannot do what is asked: a region that is
/// full, a solid fraction that cannot be reached.
std::vector<NewBody> generate_bodies(const Generator& generator, const World& world,
                                     GlobalId first_id, GeneratorReport& report);
/// The same, but only the bodies of one rank's slice (slice_range()) of them are made; places and
/// sizes, 32 bytes each, are found for all for a while. The report is of all.
std::vector<NewBody> generate_slice(const Generator& generator, const World& world,
                                    GlobalId first_id, int rank, int ranks,
                                    GeneratorReport& report);

/// Bodies that a stream lets in during the step [t, t + h], none of which overlaps bodies of the
/// world (those that would are kept for later steps: mass that is owed is carried on). They come in
/// in the order of their numbers: one that finds no place holds up the others, so that sizes are
/// those of the distribution. Whole bodies lie in the region; along a way that is too short for
/// one, its centre is in the middle. Throws where generate_bodies would.
/// From the bodies of one rank those of all, in the order of ids. Collective.
using GatherBodies = std::function<std::vector<StoredBody>(const std::vector<StoredBody>&)>;
/// All ranks get the same, and all call it: `gather` is called on all of them or on none.
std::vector<NewBody> stream_bodies(const Generator& generator, const World& world, double h,
                                   GlobalId first_id, StreamState& state,
                                   const GatherBodies& gather);

}  // namespace talus
