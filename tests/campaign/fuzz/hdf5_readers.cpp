// Readers of HDF5 files: problems, solutions, states, checkpoints.

#include "talus/core/error.hpp"
#include "talus/io/checkpoint_file.hpp"
#include "talus/io/problem_file.hpp"
#include "talus/io/state_file.hpp"
#include "talus/simulation/simulation.hpp"

#include "app/run/run_memory.hpp"
#include "app/run/run_plan.hpp"
#include "app/run/set_up.hpp"
#include "campaign/fuzz/hdf5_image.hpp"
#include "campaign/fuzz/reader.hpp"
#include "campaign/fuzz/sound_files.hpp"
#include "io/hdf5/checkpoint_layout.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/layouts.hpp"
#include "support/places.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace talus::fuzz {
namespace {

/// Packs as a checkpoint does, and says where each number begins and how long it is.
class Recorder : public Archive<Recorder> {
 public:
  static constexpr bool reads = false;
  struct Piece {
    std::size_t at, size;
  };

  void raw(const void* /*from*/, std::size_t size) {
    if (size > 0) pieces.push_back({at_, size});
    at_ += size;
  }
  std::size_t count(std::size_t size) {
    raw(nullptr, sizeof(std::uint64_t));
    return size;
  }
  std::vector<Piece> pieces;

 private:
  std::size_t at_ = 0;
};

/// One number becomes another of its size; of what is longer, one within.
void change_number(Bytes& bytes, Recorder::Piece piece, Chance& chance) {
  if (piece.size > sizeof(double)) {
    piece.at += chance.below(piece.size - sizeof(double)) / sizeof(double) * sizeof(double);
    piece.size = sizeof(double);
  }
  if (piece.size == sizeof(double) && chance.one_in(2)) {
    const double number = strange_number(chance);
    std::memcpy(bytes.data() + piece.at, &number, piece.size);
    return;
  }
  constexpr std::array<std::uint64_t, 10> numbers{0,    1,          2,          3,          5,
                                                  0xff, 0x7fffffff, 1ULL << 31, 1ULL << 40, ~0ULL};
  const std::uint64_t number = chance.one_in(3) ? chance.bits() : chance.one_of(numbers);
  std::memcpy(bytes.data() + piece.at, &number, piece.size);
}

constexpr const char* packed_name = "/checkpoint/all_else";

class CheckpointInputs {
 public:
  explicit CheckpointInputs(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      Checkpoint checkpoint = read_checkpoint(path, Communicator::self());
      Recorder recorder;
      recorder(checkpoint);
      sound_.push_back({image_of(path), std::move(recorder.pieces)});
    }
  }

  /// Without its seal.
  std::string make(Chance& chance) const {
    const Sound& from = chance.one_of(sound_);
    Hdf5Image image = from.image;
    if (chance.one_in(3)) change(image, chance);
    if (!chance.one_in(3)) change_packed(image, from.pieces, chance);
    std::string bytes = bytes_of(image);
    return chance.one_in(10) ? with_wounds(std::move(bytes), chance) : bytes;
  }

 private:
  struct Sound {
    Hdf5Image image;
    std::vector<Recorder::Piece> pieces;
  };

  static void change_packed(Hdf5Image& image, const std::vector<Recorder::Piece>& pieces,
                            Chance& chance) {
    for (Hdf5Object& one : image) {
      auto* words = std::get_if<std::vector<std::int64_t>>(&one.numbers);
      if (one.path != packed_name || !one.attribute.empty() || words == nullptr || words->empty())
        continue;
      Bytes bytes(words->size() * sizeof(std::int64_t));
      std::memcpy(bytes.data(), words->data(), bytes.size());
      for (std::size_t count = some(chance); count > 0; --count) {
        const Recorder::Piece& piece = chance.one_of(pieces);
        // the image may have fewer by now
        if (piece.at + piece.size <= bytes.size()) change_number(bytes, piece, chance);
      }
      std::memcpy(words->data(), bytes.data(), bytes.size());
    }
  }

  std::vector<Sound> sound_;
};

