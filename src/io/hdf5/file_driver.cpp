#include "io/hdf5/file_driver.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace talus::io {
namespace {

/// What HDF5 keeps for us in a property list, copied byte by byte.
struct DriverInfo {
  FileState* state = nullptr;
};

/// HDF5 knows only its first member.
struct File {
  H5FD_t pub{};
  int descriptor = -1;
  bool writable = false;
  bool wide_lengths = false;  ///< lengths in its metadata have 8 bytes
  haddr_t end_of_allocation = 0, end_of_file = 0;
  FileState* state = nullptr;
};

File& of(H5FD_t* file) {
  return *reinterpret_cast<File*>(file);
}
const File& of(const H5FD_t* file) {
  return *reinterpret_cast<const File*>(file);
}

void remember(File& file, int error) {
  if (file.state->write_error == 0) file.state->write_error = error;
}

constexpr haddr_t largest_address = static_cast<haddr_t>(INT64_MAX);

/// What the superblock says, where it stands at the start. Versions 0 and 1 only: newer ones have
/// no local heaps.
bool has_wide_lengths(int descriptor) {
  constexpr std::size_t version_at = 8, width_at = 14;
  std::array<char, 16> start{};
  return ::pread(descriptor, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) &&
         std::memcmp(start.data(), "\x89HDF\r\n\x1a\n", version_at) == 0 &&
         start[version_at] <= 1 && start[width_at] == sizeof(std::uint64_t);
}

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t /*largest*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  const bool writable = (flags & H5F_ACC_RDWR) != 0;
  const int how = (writable ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                  ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0);
  const int descriptor = ::open(name, how, 0666);
  struct stat facts {};
  if (descriptor < 0 || ::fstat(descriptor, &facts) != 0) {
    info->state->write_error = errno;
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  std::unique_ptr<File> file(new (std::nothrow) File);
  if (file == nullptr) {  // no exception may pass through HDF5
    info->state->write_error = ENOMEM;
    ::close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->writable = writable;
  file->wide_lengths = has_wide_lengths(descriptor);
  file->end_of_file = static_cast<haddr_t>(facts.st_size);
  file->state = info->state;
  return &file.release()->pub;
}

/// Whatever HDF5 had to write has been written; now it must reach the disk.
herr_t close(H5FD_t* file) {
  const std::unique_ptr<File> f(&of(file));
  if (f->writable && f->state->write_error == 0 && ::fsync(f->descriptor) != 0) remember(*f, errno);
  if (::close(f->descriptor) != 0) remember(*f, errno);
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return of(file).end_of_allocation;
}

herr_t set_eoa(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  of(file).end_of_allocation = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return of(file).end_of_file;
}

/// HDF5 1.10 takes the size of a local heap on trust: one near 2^64 wraps in its sum, and it writes
/// over memory that is not its own. `begin` is the start of a piece of metadata; layout in HDF5's
/// file format, III.D.
bool is_sane(const File& file, const char* begin, std::size_t size) {
  constexpr std::size_t at_size = 8;
  if (!file.wide_lengths || size < at_size + sizeof(std::uint64_t) ||
      std::memcmp(begin, "HEAP", 4) != 0)
    return true;
  std::uint64_t heap_size =
      0;  // little-endian, of 8 bytes where the superblock says so: all files that we met
  std::memcpy(&heap_size, begin + at_size, sizeof heap_size);
  return heap_size <= file.end_of_file;
}

/// Only what is in the file: an address beyond it comes from damage.
herr_t read(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t address, std::size_t size,
            void* buffer) {
  const File& f = of(file);
  if (address > f.end_of_file || size > f.end_of_file - address) return -1;
  const std::size_t whole = size;
  auto* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(f.descriptor, to, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {  // after a write that failed
      std::memset(to, 0, size);
      return 0;
    }
    to += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return type == H5FD_MEM_DRAW || is_sane(f, static_cast<const char*>(buffer), whole) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
             std::size_t size, const void* buffer) {
  File& f = of(file);
  f.end_of_file = std::max(f.end_of_file, address + size);
  const auto* from = static_cast<const char*>(buffer);
  while (size > 0 && f.state->write_error == 0) {
    const ssize_t put = ::pwrite(f.descriptor, from, size, static_cast<off_t>(address));
    if (put < 0) {
      if (errno != EINTR) remember(f, errno);
      continue;
    }
    from += put;
    address += static_cast<haddr_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  File& f = of(file);
  if (f.end_of_allocation == f.end_of_file) return 0;
  if (f.state->write_error == 0 &&
      ::ftruncate(f.descriptor, static_cast<off_t>(f.end_of_allocation)) != 0)
    remember(f, errno);
  f.end_of_file = f.end_of_allocation;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t c{};
#ifdef H5FD_CLASS_VERSION
  c.version = H5FD_CLASS_VERSION;
  c.value = static_cast<H5FD_class_value_t>(512);  // the first number that HDF5 leaves to others
#endif
  c.name = "talus";
  c.maxaddr = largest_address;
  c.fc_degree = H5F_CLOSE_WEAK;
  c.fapl_size = sizeof(DriverInfo);
  c.open = open;
  c.close = close;
  c.query = query;
  c.get_eoa = get_eoa;
  c.set_eoa = set_eoa;
  c.get_eof = get_eof;
  c.read = read;
  c.write = write;
  c.truncate = truncate;
  const H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kinds), std::end(kinds), c.fl_map);
  return c;
}

}  // namespace

Handle file_access(FileState& state) {
  static const H5FD_class_t driver = driver_class();
  // HDF5 forgets its drivers when someone closes the library: ask for this one anew where that has
  // happened
  static hid_t id = -1;
  if (id < 0 || H5Iget_type(id) != H5I_VFL) id = H5FDregister(&driver);
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const DriverInfo info{&state};
  if (id < 0 || H5Pset_driver(access, id, &info) < 0) return {};
  H5Pset_sieve_buf_size(access, 0);
  H5Pset_file_locking(access, false, true);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

}  // namespace talus::io
