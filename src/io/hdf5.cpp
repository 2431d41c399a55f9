#include "io/hdf5.hpp"

namespace talus::io {

std::string last_hdf5_error() {
  std::string text;
  // upward: the deepest call comes first, and it is the one that knows what it met
  const auto keep_first = [](unsigned level, const H5E_error2_t* error, void* data) -> herr_t {
    if (level == 0 && error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "no reason given" : text;
}

Handle file_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access, false, true);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  return access;
}

}  // namespace talus::io
