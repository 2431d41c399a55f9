#include "core/regular_file.hpp"

#include "talus/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace talus {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;

std::string described(mode_t mode) {
  if (S_ISDIR(mode)) return "is a folder; name a file in it";
  return fmt::format("is not an ordinary file, but a {}", S_ISFIFO(mode)   ? "pipe"
                                                          : S_ISSOCK(mode) ? "socket"
                                                                           : "device");
}

std::string unreadable(int reason) {
  if (reason == ENOENT || reason == ENOTDIR) return "no such file; check the name and the folder";
  return fmt::format("cannot be read: {}", std::strerror(reason));
}

/// Pipes with these names belong to the program: who started it writes into them.
bool is_handed_over(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

/// False where there is an end of neither file nor patience.
bool read_to_end(int file, std::string& text, std::string& reason) {
  constexpr std::size_t piece = 1 << 16;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const ssize_t got = ::read(file, text.data() + before, piece);
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) {
      reason = unreadable(errno);
      return false;
    }
    if (text.size() > most_bytes) {
      reason = fmt::format("is longer than {} MiB: that is no scene file", most_bytes >> 20);
      return false;
    }
  }
}

/// What came through pipes, by name.
class KeptSources {
 public:
  std::optional<std::string> find(const std::string& path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = texts_.find(path);
    return found == texts_.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  void keep(const std::string& path, const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    texts_[path] = text;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

KeptSources& kept_sources() {
  static KeptSources sources;
  return sources;
}

std::optional<std::string> text_of_pipe(const std::string& path, std::string& reason) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (file < 0) {
    reason = unreadable(errno);
    return std::nullopt;
  }
  if (!read_to_end(file, text, reason)) return std::nullopt;
  kept_sources().keep(path, text);
  return text;
}

}  // namespace

Descriptor::~Descriptor() {
  close();
}

bool Descriptor::close() {
  return number_ < 0 || ::close(std::exchange(number_, -1)) == 0;
}

int open_regular(const std::string& path) {
  // a pipe would be waited at, and some devices do things when they are opened
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return -1;
  errno = EINVAL;
  if (!S_ISREG(facts.st_mode)) return -1;
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 || (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))) return file;
  ::close(file);  // another one since
  errno = EINVAL;
  return -1;
}

int open_to_append(const std::string& path, bool empty) {
  constexpr mode_t for_all = 0666;  // that the user's mask allows
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, for_all);
  struct stat facts {};
  if (file < 0 || (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                   (!empty || ::ftruncate(file, 0) == 0)))
    return file;
  const int reason = S_ISREG(facts.st_mode) ? errno : EINVAL;
  ::close(file);
  errno = reason;
  return -1;
}

void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor >= 0) ::fsync(descriptor);
}

bool write_all(int file, const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = ::write(file, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    from += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

int copy_regular(const std::string& from, const std::string& to) {
  constexpr std::size_t piece = 1 << 20;
  constexpr mode_t for_all = 0666;  // that the user's mask allows
  const Descriptor in(open_regular(from));
  struct stat facts {};
  if (in < 0 || ::fstat(in, &facts) != 0) return errno;
  Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, for_all));
  // a copy of a file that may not be written to is our own all the same
  if (out < 0 || ::fchmod(out, facts.st_mode | S_IWUSR) != 0) return errno;
  std::vector<char> bytes(piece);
  for (;;) {
    const ssize_t got = ::read(in, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return out.close() ? 0 : errno;
    if (got < 0 || !write_all(out, bytes.data(), static_cast<std::size_t>(got))) return errno;
  }
}

std::string why_unreadable(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return unreadable(errno);
  if (!S_ISREG(facts.st_mode)) return described(facts.st_mode);
  return ::access(path.c_str(), R_OK) == 0 ? "" : unreadable(errno);
}

void require_readable(const std::string& path, const std::string& remedy) {
  const std::string why = why_unreadable(path);
  if (!why.empty())
    throw InputError(fmt::format("{}: {}{}{}", path, why, remedy.empty() ? "" : "; ", remedy));
}

void require_regular_or_none(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode)) return;
  throw InputError(fmt::format("{}: {}: remove it, or give another folder", path.string(),
                               S_ISDIR(facts.st_mode) ? "is a folder" : described(facts.st_mode)));
}

std::ifstream readable_stream(const std::string& path, const std::string& remedy) {
  require_readable(path, remedy);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: {}", path, unreadable(errno)));
  return file;
}

bool is_piped_source(const std::string& path) {
  struct stat facts {};
  return is_handed_over(path) && ::stat(path.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode);
}

void keep_source(const std::string& path, const std::string& text) {
  kept_sources().keep(path, text);
}

std::optional<std::string> text_of_source(const std::string& path, std::string& reason) {
  if (auto kept = kept_sources().find(path)) return kept;
  if (is_piped_source(path)) return text_of_pipe(path, reason);
  reason = why_unreadable(path);
  if (!reason.empty()) return std::nullopt;
  const Descriptor file(open_regular(path));
  std::string text;
  if (file < 0) reason = unreadable(errno);
  if (file < 0 || !read_to_end(file, text, reason)) return std::nullopt;
  return text;
}

}  // namespace talus
