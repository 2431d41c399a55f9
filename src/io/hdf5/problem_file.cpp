#include "talus/io/problem_file.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "io/hdf5/input_file.hpp"
#include "io/hdf5/layouts.hpp"
#include "io/problem_slice.hpp"
#include "io/report_file.hpp"
#include "problem/body_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace talus {

using io::InputFile;

std::string io::format_of(InputFile& file) {
  std::vector<std::string> found;
  if (file.integer_attribute("/", "talus_problem")) found.emplace_back("native");
  file.errors().throw_if_any();
  for (const char* name :
       {"fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling"})
    if (file.has(std::string("/") + name)) found.emplace_back(name);
  if (found.size() == 1) return found[0];
  if (found.size() > 1)
    throw InputError(fmt::format("{}: holds {} problems, {} and {}; keep one to a file",
                                 file.path(), found.size(), found[0], found[1]));
  std::string children;
  for (const std::string& name : file.children("/")) children += " " + name;
  throw InputError(
      fmt::format("{}: holds no problem: neither the attribute talus_problem nor one of the "
                  "groups fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling; "
                  "found:{}",
                  file.path(), children.empty() ? " nothing" : children));
}

namespace {

std::vector<std::string> solutions_in(const InputFile& file) {
  std::vector<std::string> groups;
  for (const std::string& name : file.children("/"))
    if (name.rfind("solution", 0) == 0 && file.has("/" + name + "/r")) groups.push_back(name);
  for (const std::string& name : file.children("/guesses"))
    if (file.has("/guesses/" + name + "/r")) groups.push_back("guesses/" + name);
  return groups;
}

/// Moves what was read into the answer; what was not read has left its faults behind.
template <class Problem>
void keep(InputFile& file, std::optional<Problem>&& problem, ProblemData& data) {
  file.errors().throw_if_any();
  data = std::move(*problem);
}

}  // namespace

void io::describe(InputFile& file, ProblemFile& result) {
  result.description = file.text("/" + result.format + "/info/description");
  result.solutions = solutions_in(file);
  result.reference_objective = file.real_attribute("/solution_ccp", "objective");
}

bool require_problem_goal(const std::string& path, const std::string& option) {
  require_writable(path, option);
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  if (ignored || size == 0) return false;
  try {
    InputFile file(path);
    io::format_of(file);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{} {}: is there already and will not be replaced, because it is no contact "
                    "problem; give another name ({})",
                    option, path, error.what()));
  }
  return true;
}

ProblemFile read_problem(const std::string& path, const ReadOptions& options) {
  InputFile file(path);
  ProblemFile result;
  result.path = path;
  result.format = io::format_of(file);
  if (result.format == "native")
    keep(file, io::read_native(file), result.data);
  else if (result.format.rfind("fclib_local", 0) == 0)
    keep(file, io::read_fclib_local(file, "/" + result.format), result.data);
  else
    keep(file, io::read_fclib_global(file, "/" + result.format), result.data);

  if (auto* global = std::get_if<GlobalProblem>(&result.data); global && options.recognise_bodies)
    if (std::optional<BodyProblem> bodies = recognise_bodies(*global))
      result.data = std::move(*bodies);

  io::describe(file, result);
  file.errors().throw_if_any();
  return result;
}

bool holds_problem(const std::string& path) {
  InputFile file(path);
  const std::vector<std::string> groups = file.children("/");
  return file.integer_attribute("/", "talus_problem") || !file.errors().empty() ||
         std::any_of(groups.begin(), groups.end(),
                     [](const std::string& name) { return name.rfind("fclib_", 0) == 0; });
}

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
