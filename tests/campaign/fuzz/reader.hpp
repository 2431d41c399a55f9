#pragma once
// What is fuzzed: how an input is made from a seed, and what reads it.

#include "talus/simulation/simulation.hpp"

#include "campaign/fuzz/chance.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus::fuzz {

/// Where inputs and what they refer to stand while they are read: in memory, where there is a file
/// system for that.
class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }
  /// Its path.
  std::string write(const std::string& name, const std::string& bytes) const;

 private:
  std::filesystem::path folder_;
};

std::string bytes_of(const std::string& path);

/// A run that cannot go on ends with a std::runtime_error of any kind, which it tells. What else a
/// step throws is a fault.
void take_steps(Simulation& simulation, int count);

struct Reader {
  std::string name;
  std::string suffix;                        ///< of files that hold an input
  std::function<std::string(Chance&)> make;  ///< none: what inputs are made from is not here
  /// Good where it returns or throws InputError. Other failures that it documents it catches.
  std::function<void(const std::string& input)> read;
};

/// Each makes what it needs in `place`, which must outlive it.
Reader scene_reader(const Place& place);
/// Goes on to the first steps of what was read.
Reader start_reader(const Place& place);
Reader expression_reader(const Place& place);
Reader stl_reader(const Place& place);
Reader lammps_reader(const Place& place);
Reader problem_reader(const Place& place);
Reader fclib_reader(const Place& place);
/// Of the collection of FCLib, in the older format of HDF5 without checksums: wounds reach deeper.
Reader real_reader(const Place& place);
Reader state_reader(const Place& place);
/// Goes on to the first step, too: a seal does not say who wrote it.
Reader checkpoint_reader(const Place& place);
Reader command_reader(const Place& place);
Reader folder_reader(const Place& place);

using MakeReader = Reader (*)(const Place&);
struct KnownReader {
  const char* name;
  MakeReader make;
};
const std::vector<KnownReader>& known_readers();

}  // namespace talus::fuzz
