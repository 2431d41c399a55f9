#include "io/put_at.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace talus::io {
namespace {

/// These bytes belong to this process while it writes. Nobody ever waits for them, but a client of
/// NFS that sees no lock may write the whole page around a part of it, and undo so what another
/// machine has put there (nfs(5), "noalignwrite").
class PlaceLock {
 public:
  PlaceLock(int descriptor, std::int64_t place, std::uint64_t bytes)
      : descriptor_(descriptor), place_(place), bytes_(bytes) {
    set(F_WRLCK);
  }
  ~PlaceLock() { set(F_UNLCK); }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;

 private:
  /// Where there are no locks, there is nothing to be done about it.
  void set(short kind) const {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(place_);
    lock.l_len = static_cast<off_t>(bytes_);
    const int before = errno;
    [[maybe_unused]] const int done = ::fcntl(descriptor_, F_SETLK, &lock);
    errno = before;
  }

  int descriptor_;
  std::int64_t place_;
  std::uint64_t bytes_;
};

}  // namespace

bool put_at(int descriptor, std::int64_t place, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return true;  // a lock of no bytes is one to the end of the file
  const PlaceLock lock(descriptor, place, bytes);
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = ::pwrite(descriptor, at, bytes, static_cast<off_t>(place));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    at += done;
    place += done;
    bytes -= static_cast<std::uint64_t>(done);
  }
  return true;
}

}  // namespace talus::io
