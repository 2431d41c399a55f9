#include "talus/core/error.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/pictures/drawing_script.hpp"
#include "app/pictures/plot.hpp"
#include "app/pictures/report_html.hpp"
#include "app/pictures/run_charts.hpp"
#include "app/remarks.hpp"
#include "app/streams.hpp"
#include "io/goal.hpp"
#include "io/report_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

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

std::string data_file(const std::string& name) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path built = program / "share/talus" / name;
  const fs::path installed = (program / TALUS_DATA_FROM_PROGRAM / name).lexically_normal();
  for (const fs::path& path : {built, installed})
    if (fs::exists(path)) return path.string();
  throw std::runtime_error(
      fmt::format("{} is missing: neither {} nor {} is there; install talus anew", name,
                  built.string(), installed.string()));
}

namespace {

std::string format_of(const std::string& path, const std::string& option) {
  const std::vector<std::string> known{".png", ".svg", ".pdf"};
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const std::string& format : known)
    if (ending == format) return format.substr(1);
  const std::string close = close_name(ending, known);
  std::filesystem::path meant = std::filesystem::path(path).filename();
  meant.replace_extension(close.empty() ? known.front() : close);
  throw InputError(fmt::format("{} {}: pictures are {}, such as {}", option, path,
                               fmt::join(known, ", "), meant.string()));
}

/// Where to draw, once it is known that this can be: a fault of the name is told before one of
/// the machine.
std::string checked(const std::string& path, const std::string& option) {
  require_writable(path, option);
  return fmt::format("{} {}", option, path);
}

}  // namespace

Plotter::Plotter(const std::string& path, const std::string& option)
    : path_(path),
      format_(format_of(path, option)),
      script_("plot_comparison.py", checked(path, option)) {}

void Plotter::draw(const std::string& comparison) const {
  const std::string goal = io::regular_goal(path_), beside = io::beside(goal);
  const int status = script_.run({"--format", format_, "--output", beside}, comparison);
  if (status == 0 && std::rename(beside.c_str(), goal.c_str()) == 0) return;
  std::remove(beside.c_str());
  throw std::runtime_error(
      fmt::format("{}: could not be drawn: {} ended with status {}, its reason stands above; an "
                  "older file is untouched",
                  path_, script_.python(), status));
}

// talus plot: what a run has logged as pictures, and its report as one page.

namespace {

namespace fs = std::filesystem;

struct PlotArguments {
  std::string folder;
  bool report_only = false;
};

/// The charts, drawn beside DIR/plots and moved into it once all are there.
void draw_charts(const DrawingScript& script, const fs::path& folder,
                 const std::vector<picture::LineChart>& charts) {
  const fs::path plots = folder / "plots", beside = io::beside(plots.string());
  std::error_code error;
  const int status = script.run({"--output", beside.string()}, charts_json(charts));
  if (status == 0) fs::create_directories(plots, error);
  for (const picture::LineChart& chart : charts)
    if (status == 0 && !error)
      fs::rename(beside / (chart.name + ".png"), plots / (chart.name + ".png"), error);
  std::error_code ignored;
  fs::remove_all(beside, ignored);
  if (status != 0)
    throw std::runtime_error(
        fmt::format("{}: could not be drawn: {} ended with status {}, its reason stands above",
                    plots.string(), script.python(), status));
  if (error)
    throw std::runtime_error(
        fmt::format("{}: could not be written: {}", plots.string(), error.message()));
}

int plot(const PlotArguments& a, const CommonOptions& common, InputErrors faults) {
  RunNumbers numbers;
  if (a.folder.empty())
    faults.add("give the folder of a run: talus plot DIR");
  else
    collect(faults, [&] {
      numbers = read_numbers(a.folder);
      require_writable((fs::path(a.folder) / "report.html").string(), "report.html");
    });
  std::optional<DrawingScript> script;
  if (!a.report_only)
    collect(faults, [&] { script.emplace("plot_run.py", "talus plot " + a.folder); });
  faults.throw_if_any();
  const std::vector<picture::LineChart> charts = charts_of(numbers);
  if (charts.empty())
    note(common, fmt::format("{} has no log: output.log of the scene asks for one", a.folder));
  write_report_html(a.folder, numbers);
  say("{}\n", (fs::path(a.folder) / "report.html").string());
  if (!script || charts.empty()) return exit_within_tolerance;
  draw_charts(*script, a.folder, charts);
  for (const picture::LineChart& chart : charts)
    say("{}\n", (fs::path(a.folder) / "plots" / (chart.name + ".png")).string());
  return exit_within_tolerance;
}

}  // namespace

Command add_plot(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<PlotArguments>();
  CLI::App& verb = *program.add_subcommand(
      "plot", "Draw what a run has logged (plots/*.png) and make its page (report.html)");
  verb.add_option("run", a->folder, "Folder of talus run")->type_name("DIR");
  verb.add_flag("--report-only", a->report_only,
                "Only report.html, which has the same charts and needs no matplotlib");
  add_common(verb, common);
  return [a, &common](InputErrors faults) {
    return on_first_rank(common.comm, [&] { return plot(*a, common, std::move(faults)); });
  };
}

}  // namespace talus::app
