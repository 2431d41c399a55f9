#pragma once
// One maker per kind of problem. docs/generate.md says what each one is.

#include "talus/problem/body_slice.hpp"

#include "generate/settings.hpp"

namespace talus {

BodyProblem make_stack(const GenerateSettings& settings);
BodyProblem make_wall(const GenerateSettings& settings);
BodyProblem make_packing(const GenerateSettings& settings);
/// One of the slices of a packing, without making the others.
BodySlice make_packing_slice(const GenerateSettings& settings, int rank, int ranks);
BodyProblem make_chain(const GenerateSettings& settings);
BodyProblem make_net(const GenerateSettings& settings);

}  // namespace talus
