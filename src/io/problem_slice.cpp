#include "talus/io/problem_slice.hpp"

#include "talus/parallel/agreement.hpp"
#include "talus/parallel/merged_errors.hpp"

#include "io/layouts.hpp"
#include "problem/body_checks.hpp"

namespace talus {
namespace {

/// What this rank finds alone; faults of the entries of a native file are left in `errors`.
SlicedProblem read_share(const std::string& path, const Communicator& comm,
                         const ReadOptions& options, InputErrors& errors) {
  SlicedProblem result;
  {
    io::InputFile file(path);
    result.file.path = path;
    result.file.format = io::format_of(file);
    if (result.file.format == "native") {
      result.bodies = io::read_native_slice(file, comm.rank(), comm.size());
      io::describe(file, result.file);
      errors = file.errors();
      return result;
    }
  }
  result.file = read_problem(path, options);
  if (const auto* whole = std::get_if<BodyProblem>(&result.file.data)) {
    result.bodies = slice_of(*whole, comm.rank(), comm.size());
    result.file.data = BodyProblem{};
  }
  return result;
}

}  // namespace

SlicedProblem read_problem_slice(const std::string& path, const Communicator& comm,
                                 const ReadOptions& options) {
  const Phase phase("reading the problem");
  InputErrors errors;
  SlicedProblem result = agreed(comm, [&] { return read_share(path, comm, options, errors); });
  if (comm.all_agree(result.file.format == "native" && result.bodies.has_value()))
    check(*result.bodies, path, comm, errors);
  throw_merged(comm, errors);
  return result;
}

}  // namespace talus
