#include "app/drawing_script.hpp"

#include "talus/core/error.hpp"

#include "app/data_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace talus::app {
namespace {

/// Who may have matplotlib: what the user names, what `python3` means here, and Debian's own, which
/// its package python3-matplotlib belongs to.
std::vector<std::string> interpreters() {
  const char* named = std::getenv("TALUS_PYTHON");
  if (named != nullptr) return {named};
  return {"python3", "/usr/bin/python3"};
}

/// Exit status of a program; 127 where it could not be started.
int status_of(std::vector<std::string> words, posix_spawn_file_actions_t& actions) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  int status = 0;
  constexpr int not_started = 127;
  if (posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0)
    return not_started;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return not_started;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Streams of a child; freed with it.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t& get() { return actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

bool can_draw(const std::string& python, const std::string& script) {
  FileActions actions;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions.get(), stream, "/dev/null", O_RDWR, 0);
  return status_of({python, "-B", script, "--check"}, actions.get()) == 0;
}

/// `text` as a file without a name, to be read from its beginning.
using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
Stream nameless_file(const std::string& text) {
  const int descriptor = memfd_create("figures", MFD_CLOEXEC);
  Stream file(descriptor < 0 ? nullptr : fdopen(descriptor, "w+"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)
    throw std::runtime_error(
        fmt::format("no memory for the data of a picture: {}", std::strerror(errno)));
  return file;
}

}  // namespace

DrawingScript::DrawingScript(const std::string& script, const std::string& who)
    : script_(data_file(script)) {
  for (const std::string& python : interpreters())
    if (can_draw(python, script_)) {
      python_ = python;
      return;
    }
  throw InputError(fmt::format(
      "{}: needs matplotlib, and {} does not have it: install the Debian package "
      "python3-matplotlib (apt-get install python3-matplotlib), or name an interpreter that has it "
      "in TALUS_PYTHON",
      who, fmt::join(interpreters(), ", ")));
}

int DrawingScript::run(const std::vector<std::string>& words, const std::string& input) const {
  const Stream data = nameless_file(input);
  FileActions actions;
  posix_spawn_file_actions_adddup2(&actions.get(), fileno(data.get()), STDIN_FILENO);
  // stdout is for results: what Python says goes where messages go
  posix_spawn_file_actions_adddup2(&actions.get(), STDERR_FILENO, STDOUT_FILENO);
  std::vector<std::string> all{python_, "-B", script_};
  all.insert(all.end(), words.begin(), words.end());
  return status_of(all, actions.get());
}

}  // namespace talus::app
