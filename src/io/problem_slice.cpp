#include "talus/io/problem_slice.hpp"

#include "talus/parallel/agreement.hpp"

#include "io/file_sample.hpp"
#include "io/layouts.hpp"
#include "problem/body_checks.hpp"

#include <fmt/format.h>

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

/// Each rank opens the file by its own path, and reads a part of it: copies that are not alike
/// would make a problem that nobody has.
void require_same_file(const std::string& path, const Communicator& comm) {
  const io::FileSample mine = agreed(comm, [&] { return io::sample_of(path); });
  Bytes bytes = to_bytes(std::vector<io::FileSample>{mine});
  comm.broadcast(bytes, 0);
  const io::FileSample first = from_bytes<io::FileSample>(bytes).front();
  agree(comm, [&] {
    if (mine.size != first.size || mine.hash != first.hash)
      throw InputError(fmt::format(
          "{}: rank {} sees another file ({} bytes) than rank 0 ({} bytes): put one file where all "
          "ranks reach it, or the same copy on every machine",
          path, comm.rank(), mine.size, first.size));
  });
}

}  // namespace

SlicedProblem read_problem_slice(const std::string& path, const Communicator& comm,
                                 const ReadOptions& options) {
  const Phase phase("reading the problem");
  InputErrors errors;
  SlicedProblem result;
  if (comm.size() > 1) {
    agree(comm, [&] { io::InputFile file(path); });  // is there, and is HDF5
    require_same_file(path, comm);
  }
  result = agreed(comm, [&] { return read_share(path, comm, options, errors); });
  if (comm.all_agree(result.file.format == "native" && result.bodies.has_value()))
    check(*result.bodies, path, comm, errors);
  throw_merged(comm, errors);
  return result;
}

}  // namespace talus
