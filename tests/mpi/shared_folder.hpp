#pragma once
// A folder that all ranks see, and what tests of files on ranks need.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>

namespace talus::test {

/// Made and removed by rank 0. Collective.
class SharedFolder {
 public:
  SharedFolder() {
    Bytes name;
    if (world.rank() == 0) {
      std::string made = (std::filesystem::temp_directory_path() / "talus-mpi-XXXXXX").string();
      EXPECT_NE(::mkdtemp(made.data()), nullptr);
      name = to_bytes(std::span<const char>(made));
    }
    world.broadcast(name, 0);
    const std::vector<char> letters = from_bytes<char>(name);
    path_ = std::string(letters.begin(), letters.end());
  }
  ~SharedFolder() {
    world.barrier();
    if (world.rank() == 0) std::filesystem::remove_all(path_);
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  std::string path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::size_t entries() const {
    world.barrier();
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }
  /// One rank does it, then all go on.
  void on_rank_0(const std::function<void()>& action) const {
    if (world.rank() == 0) action();
    world.barrier();
  }

  const Communicator world = Communicator::world();

 private:
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What `action` throws on this rank; empty when it does not. Every rank must throw the same.
/// Collective.
inline std::string agreed_message(const Communicator& world, const std::function<void()>& action) {
  std::string message;
  try {
    action();
  } catch (const std::exception& error) {
    message = error.what();
  }
  Bytes first = to_bytes(std::span<const char>(message));
  world.broadcast(first, 0);
  const std::vector<char> letters = from_bytes<char>(first);
  EXPECT_EQ(message, std::string(letters.begin(), letters.end()));
  return message;
}

}  // namespace talus::test
