#include "talus/generate/generate.hpp"

#include "talus/core/arithmetic.hpp"
#include "talus/core/error.hpp"

#include "generate/kinds.hpp"

#include <fmt/format.h>

namespace talus {
namespace {

BodyProblem made(const GenerateSettings& settings) {
  if (settings.kind == "stack") return make_stack(settings);
  if (settings.kind == "wall") return make_wall(settings);
  if (settings.kind == "packing") return make_packing(settings);
  if (settings.kind == "chain") return make_chain(settings);
  TALUS_ASSERT(settings.kind == "net");
  return make_net(settings);
}

}  // namespace

BodyProblem generate(const GenerateOptions& options) {
  const StandardArithmetic arithmetic;
  const GenerateSettings settings = settled(options);
  BodyProblem problem = made(settings);
  problem.time_step = settings.step;
  return problem;
}

BodySlice generate_slice(const GenerateOptions& options, int rank, int ranks) {
  const GenerateSettings settings = settled(options);
  if (settings.kind == "packing") return make_packing_slice(settings, rank, ranks);
  return slice_of(generate(options), rank, ranks);
}

}  // namespace talus
