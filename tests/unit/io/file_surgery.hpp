#pragma once
// Makes files that our writers would never make, with HDF5 alone: not the code under test.

#include "talus/core/error.hpp"
#include "talus/io/problem_file.hpp"

#include "support/places.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

namespace talus::test {

/// Where the real problems are; need not exist.
inline std::string problems_folder() {
  return support::problems_folder().string();
}

/// A folder for one test, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "talus-io-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// An HDF5 file opened for changes, or made.
class Surgery {
 public:
  explicit Surgery(const std::string& path)
      : file_(std::filesystem::exists(path)
                  ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                  : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ~Surgery() { H5Fclose(file_); }
  Surgery(const Surgery&) = delete;
  Surgery& operator=(const Surgery&) = delete;

  void remove(const std::string& object) {
    EXPECT_GE(H5Ldelete(file_, object.c_str(), H5P_DEFAULT), 0);
  }
  void group(const std::string& name) {
    H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }

  void reals(const std::string& name, const std::vector<double>& values,
             std::vector<hsize_t> extent = {}) {
    put(name, H5T_NATIVE_DOUBLE, values.data(), values.size(), std::move(extent));
  }
  void integers(const std::string& name, const std::vector<int>& values,
                std::vector<hsize_t> extent = {}) {
    put(name, H5T_NATIVE_INT, values.data(), values.size(), std::move(extent));
  }
  void wide_integers(const std::string& name, const std::vector<std::int64_t>& values) {
    put(name, H5T_NATIVE_INT64, values.data(), values.size(), {});
  }
  void text(const std::string& name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size() + 1);
    put(name, type, value.c_str(), 1, {});
    H5Tclose(type);
  }
  /// A dataset that claims `count` numbers but holds none.
  void claim(const std::string& name, hsize_t count) {
    remove_if_there(name);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t set = H5Dcreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                 H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(set, 0);
    H5Dclose(set);
    H5Sclose(space);
  }
  template <class Number>
  void attribute(const std::string& object, const std::string& name, Number value) {
    const hid_t type = std::is_integral_v<Number> ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    if (H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0)
      H5Adelete_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(a, type, &value), 0);
    H5Aclose(a);
    H5Sclose(space);
  }
  void text_attribute(const std::string& object, const std::string& name,
                      const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    if (H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0)
      H5Adelete_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT);
    const hid_t a = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT,
                                      H5P_DEFAULT, H5P_DEFAULT);
    const char* pointer = value.c_str();
    EXPECT_GE(H5Awrite(a, type, &pointer), 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
  }
  void change(const std::string& name, std::size_t index, double value) {
    std::vector<double> values = all(name);
    values.at(index) = value;
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
  }
  std::vector<double> all(const std::string& name) {
    const hid_t set = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  /// A matrix group in whatever storage the numbers say.
  void matrix(const std::string& name, std::array<int, 4> m_n_nz_nzmax, const std::vector<int>& p,
              const std::vector<int>& i, const std::vector<double>& x) {
    remove_if_there(name);
    group(name);
    integers(name + "/m", {m_n_nz_nzmax[0]});
    integers(name + "/n", {m_n_nz_nzmax[1]});
    integers(name + "/nz", {m_n_nz_nzmax[2]});
    integers(name + "/nzmax", {m_n_nz_nzmax[3]});
    integers(name + "/p", p);
    integers(name + "/i", i);
    reals(name + "/x", x);
  }

 private:
  void remove_if_there(const std::string& name) {
    if (H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0) remove(name);
  }
  void put(const std::string& name, hid_t type, const void* values, hsize_t count,
           std::vector<hsize_t> extent) {
    remove_if_there(name);
    if (extent.empty()) extent = {count};
    const hid_t space = H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
    const hid_t set =
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    EXPECT_TRUE(count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
  }

  hid_t file_;
};

/// The faults that reading finds; none when it succeeds.
inline std::vector<std::string> faults_of(const std::string& path) {
  try {
    read_problem(path);
  } catch (const InputError& error) {
    return error.messages();
  }
  return {};
}

/// One way to spoil a sound file, and what must be said about it.
struct FileFault {
  std::string situation;
  std::function<void(Surgery&)> spoil;
  std::string place;  ///< dataset, index and value
  std::string remedy;
};

inline std::string situation_of(const ::testing::TestParamInfo<FileFault>& instance) {
  return instance.param.situation;
}

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
inline void PrintTo(const FileFault& fault, std::ostream* out) {
  *out << fault.situation;
}

}  // namespace talus::test
