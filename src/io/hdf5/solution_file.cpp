#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "io/hdf5/input_file.hpp"
#include "io/output_file.hpp"
#include "io/problem_slice.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace talus {
namespace {

using io::SharedOutput;

/// The same contacts with so many rows each; rows that are new hold zero.
std::vector<double> with_rows(const std::vector<double>& values, std::size_t before,
                              std::size_t after) {
  const std::size_t contacts = values.size() / before;
  std::vector<double> changed(contacts * after, 0.0);
  for (std::size_t c = 0; c < contacts; ++c)
    std::copy_n(values.data() + c * before, std::min(before, after), changed.data() + c * after);
  return changed;
}

/// Rows of a rolling contact in FCLib's files, and of bodies.
constexpr std::size_t without_spin = rows_per_contact(3, true), with_spin = 6;

/// How many there are of each in the whole.
struct Lengths {
  SharedOutput::Items velocities, gaps, impulses, joints;
};

/// `rows` are those of this rank. Collective.
void write_rows(const std::string& path, const std::string& root, const Solution& rows,
                const Lengths& lengths, const std::vector<Attribute>& attributes,
                const Communicator& comm) {
  bool exists = false;
  agree(comm, [&] {
    exists = comm.rank() == 0 && std::filesystem::exists(path);
    // only what is HDF5 can be added to; anything else is somebody's file and stays
    if (exists && !io::InputFile(path).is_sound())
      throw InputError(path +
                       ": is damaged, so that nothing can be added to it; give another name");
  });
  using Start = io::OutputFile::Start;
  io::write_together(
      comm, path, exists ? Start::CopyOfGoal : Start::Empty, [&](SharedOutput& file) {
        // FCLib counts its guesses; there is one
        if (root == "/" + first_guess)
          file.head([](io::OutputFile& whole) {
            if (whole.has("/guesses")) whole.remove("/guesses");
            whole.group("/guesses");
            whole.write("/guesses/number_of_guesses", std::vector<std::int32_t>{1});
          });
        file.replace_group(root);
        if (lengths.velocities.count > 0) file.write(root + "/v", rows.v, lengths.velocities);
        file.write(root + "/u", rows.u, lengths.gaps);
        file.write(root + "/r", rows.r, lengths.impulses);
        if (lengths.joints.count > 0) file.write(root + "/l", rows.l, lengths.joints);
        for (const auto& [name, value] : attributes)
          std::visit([&, &key = name](const auto& v) { file.attribute(root, key, v); }, value);
      });
}

}  // namespace

Solution in_rows_of_file(const ProblemFile& file, Solution solution) {
  const auto* bodies = std::get_if<BodyProblem>(&file.data);
  return in_rows_of_file(file.format, bodies != nullptr && bodies->has_rolling(),
                         std::move(solution));
}

Solution in_rows_of_file(const std::string& format, bool rolls, Solution solution) {
  if (!rolls || format != "fclib_global_rolling") return solution;
  solution.u = with_rows(solution.u, with_spin, without_spin);
  solution.r = with_rows(solution.r, with_spin, without_spin);
  return solution;
}

SolutionSlice in_rows_of_file(const ProblemFile& file, SolutionSlice solution) {
  if (solution.rows_per_contact != with_spin || file.format != "fclib_global_rolling")
    return solution;
  solution.rows.u = with_rows(solution.rows.u, with_spin, without_spin);
  solution.rows.r = with_rows(solution.rows.r, with_spin, without_spin);
  solution.rows_per_contact = without_spin;
  return solution;
}

Solution in_rows_of_problem(const ProblemData& problem, Solution solution) {
  const auto* bodies = std::get_if<BodyProblem>(&problem);
  if (bodies == nullptr) return solution;
  return in_rows_of_problem(bodies->has_rolling(), bodies->contact_count(), std::move(solution));
}

Solution in_rows_of_problem(bool rolls, GlobalId contacts, Solution solution) {
  if (!rolls) return solution;
  const std::size_t rows = without_spin * static_cast<std::size_t>(contacts);
  for (std::vector<double>* values : {&solution.u, &solution.r})
    if (values->size() == rows) *values = with_rows(*values, without_spin, with_spin);
  return solution;
}

void write_solution(const std::string& path, const Solution& solution,
                    const std::vector<Attribute>& attributes, const std::string& group) {
  const auto all = [](const std::vector<double>& values) {
    return SharedOutput::Items{static_cast<GlobalId>(values.size())};
  };
  write_rows(path, "/" + group, solution,
             {all(solution.v), all(solution.u), all(solution.r), all(solution.l)}, attributes,
             Communicator::self());
}

void write_solution(const std::string& path, const SolutionSlice& solution,
                    const std::vector<Attribute>& attributes, const Communicator& comm) {
  const Phase phase("writing the solution");
  const SharedOutput::Items contacts{solution.total_contacts,
                                     static_cast<hsize_t>(solution.rows_per_contact)};
  write_rows(path, "/solution", solution.rows,
             {{solution.total_bodies, 6}, contacts, contacts, {solution.total_joint_rows}},
             attributes, comm);
}

Solution read_solution(const std::string& path, const std::string& group) {
  io::InputFile file(path);
  const std::string root = "/" + group;
  if (!file.has(root)) {
    std::string found;
    for (const std::string& name : file.children("/")) found += " " + name;
    throw InputError(path + ": " + root +
                     ": there is no such solution; found:" + (found.empty() ? " nothing" : found));
  }
  const auto vector = [&](const char* name, bool required) -> std::vector<double> {
    const std::string dataset = root + "/" + name;
    if (!required && !file.has(dataset)) return {};
    const auto values = file.reals(dataset);
    if (!values) return {};
    file.require_finite(dataset, *values);
    return *values;
  };
  Solution solution{vector("u", false), vector("r", true), vector("l", false), vector("v", false)};
  file.errors().throw_if_any();
  return solution;
}

std::string stored_answer(const ProblemFile& file, const std::string& law) {
  const std::pair<const char*, const char*> groups[] = {{"solution_ccp", "associated"},
                                                        {"solution", "coulomb"}};
  for (const auto& [group, usual_law] : groups) {
    if (std::find(file.solutions.begin(), file.solutions.end(), group) == file.solutions.end())
      continue;
    const std::string given =
        io::InputFile(file.path).text_attribute(std::string("/") + group, "law");
    if ((given.empty() ? usual_law : given) == law) return group;
  }
  return "";
}

}  // namespace talus
