#include "io/hdf5.hpp"

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
  std::string text;
  // upward: the deepest call comes first, and it is the one that knows what it met
  const auto keep_first = [](unsigned level, const H5E_error2_t* error, void* data) -> herr_t {
    if (level == 0 && error->desc != nullptr) *static_cast<std::string*>(data) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "no reason given" : text;
}

}  // namespace talus::io
