// What a machine may do to a program, on purpose: preloaded before it (LD_PRELOAD), in front of the
// system calls of output and of operator new, aligned or not.
//
// TALUS_MACHINE_FAULT is CALL:ERROR:FIRST:LAST[:PATH]: calls number FIRST to LAST (from 1; 0: no
// end) of CALL on files whose name has PATH in it fail with ERROR.
//   CALL   open (to write), write, fsync, rename, close, memory (operator new)
//   ERROR  ENOSPC, EIO, EACCES, EROFS, EINTR, short (a write takes half), kill (SIGKILL)
// TALUS_MACHINE_FAULT_WHEN: nothing fails, and nothing is counted, before this file is there.
// TALUS_MACHINE_FAULT_COUNT: how many calls there were is written into this file at the end.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Fault {
  char call[16] = "", error[16] = "", path[256] = "";
  long first = 0, last = 0;
  const char* when = nullptr;
};

Fault fault_from_environment() {
  Fault fault;
  const char* text = std::getenv("TALUS_MACHINE_FAULT");
  if (text != nullptr)
    std::sscanf(text, "%15[^:]:%15[^:]:%ld:%ld:%255s", fault.call, fault.error, &fault.first,
                &fault.last, fault.path);
  fault.when = std::getenv("TALUS_MACHINE_FAULT_WHEN");
  return fault;
}

const Fault& fault() {
  static const Fault wanted = fault_from_environment();
  return wanted;
}

std::atomic<long> calls{0};

/// At the end of the program.
struct Counter {
  ~Counter() {
    const char* name = std::getenv("TALUS_MACHINE_FAULT_COUNT");
    if (name == nullptr) return;
    char line[32];
    const int size = std::snprintf(line, sizeof line, "%ld\n", calls.load());
    const long file = syscall(SYS_open, name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) return;
    syscall(SYS_write, file, line, size);
    syscall(SYS_close, file);
  }
} const counter;

int number_of(const char* error) {
  if (std::strcmp(error, "ENOSPC") == 0) return ENOSPC;
  if (std::strcmp(error, "EACCES") == 0) return EACCES;
  if (std::strcmp(error, "EROFS") == 0) return EROFS;
  if (std::strcmp(error, "EINTR") == 0) return EINTR;
  return EIO;
}

/// Counts the call; whether it is one that fails.
bool fails(const char* call, const char* path) {
  const Fault& f = fault();
  if (std::strcmp(f.call, call) != 0) return false;
  // what MPI writes for itself, and locks that are removed while they are held: nobody's output
  if (path != nullptr &&
      (std::strstr(path, "/ompi.") != nullptr || std::strstr(path, " (deleted)") != nullptr))
    return false;
  if (f.path[0] != '\0' && (path == nullptr || std::strstr(path, f.path) == nullptr)) return false;
  if (f.when != nullptr && syscall(SYS_access, f.when, F_OK) != 0) return false;
  const long number = ++calls;
  if (number < f.first || (f.last > 0 && number > f.last)) return false;
  if (std::strcmp(f.error, "kill") == 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  errno = number_of(f.error);
  return true;
}

bool fails(const char* call, int file) {
  if (std::strcmp(fault().call, call) != 0) return false;
  const long flags = syscall(SYS_fcntl, file, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return false;  // nothing of it can be lost
  char link[64], path[512] = "";
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long size = syscall(SYS_readlink, link, path, sizeof path - 1);
  if (size <= 0 || path[0] != '/' || std::strncmp(path, "/dev/", 5) == 0) return false;
  path[size] = '\0';
  if (std::strstr(path, " (deleted)") != nullptr) return false;  // nor of a file without a name
  return fails(call, path);
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_short() {
  return std::strcmp(fault().error, "short") == 0;
}

mode_t mode_of(int flags, std::va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(list, int)) : 0;
}

bool writes(int flags) {
  return (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  if (writes(flags) && fails("open", path)) return -1;
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  return real(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  if (writes(flags) && fails("open", path)) return -1;
  static const auto real = next<int (*)(const char*, int, ...)>("open64");
  return real(path, flags, mode);
}

FILE* fopen(const char* path, const char* how) {
  if (how[0] != 'r' && fails("open", path)) return nullptr;
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen");
  return real(path, how);
}

FILE* fopen64(const char* path, const char* how) {
  if (how[0] != 'r' && fails("open", path)) return nullptr;
  static const auto real = next<FILE* (*)(const char*, const char*)>("fopen64");
  return real(path, how);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (!fails("write", file)) return real(file, bytes, size);
  return is_short() ? real(file, bytes, size / 2 + 1 <= size ? size / 2 + 1 : size) : -1;
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t place) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (!fails("write", file)) return real(file, bytes, size, place);
  return is_short() ? real(file, bytes, size / 2 + 1 <= size ? size / 2 + 1 : size, place) : -1;
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t place) {
  return pwrite(file, bytes, size, place);
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails("fsync", file) ? -1 : real(file);
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails("rename", to) ? -1 : real(from, to);
}

int close(int file) {
  static const auto real = next<int (*)(int)>("close");
  if (!fails("close", file)) return real(file);
  const int reason = errno;
  real(file);  // as Linux does: the number is free again whatever the call says
  errno = reason;
  return -1;
}
}

namespace {

/// As operator new does where the system gives none.
[[noreturn]] void refuse() {
  if (const std::new_handler handler = std::get_new_handler()) handler();
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  if (fails("memory", "")) refuse();
  void* const found = std::malloc(size > 0 ? size : 1);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}
/// Of vectors that begin on a cache line.
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (fails("memory", "")) refuse();
  const auto unit = static_cast<std::size_t>(alignment);
  void* const found =
      std::aligned_alloc(unit, (size + unit - 1) / unit * unit + (size > 0 ? 0 : unit));
  if (found == nullptr) throw std::bad_alloc();
  return found;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
