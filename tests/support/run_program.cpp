#include "support/run_program.hpp"

#include "support/places.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace talus::support {
namespace {

namespace fs = std::filesystem;

constexpr const char* out_name = ".stdout";
constexpr const char* err_name = ".stderr";

void redirect(int stream, const char* name) {
  const int file = ::open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0 || ::dup2(file, stream) < 0) ::_exit(127);
}

[[noreturn]] void become(const std::vector<std::string>& words,
                         const std::map<std::string, std::string>& environment,
                         const fs::path& folder) {
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  redirect(STDOUT_FILENO, out_name);
  redirect(STDERR_FILENO, err_name);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "talus-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

namespace {

pid_t start(const std::vector<std::string>& arguments,
            const std::map<std::string, std::string>& environment, const fs::path& folder) {
  std::vector<std::string> words{program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t child = ::fork();
  if (child == 0) become(words, environment, folder);
  if (child < 0) throw std::runtime_error("the program could not be run");
  return child;
}

ProgramRun finish(pid_t child, const Workplace& place) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("the program was lost");
  ProgramRun run;
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.out = place.read(out_name);
  run.err = place.read(err_name);
  return run;
}

}  // namespace

ProgramRun Workplace::run(const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment) const {
  return finish(start(arguments, environment, folder_), *this);
}

ProgramRun Workplace::run_and_signal(const std::vector<std::string>& arguments,
                                     const std::string& text,
                                     const std::vector<int>& signals) const {
  const pid_t child = start(arguments, {}, folder_);
  const auto ended = [child] {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child;
  };
  while (!ended() && read(err_name).find(text) == std::string::npos) ::usleep(2000);
  for (const int signal : signals) ::kill(child, signal);
  return finish(child, *this);
}

bool Workplace::has(const std::string& name) const {
  return fs::exists(path(name));
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Workplace::write(const std::string& name, const std::string& bytes) const {
  std::ofstream(path(name), std::ios::binary) << bytes;
}

std::vector<std::string> Workplace::files() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name != out_name && name != err_name) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace talus::support
