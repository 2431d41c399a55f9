// Whatever stands in a file or on the command line, it is read or refused with a message: no crash,
// no hang, no memory without end, no leak (under the sanitizers).
//
// usage: talus_fuzz [--reader NAME [--inputs N]]... [--seed N] [--long] [--replay FILE] [--keep
// DIR]
//   --reader   all of them without
//   --inputs   of the reader in front of it; with none in front of each (1000)
//   --seed     of the first input; each input has the next one, from which it is made
//   --long     until it is stopped, in rounds of --inputs: for a night
//   --replay   an input that was kept is read in this process, by the one --reader that is named
//   --keep     where offending inputs are kept (here)

#include "campaign/fuzz/batches.hpp"
#include "campaign/fuzz/reader.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace talus::fuzz {

Place::Place() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code none;
  const auto parent =
      std::filesystem::is_directory(memory, none) ? memory : std::filesystem::temp_directory_path();
  std::string name = (parent / "talus-fuzz-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
  folder_ = name;
}

Place::~Place() {
  std::error_code none;
  std::filesystem::remove_all(folder_, none);
}

std::string Place::write(const std::string& name, const std::string& bytes) const {
  std::string path = path_of(name);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void take_steps(Simulation& simulation, int count) {
  try {
    for (int step = 0; step < count; ++step) simulation.step();
  } catch (const std::runtime_error&) {
  }
}

const std::vector<KnownReader>& known_readers() {
  static const std::vector<KnownReader> readers{
      {"scene", scene_reader},           {"start", start_reader},
      {"expression", expression_reader}, {"stl", stl_reader},
      {"lammps", lammps_reader},         {"problem", problem_reader},
      {"fclib", fclib_reader},           {"real", real_reader},
      {"state", state_reader},           {"checkpoint", checkpoint_reader},
      {"command", command_reader},       {"folder", folder_reader}};
  return readers;
}

namespace {

struct Part {
  std::string reader;
  std::uint64_t inputs = 1000;
};

struct Arguments {
  std::vector<Part> parts;
  std::uint64_t seed = 0;
  bool without_end = false;
  std::string replay;
  Limits limits;
};

Arguments arguments_of(int argc, char** argv) {
  Arguments a;
  Part each;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--reader")
      a.parts.push_back({value(), each.inputs});
    else if (words[i] == "--seed")
      a.seed = std::stoull(value());
    else if (words[i] == "--inputs")
      (a.parts.empty() ? each : a.parts.back()).inputs = std::stoull(value());
    else if (words[i] == "--long")
      a.without_end = true;
    else if (words[i] == "--replay")
      a.replay = value();
    else if (words[i] == "--keep")
      a.limits.faults_folder = value();
    else
      throw std::invalid_argument(words[i] +
                                  ": --reader, --seed, --inputs, --long, --replay and "
                                  "--keep are known");
  }
  if (a.parts.empty())
    for (const KnownReader& known : known_readers()) a.parts.push_back({known.name, each.inputs});
  return a;
}

MakeReader maker_of(const std::string& name) {
  const auto& known = known_readers();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const KnownReader& reader) { return reader.name == name; });
  if (found == known.end()) throw std::invalid_argument(name + ": is no reader");
  return found->make;
}

struct Totals {
  std::uint64_t inputs = 0, faults = 0;
};

/// Inputs that are all read, or all refused, test nothing.
bool tests_both(const Outcome& outcome) {
  constexpr std::uint64_t enough = 100;
  return outcome.inputs < enough || (outcome.read > 0 && outcome.refused > 0);
}

/// The part of one round: seeds go on from round to round.
Totals read_part(const Part& part, std::uint64_t seed, const Limits& limits) {
  const Place place;
  const Reader reader = maker_of(part.reader)(place);
  if (!reader.make) {
    fmt::print("{}: its files are not here\n", part.reader);
    return {};
  }
  const Outcome outcome = fuzz(reader, seed, part.inputs, limits);
  fmt::print("{:<11} seeds {} to {}: {} read, {} refused, {} faults, {:.1f} s\n", part.reader, seed,
             seed + part.inputs - 1, outcome.read, outcome.refused, outcome.faults,
             outcome.seconds);
  const bool is_test = tests_both(outcome);
  if (!is_test)
    fmt::print("{}: all inputs are {}\n", part.reader, outcome.read > 0 ? "read" : "refused");
  std::fflush(stdout);
  return {part.inputs, outcome.faults + (is_test ? 0 : 1)};
}

int run(Arguments a) {
  // Processes are copied: threads of OpenMP would not be in the copies.
  omp_set_num_threads(1);
  a.limits.faults_folder = std::filesystem::absolute(a.limits.faults_folder).string();
  if (!a.replay.empty()) {
    if (a.parts.size() != 1) throw std::invalid_argument("--replay FILE needs one --reader NAME");
    const Place place;
    replay(maker_of(a.parts.front().reader)(place), bytes_of(a.replay));
    return 0;
  }
  Totals totals;
  for (std::uint64_t round = 0; round == 0 || a.without_end; ++round)
    for (const Part& part : a.parts) {
      const Totals one = read_part(part, a.seed + round * part.inputs, a.limits);
      totals.inputs += one.inputs;
      totals.faults += one.faults;
    }
  fmt::print("{} inputs, {} faults\n", totals.inputs, totals.faults);
  return totals.faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace talus::fuzz

int main(int argc, char** argv) {
  try {
    return talus::fuzz::run(talus::fuzz::arguments_of(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz: {}\n", error.what());
    return 2;
  }
}
