#include "io/hdf5/hdf5.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"
#include "talus/problem/body_problem.hpp"

#include "core/key_order.hpp"
#include "core/regular_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace talus::io {
namespace {

/// The handler that HDF5 starts with: a new stack of errors has it.
H5E_auto2_t prints_of_hdf5() {
  const Handle stack(H5Ecreate_stack(), H5Eclose_stack);
  H5E_auto2_t handler = nullptr;
  void* data = nullptr;
  H5Eget_auto2(stack, &handler, &data);
  return handler;
}

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &handler_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
  if (handler_ != prints_of_hdf5()) H5Eset_auto2(H5E_DEFAULT, handler_, data_);
}

std::string last_hdf5_error() {
  std::array<char, 512> text{};  // no exception may pass through HDF5, not that of a string either
  // upward: the deepest call comes first, and it is the one that knows what it met
  const auto keep_first = [](unsigned level, const H5E_error2_t* error, void* data) -> herr_t {
    auto& kept = *static_cast<std::array<char, 512>*>(data);
    if (level == 0 && error->desc != nullptr)
      std::strncpy(kept.data(), error->desc, kept.size() - 1);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text[0] == '\0' ? "no reason given" : text.data();
}

namespace {

struct Seal {
  std::array<char, 8> name{'t', 'a', 'l', 'u', 's', 'e', 'n', 'd'};
  std::uint64_t length = 0;  ///< bytes in front of it
  std::uint64_t sum = 0;
};
static_assert(sizeof(Seal) == 24, "as it stands in files");

/// Whole or false, with errno.
bool read_all(int file, char* to, std::size_t size, off_t at) {
  while (size > 0) {
    const ssize_t got = ::pread(file, to, size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) return false;
    to += got;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::int64_t size_of_file(int file) {
  struct stat status {};
  return file >= 0 && ::fstat(file, &status) == 0 ? static_cast<std::int64_t>(status.st_size) : -1;
}

/// Of the words of the first `length` bytes that are this rank's share, each with its place, so
/// that shares add up (mod 2^64). The last word may be short. Nothing where it cannot be read.
bool sum_of_share(int file, std::int64_t length, const Communicator& comm, std::uint64_t& sum) {
  constexpr std::int64_t word = 8, piece = 1 << 18;  // words at a time
  const SliceRange share = slice_range((length + word - 1) / word, comm.rank(), comm.size());
  std::vector<std::uint64_t> words(static_cast<std::size_t>(std::min(piece, share.count())));
  sum = 0;
  for (std::int64_t first = share.first; first < share.last; first += piece) {
    const std::int64_t count = std::min(piece, share.last - first);
    const std::int64_t bytes = std::min(length - first * word, count * word);
    words[static_cast<std::size_t>(count) - 1] = 0;
    if (!read_all(file, reinterpret_cast<char*>(words.data()), static_cast<std::size_t>(bytes),
                  first * word))
      return false;
    for (std::int64_t i = 0; i < count; ++i)
      sum += mixed_bits(words[i] ^ mixed_bits(static_cast<std::uint64_t>(first + i)));
  }
  return true;
}

std::uint64_t added(const Communicator& comm, std::uint64_t mine) {
  std::array<std::uint64_t, 1> sum{mine};
  comm.sum(sum);
  return sum[0];
}

}  // namespace

void put_seal(const Communicator& comm, const std::string& path, const std::string& goal) {
  Seal seal;
  agree(comm, [&] {
    const Descriptor file(open_regular(path));
    const std::int64_t size = size_of_file(file);
    seal.length = static_cast<std::uint64_t>(size);
    if (size < 0 || !sum_of_share(file, size, comm, seal.sum))
      throw std::runtime_error(
          fmt::format("{}: could not be read again: {}", goal, std::strerror(errno)));
  });
  seal.sum = added(comm, seal.sum);
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file < 0 || !write_all(file, &seal, sizeof seal) || ::fsync(file) != 0 || !file.close())
      throw std::runtime_error(
          fmt::format("{}: its end could not be written: {}", goal, std::strerror(errno)));
  });
}

void check_seal(const Communicator& comm, const std::string& path) {
  Seal found;
  std::uint64_t sum = 0;
  agree(comm, [&] {
    const Descriptor file(open_regular(path));
    if (file < 0) {
      require_readable(path);
      throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
    }
    const std::int64_t size = size_of_file(file);
    const std::int64_t length = size - static_cast<std::int64_t>(sizeof(Seal));
    if (length < 0 || !read_all(file, reinterpret_cast<char*>(&found), sizeof found, length) ||
        found.name != Seal{}.name || found.length != static_cast<std::uint64_t>(length))
      throw InputError(
          fmt::format("{}: is no whole checkpoint: its end is missing (a state is none, too); take "
                      "an earlier one",
                      path));
    if (!sum_of_share(file, length, comm, sum))
      throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  });
  if (added(comm, sum) != found.sum)
    throw InputError(fmt::format(
        "{}: is damaged: its bytes are not those that were written; take an earlier one", path));
}

}  // namespace talus::io
