#include "campaign/fuzz/sound_files.hpp"

#include "talus/io/problem_file.hpp"
#include "talus/parallel/communicator.hpp"

#include "app/commands.hpp"
#include "support/places.hpp"
#include "support/scene_folder.hpp"

#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace talus::fuzz {
namespace {

BodyProblem bodies() {
  BodyProblem problem;
  problem.add_body({0.0, 0.0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {0, 0, -0.1, 0, 0, 0});
  problem.add_body({0.0, 0.0, 1.5}, 0.5, {2, 0.1, 0, 3, 0, 2}, {0, 0, -0.2, 0, 0, 0});
  problem.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {0, 0, 0});
  problem.add_contact(0, 1, {0, 0, 1}, {0, 0, 1}, 0.25, {0.1, 0, 0});
  problem.add_joint_row(0, 1, {1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0}, 0.0);
  return problem;
}

BodyProblem rolling_bodies() {
  BodyProblem problem = bodies();
  problem.rolling_friction = {0.01, 0.02};
  problem.spinning_friction = {0.0, 0.0};
  return problem;
}

LocalProblem matrices() {
  LocalProblem local;
  local.dimension = 2;
  local.W = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}, {0, 1, 0.1}, {1, 0, 0.1}});
  local.V = from_triplets(2, 1, {{0, 0, 1.0}});
  local.R = from_triplets(1, 1, {{0, 0, 1.0}});
  local.q = {-1.0, 0.5};
  local.s = {0.0};
  local.friction = {0.5};
  return local;
}

/// In a process of its own, in the folder of the place and without output.
void in_silence(const Place& place, const std::function<int()>& action, const std::string& what) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process could be started");
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(nothing, STDERR_FILENO);
    int code = 1;
    try {
      if (::chdir(place.folder().c_str()) == 0) code = action();
    } catch (const std::exception&) {
    }
    _exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the corpus could not be made: " + what);
}

}  // namespace

std::string corpus(const std::string& name) {
  std::string text =
      bytes_of((support::source_folder() / "tests/campaign/fuzz/corpus" / name).string());
  if (text.empty()) throw std::runtime_error("the corpus has no " + name);
  return text;
}

std::vector<std::string> sound_native_problems(const Place& place) {
  std::vector<std::string> paths{place.path_of("bodies.h5"), place.path_of("rolling.h5")};
  write_native(paths[0], bodies());
  write_native(paths[1], rolling_bodies());
  write_solution(paths[0],
                 {{0.0, 0.5, 0.0, 1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {0.0}, {}});
  return paths;
}

std::vector<std::string> sound_fclib_problems(const Place& place) {
  std::vector<std::string> paths;
  for (const char* name : {"global.h5", "global_rolling.h5", "local.h5", "local_rolling.h5"})
    paths.push_back(place.path_of(name));
  write_fclib(paths[0], bodies());
  write_fclib(paths[1], rolling_bodies());
  LocalProblem local = matrices();
  write_fclib(paths[2], local);
  write_solution(paths[2], {{0.0, 0.5}, {1.0, 0.0}, {0.0}, {}});
  local.dimension = 3;
  local.W = from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}, {0, 2, 0.1}, {2, 0, 0.1}});
  local.V = from_triplets(3, 1, {{0, 0, 1.0}});
  local.q = {-1.0, 0.5, 0.25};
  local.rolling_friction = {0.1};
  write_fclib(paths[3], local);
  return paths;
}

int run_program(const Place& place, std::vector<std::string> words) {
  if (::chdir(place.folder().c_str()) != 0) throw std::runtime_error("the folder is gone");
  words.insert(words.begin(), "talus");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return app::run(static_cast<int>(words.size()), arguments.data(), Communicator::self());
}

void make_run(const Place& place) {
  place.write("few.yaml", corpus("few.yaml"));
  place.write("joints.yaml", corpus("joints.yaml"));
  place.write("start.yaml", corpus("start.yaml"));
  place.write("cube.stl", support::box_stl(1.0));
  for (const char* name : {"few", "joints", "start"})
    in_silence(
        place,
        [&] {
          const std::string output = std::string(name) == "few" ? "done" : name;
          const int code =
              run_program(place, {"run", std::string(name) + ".yaml", "--output", output, "--steps",
                                  "10", "--quiet", "-s", "checkpoint={every: 0.004}", "-s",
                                  "output.log.every=0.001"});
          return code == app::exit_above_tolerance ? app::exit_within_tolerance : code;
        },
        name);
}

std::vector<std::string> sound_states(const Place& place) {
  make_run(place);
  return {place.path_of("done/state.h5"), place.path_of("joints/state.h5"),
          place.path_of("start/state.h5")};
}

std::vector<std::string> sound_checkpoints(const Place& place) {
  make_run(place);
  std::vector<std::string> paths;
  for (const char* name : {"done", "joints", "start"})
    paths.push_back(place.path_of(fmt::format("{}/checkpoints/checkpoint_{:09}.h5", name, 8)));
  return paths;
}

}  // namespace talus::fuzz