/// As `talus run --resume` does, then a step.
void go_on_from(const std::string& path) {
  const Communicator alone = Communicator::self();
  Checkpoint checkpoint = read_checkpoint(path, alone);
  app::memory_of(checkpoint, path);
  InputErrors faults;
  SolveOptions solver = app::solver_of(checkpoint.scene, faults);
  faults.throw_if_any();
  solver.tolerance = 0.0;  // the one that it had
  solver.max_iterations = std::min<std::int64_t>(solver.max_iterations, 200);
  Simulation simulation(std::move(checkpoint), std::move(solver), alone);
  take_steps(simulation, 1);
}

enum class Then { Nothing, AddSolution };

/// What `talus solve` does before it solves, and after: never to files of others, because HDF5
/// changes damaged ones of its older formats at its peril (docs/file_formats.md).
void read_all(const std::string& path, Then then) {
  const ProblemFile file = read_problem(path);
  const ConeProblem problem = app::set_up(file);
  for (const std::string& group : file.solutions) read_solution(path, group);
  if (then == Then::Nothing) return;
  const RowVector zero(static_cast<std::size_t>(problem.stored_rows()), 0.0);
  try {
    write_solution(path, make_solution(file.data, problem, zero, zero));
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error&) {  // HDF5 found no room in the ruins
  }
}

/// Changes of what is in the files, or wounds of their bytes.
std::function<std::string(Chance&)> inputs_of(const std::vector<std::string>& paths) {
  std::vector<Hdf5Image> images;
  std::vector<std::string> bytes;
  for (const std::string& path : paths) {
    images.push_back(image_of(path));
    bytes.push_back(bytes_of(path));
  }
  return [images, bytes](Chance& chance) {
    if (chance.one_in(3)) return with_wounds(chance.one_of(bytes), chance);
    Hdf5Image image = chance.one_of(images);
    change(image, chance);
    return bytes_of(image);
  };
}

void ignore_input_errors(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError&) {
  }
}

}  // namespace

Reader problem_reader(const Place& place) {
  return {"problem", ".h5", inputs_of(sound_native_problems(place)),
          [&place](const std::string& bytes) {
            const std::string path = place.write("p.h5", bytes);
            ignore_input_errors([&] {  // as one rank of three sees it
              io::InputFile file(path);
              io::read_native_slice(file, 1, 3);
            });
            read_all(path, Then::AddSolution);
          }};
}

Reader fclib_reader(const Place& place) {
  return {"fclib", ".h5", inputs_of(sound_fclib_problems(place)),
          [&place](const std::string& bytes) {
            const std::string path = place.write("p.h5", bytes);
            ignore_input_errors([&] { read_solution(path); });
            read_all(path, Then::AddSolution);
          }};
}

Reader real_reader(const Place& place) {
  std::vector<std::string> paths;
  for (const char* name :
       {"GFC3D_Example1.hdf5", "FC2D_SliderCrankLagrangian00000.hdf5", "NESpheres_10_1.hdf5",
        "RFC3D_sphere_1.hdf5", "Chute-ndof-768-nc-4-3_condensed.hdf5"}) {
    const std::filesystem::path path = support::problems_folder() / "fclib" / name;
    if (std::filesystem::exists(path)) paths.push_back(path.string());
  }
  std::function<std::string(Chance&)> make;
  if (!paths.empty()) make = inputs_of(paths);
  return {"real", ".h5", make, [&place](const std::string& bytes) {
            const std::string path = place.write("p.h5", bytes);
            ignore_input_errors([&] { read_solution(path); });
            read_all(path, Then::Nothing);
          }};
}

Reader state_reader(const Place& place) {
  return {"state", ".h5", inputs_of(sound_states(place)), [&place](const std::string& bytes) {
            const std::string path = place.write("state.h5", bytes);
            ignore_input_errors([&] { time_of_state(path); });
            read_state(path);
          }};
}

Reader checkpoint_reader(const Place& place) {
  const auto inputs = std::make_shared<CheckpointInputs>(sound_checkpoints(place));
  return {"checkpoint", ".h5", [inputs](Chance& chance) { return inputs->make(chance); },
          [&place](const std::string& bytes) {
            const std::string path = place.write("checkpoint.h5", bytes);
            io::put_seal(Communicator::self(), path, path);
            go_on_from(path);
          }};
}

}  // namespace talus::fuzz
