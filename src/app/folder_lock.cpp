#include "app/folder_lock.hpp"

#include "talus/core/error.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace talus::app {
namespace {

/// A run that has just ended may have removed the file that was opened: its lock means nothing.
bool is_file_of(int descriptor, const std::string& path) {
  struct stat opened {
  }, there{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

}  // namespace

FolderLock::Try FolderLock::attempt() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return Try::NoLocks;
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    if (is_file_of(descriptor_, path_)) return Try::Held;
  } else if (errno != EWOULDBLOCK) {
    ::unlink(path_.c_str());
    ::close(descriptor_);
    descriptor_ = -1;
    return Try::NoLocks;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  return Try::Taken;
}

FolderLock::FolderLock(const std::string& folder)
    : path_((std::filesystem::path(folder) / lock_name).string()) {
  constexpr int attempts = 30;
  constexpr std::chrono::milliseconds pause(100);
  for (int i = 0; i < attempts; ++i) {
    if (attempt() != Try::Taken) return;
    std::this_thread::sleep_for(pause);
  }
  throw InputError(fmt::format(
      "{}: another run is writing into it; wait for its end, or give another folder: --output DIR",
      folder));
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());  // while it is held: nobody else's is removed
  ::close(descriptor_);
}

}  // namespace talus::app
