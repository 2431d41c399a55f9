#pragma once

#include <string>

namespace talus::app {

/// The file in a run's folder that says whose it is. Of no meaning without its lock.
constexpr const char* lock_name = "run.lock";

/// The folder of a run belongs to one run until this ends or its process does: two would spoil each
/// other's tables. A file with a lock, which network file systems tell other machines of, unlike
/// those of folders. Where there are no locks, or the folder cannot be written to, nobody is kept
/// out.
class FolderLock {
 public:
  /// `folder` is there. InputError where another run has it, also after the seconds that the ranks
  /// of one that was killed may need to be gone.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  enum class Try { Held, Taken, NoLocks };
  Try attempt();

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace talus::app
