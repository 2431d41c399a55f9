#pragma once
// HDF5's C objects with owners, and its complaints as text instead of prints.

#include "talus/parallel/communicator.hpp"

#include <hdf5.h>

#include <string>
#include <utility>

namespace talus::io {

/// An open HDF5 object. Test with bool: an open that failed holds nothing.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // it is one, for HDF5's functions
  /// False when HDF5 could not finish what was left to do (a full disk shows here).
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// HDF5 prints nothing while one of these lives. A handler that the host program has set comes back
/// afterwards; HDF5's own prints do not: at exit it would tell the user of an "infinite loop" for
/// every damaged object it once met.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t handler_ = nullptr;
  void* data_ = nullptr;
};

/// What HDF5 says was wrong at the deepest level of the call that just failed.
std::string last_hdf5_error();

// The last bytes of a file that must not be used damaged: its length and a sum of all its words.
// HDF5 does not mind what stands behind its own end. docs/file_formats.md

/// Puts a seal behind what stands in the file, and all of it on the disk; every rank adds up its
/// share. Throws std::runtime_error naming `goal`. Collective.
void put_seal(const Communicator& comm, const std::string& path, const std::string& goal);

/// Throws InputError, on all ranks, unless the file is whole: its seal is there and fits.
/// Collective.
void check_seal(const Communicator& comm, const std::string& path);

}  // namespace talus::io
