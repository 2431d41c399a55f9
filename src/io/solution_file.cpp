#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "io/input_file.hpp"
#include "io/output_file.hpp"

#include <filesystem>

namespace talus {

void write_solution(const std::string& path, const Solution& solution,
                    const std::vector<Attribute>& attributes) {
  using io::OutputFile;
  const bool exists = std::filesystem::exists(path);
  // only what is HDF5 can be added to; anything else is somebody's file and stays
  if (exists && !io::InputFile(path).is_sound())
    throw InputError(path + ": is damaged, so that nothing can be added to it; give another name");
  OutputFile file(path, exists ? OutputFile::Start::CopyOfGoal : OutputFile::Start::Empty);
  if (file.has("/solution")) file.remove("/solution");
  file.group("/solution");
  if (!solution.v.empty()) file.write("/solution/v", solution.v);
  file.write("/solution/u", solution.u);
  file.write("/solution/r", solution.r);
  if (!solution.l.empty()) file.write("/solution/l", solution.l);
  for (const auto& [name, value] : attributes)
    std::visit([&, &key = name](const auto& v) { file.attribute("/solution", key, v); }, value);
  file.commit();
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

}  // namespace talus
