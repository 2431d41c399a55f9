#include "campaign/fuzz/batches.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <typeinfo>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define TALUS_FUZZ_SANITIZED 1
#else
#define TALUS_FUZZ_SANITIZED 0
#endif

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): names of the sanitizers
/// HDF5 loses some hundred bytes over some damaged objects.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1500:allocator_may_return_null=0:quarantine_size_mb=64";
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace talus::fuzz {
namespace {

constexpr const char* bug = "talus has a bug";
constexpr int exit_other_exception = 21, exit_memory = 22, exit_leak = 23;  // 23: LeakSanitizer's

/// Shared with the process that reads: how far it came.
struct Progress {
  std::uint64_t seed = 0;
  std::uint64_t read = 0, refused = 0;
  std::array<char, 2000> said{};  ///< by what was thrown
};

std::string type_of(const std::exception& error) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : typeid(error).name();
}

void put_text(Progress& progress, const std::string& text) {
  const std::size_t length = std::min(text.size(), progress.said.size() - 1);
  std::memcpy(progress.said.data(), text.data(), length);
  progress.said[length] = '\0';
}

void limit_memory(long megabytes) {
  if (TALUS_FUZZ_SANITIZED != 0) return;  // shadow memory is of 20 TB: see most_memory_used()
  constexpr long megabyte = 1L << 20;
  const rlimit limit{static_cast<rlim_t>(megabytes * megabyte),
                     static_cast<rlim_t>(megabytes * megabyte)};
  setrlimit(RLIMIT_AS, &limit);
}

long most_memory_used() {
  constexpr long kilobytes = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / kilobytes;
}

/// SIGPROF after so many seconds of work, whatever else the machine does; SIGALRM for who waits.
void limit_time(unsigned seconds) {
  constexpr unsigned patience = 30;
  const itimerval timer{{0, 0}, {static_cast<time_t>(seconds), 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  ::alarm(patience * seconds);
}

void be_quiet(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  ::dup2(file, STDERR_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
}

std::string tail_of(const std::string& path) {
  constexpr std::size_t most = 1500;
  const std::string text = bytes_of(path);
  const std::size_t error = text.find("ERROR: ");  // of a sanitizer: its first lines say most
  if (error != std::string::npos) return text.substr(error, most);
  const std::size_t runtime = text.find("runtime error: ");
  if (runtime != std::string::npos) return text.substr(text.rfind('\n', runtime) + 1, most);
  return text.substr(text.size() - std::min(text.size(), most));
}

/// What was said since this was asked the last time; the program turns bugs into messages.
bool has_told_a_bug(const std::string& path) {
  static off_t seen = 0;
  const off_t now = ::lseek(STDERR_FILENO, 0, SEEK_CUR);
  if (now == seen) return false;
  const std::string text = bytes_of(path).substr(static_cast<std::size_t>(seen));
  seen = now;
  return text.find(bug) != std::string::npos;
}

/// What an InputError says, which is something and no bug; nothing where the input is read.
std::optional<std::string> refusal_of(const Reader& reader, const std::string& input) {
  try {
    reader.read(input);
    return std::nullopt;
  } catch (const InputError& error) {
    if (error.messages().empty() || error.messages().front().empty())
      throw std::logic_error("an InputError that says nothing");
    if (std::string(error.what()).find(bug) != std::string::npos)
      throw std::logic_error(error.what());
    return error.what();
  }
}

/// The end of the process that reads the inputs from progress.seed to last - 1.
[[noreturn]] void read_and_exit(const Reader& reader, std::uint64_t last, const Limits& limits,
                                const std::string& said, Progress& progress) {
  be_quiet(said);
  limit_memory(limits.megabytes);
  for (; progress.seed < last; ++progress.seed) {
    Chance chance(progress.seed);
    const std::string input = reader.make(chance);
    limit_time(limits.seconds);
    try {
      ++(refusal_of(reader, input) ? progress.refused : progress.read);
      if (has_told_a_bug(said)) throw std::logic_error(tail_of(said));
    } catch (const std::exception& error) {
      put_text(progress, fmt::format("{}: {}", type_of(error), error.what()));
      _exit(exit_other_exception);
    }
    if (most_memory_used() > limits.megabytes) _exit(exit_memory);
  }
  limit_time(0);
  std::exit(0);  // what libraries clear up at the end must not crash either; leaks are looked for
}

struct End {
  bool good = true, leaks = false;
  std::uint64_t at = 0;  ///< the input that ended it
  std::string what{};
};

class Batches {
 public:
  Batches(const Reader& reader, const Limits& limits)
      : reader_(reader), limits_(limits), said_(place_.path_of("said")) {
    void* shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::runtime_error("no shared memory");
    progress_ = new (shared) Progress;
  }
  ~Batches() { ::munmap(progress_, sizeof(Progress)); }
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  /// From first to last - 1, whatever ends processes on the way.
  void read(std::uint64_t first, std::uint64_t last) {
    while (first < last) {
      const End end = process(first, last);
      if (end.good) return;
      if (end.leaks) {
        find_leak(first, last);
        return;
      }
      keep(end.at, end.what);
      if (TALUS_FUZZ_SANITIZED != 0) find_leak(first, end.at);  // nobody has looked yet
      first = end.at + 1;
    }
  }
  Progress& progress() { return *progress_; }
  std::uint64_t faults() const { return faults_; }

 private:
  End process(std::uint64_t first, std::uint64_t last) {
    progress_->seed = first;
    progress_->said[0] = '\0';
    std::fflush(nullptr);  // or the other process writes it once more
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process could be started");
    if (child == 0) read_and_exit(reader_, last, limits_, said_, *progress_);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    End end{.good = false, .at = std::min(progress_->seed, last - 1)};
    if (WIFSIGNALED(status)) {
      end.what = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF
                     ? fmt::format("is not read within {} s", limits_.seconds)
                     : fmt::format("{}\n{}", strsignal(WTERMSIG(status)), tail_of(said_));
    } else if (WEXITSTATUS(status) == exit_other_exception) {
      end.what = progress_->said.data();
    } else if (WEXITSTATUS(status) == exit_memory) {
      end.what = fmt::format("needs more than {} MB", limits_.megabytes);
    } else if (WEXITSTATUS(status) == exit_leak && progress_->seed == last) {
      end.leaks = true;
      end.what = "leaks\n" + tail_of(said_);
    } else {
      end.what = fmt::format("exit code {}\n{}", WEXITSTATUS(status), tail_of(said_));
    }
    return end;
  }

  /// By halves, in processes of their own; what ends one in another way is looked at as well.
  void find_leak(std::uint64_t first, std::uint64_t last) {
    if (first >= last) return;
    const End end = process(first, last);
    if (end.good) return;
    if (!end.leaks || last - first == 1) {
      keep(end.at, end.what);
      find_leak(first, end.at);
      find_leak(end.at + 1, last);
      return;
    }
    const std::uint64_t middle = first + (last - first) / 2;
    find_leak(first, middle);
    find_leak(middle, last);
  }

  void keep(std::uint64_t seed, const std::string& what) {
    ++faults_;
    const std::string path =
        fmt::format("{}/fuzz_{}_{}{}", limits_.faults_folder, reader_.name, seed, reader_.suffix);
    Chance chance(seed);
    const std::string input = reader_.make(chance);
    std::ofstream(path, std::ios::binary)
        .write(input.data(), static_cast<std::streamsize>(input.size()));
    fmt::print("{} seed {}: {}\n  kept as {}\n", reader_.name, seed, what, path);
    std::fflush(stdout);
  }

  const Reader& reader_;
  const Limits& limits_;
  Place place_;
  std::string said_;
  Progress* progress_ = nullptr;
  std::uint64_t faults_ = 0;
};

}  // namespace

Outcome fuzz(const Reader& reader, std::uint64_t first, std::uint64_t count, const Limits& limits) {
  const auto began = std::chrono::steady_clock::now();
  Batches batches(reader, limits);
  const std::uint64_t last = first + count;
  for (std::uint64_t at = first; at < last; at += limits.batch)
    batches.read(at, std::min(last, at + limits.batch));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const Progress& progress = batches.progress();
  return {count, progress.read, progress.refused, batches.faults(), took.count()};
}

void replay(const Reader& reader, const std::string& input) {
  const std::optional<std::string> refusal = refusal_of(reader, input);
  fmt::print("{}: {}\n", reader.name, refusal ? "is refused: " + *refusal : "is read");
}

}  // namespace talus::fuzz
