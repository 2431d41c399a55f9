// Damaged files: whatever stands in them, reading succeeds or throws InputError, in little time and
// memory.
//
// Each file is read in a child process, so that a crash or a hang is a failure with its seed and
// not the end of the tests. To see one again: TALUS_FUZZ_FIRST=<seed> TALUS_FUZZ_COUNT=1, and the
// mutated file is kept.

#include "talus/io/problem_file.hpp"

#include "io/hdf5/layouts.hpp"
#include "unit/io/file_surgery.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

// HDF5 loses some hundred bytes over some damaged objects; LeakSanitizer asks for suppressions.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace talus {
namespace {

using Bytes = std::vector<char>;

Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One to three wounds of the kinds that disks, networks and scripts inflict.
Bytes mutated(Bytes bytes, std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) { return bound == 0 ? 0 : random() % bound; };
  for (std::size_t wound = 1 + below(3); wound > 0 && !bytes.empty(); --wound) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(bytes.size() - at, 1 + below(64));
    switch (below(8)) {
      case 0:  // one bit
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:  // a few bytes
        for (std::size_t k = 0; k < std::min<std::size_t>(length, 8); ++k)
          bytes[at + k] = static_cast<char>(random());
        break;
      case 2:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
        break;
      case 3:
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\xff');
        break;
      case 4:  // the end is lost
        bytes.resize(at);
        break;
      case 5: {  // a piece of the file stands in another place
        const std::size_t from = below(bytes.size() - length + 1);
        std::memmove(bytes.data() + at, bytes.data() + from, length);
        break;
      }
      case 6: {  // numbers that sizes and addresses trip over
        const std::uint64_t number[] = {0, 1, 0x7fffffff, 0xffffffff, 1ULL << 40, ~0ULL, 0x80};
        const std::uint64_t value = number[below(std::size(number))];
        std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(length, 8));
        break;
      }
      default:  // one byte more or less than it was
        bytes[at] = static_cast<char>(bytes[at] + (below(2) == 0 ? 1 : -1));
        break;
    }
  }
  return bytes;
}

/// Small files of each layout.
std::vector<Bytes> sources(const test::Folder& folder) {
  BodyProblem bodies;
  bodies.add_body({0.0, 0.0, 0.5}, 1.0, {2, 0, 0, 2, 0, 2}, {0, 0, -0.1, 0, 0, 0});
  bodies.add_body({0.0, 0.0, 1.5}, 0.5, {2, 0.1, 0, 3, 0, 2}, {0, 0, -0.2, 0, 0, 0});
  bodies.add_contact(no_body, 0, {0, 0, 1}, {0, 0, 0}, 0.5, {0, 0, 0});
  bodies.add_contact(0, 1, {0, 0, 1}, {0, 0, 1}, 0.25, {0.1, 0, 0});
  bodies.add_joint_row(0, 1, {1, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0}, 0.0);
  LocalProblem local;
  local.dimension = 2;
  local.W = from_triplets(2, 2, {{0, 0, 1.0}, {1, 1, 1.0}, {0, 1, 0.1}, {1, 0, 0.1}});
  local.V = from_triplets(2, 1, {{0, 0, 1.0}});
  local.R = from_triplets(1, 1, {{0, 0, 1.0}});
  local.q = {-1.0, 0.5};
  local.s = {0.0};
  local.friction = {0.5};
  write_native(folder.file("native.h5"), bodies);
  write_fclib(folder.file("global.h5"), bodies);
  write_fclib(folder.file("local.h5"), local);
  write_solution(folder.file("local.h5"), {{0.0, 0.5}, {1.0, 0.0}, {0.0}, {}});
  bodies.rolling_friction = {0.01, 0.02};
  bodies.spinning_friction = {0.0, 0.0};
  local.W = from_triplets(3, 3, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 2, 1.0}, {0, 2, 0.1}, {2, 0, 0.1}});
  local.V = from_triplets(3, 1, {{0, 0, 1.0}});
  local.q = {-1.0, 0.5, 0.25};
  local.rolling_friction = {0.1};
  write_native(folder.file("native_rolling.h5"), bodies);
  write_fclib(folder.file("global_rolling.h5"), bodies);
  write_fclib(folder.file("local_rolling.h5"), local);
  std::vector<Bytes> files;
  for (const char* name : {"native.h5", "global.h5", "local.h5", "native_rolling.h5",
                           "global_rolling.h5", "local_rolling.h5"})
    files.push_back(bytes_of(folder.file(name)));
  return files;
}

/// Small real files, in the older format of HDF5 without checksums: damage reaches deeper.
std::vector<Bytes> real_sources() {
  std::vector<Bytes> files;
  for (const char* name :
       {"GFC3D_Example1.hdf5", "FC2D_SliderCrankLagrangian00000.hdf5", "NESpheres_10_1.hdf5",
        "RFC3D_sphere_1.hdf5", "Chute-ndof-768-nc-4-3_condensed.hdf5"}) {
    const std::string path = test::problems_folder() + "/fclib/" + name;
    if (std::filesystem::exists(path)) files.push_back(bytes_of(path));
  }
  return files;
}

/// Shared with the child: how far it came.
struct Progress {
  std::uint64_t seed = 0;
  std::uint64_t read = 0, refused = 0;
};

// Of a child that reads files of some 10 kB. The address sanitizer holds back 256 MB of freed
// memory for itself.
constexpr long most_memory_kb = 1000000;

/// Reads the mutations first .. last - 1; the process ends with 0 when each outcome was as it
/// should be.
void read_mutations(const std::vector<Bytes>& files, const std::string& path, std::uint64_t last,
                    bool add_solution, Progress& progress) {
  for (; progress.seed < last; ++progress.seed) {
    std::mt19937_64 random(progress.seed);
    const Bytes bytes = mutated(files[progress.seed % files.size()], random);
    std::filesystem::remove(
        path);  // some file systems write a file that is cut short to the disk at once
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ::alarm(20);
    try {
      read_problem(path);
      ++progress.read;
    } catch (const InputError&) {
      ++progress.refused;
    }
    try {  // as one rank of three sees it
      io::InputFile file(path);
      io::read_native_slice(file, 1, 3);
    } catch (const InputError&) {
    }
    try {
      read_solution(path);
    } catch (const InputError&) {
    }
    try {
      if (add_solution) write_solution(path, {{0.0, 0.5}, {1.0, 0.0}, {}, {}});
    } catch (const std::runtime_error&) {  // InputError, or HDF5 found no room in the ruins
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > most_memory_kb) throw std::runtime_error("too much memory");
  }
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// Forks until all mutations were read; a failure for each one that ended a child. Solutions are
/// added to files of our own writing only: HDF5 changes damaged files of its older formats at its
/// peril (docs/file_formats.md).
void fuzz(const std::vector<Bytes>& files, std::uint64_t count, bool add_solution) {
  const test::Folder folder;
  auto* progress = static_cast<Progress*>(
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(progress, MAP_FAILED);
  const std::uint64_t first = from_environment("TALUS_FUZZ_FIRST", 0);
  const std::uint64_t last = first + from_environment("TALUS_FUZZ_COUNT", count);
  const std::string path = folder.file("mutated.h5");
  progress->seed = first;
  while (progress->seed < last) {
    std::fflush(stdout);  // or the child prints it once more
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 0;
      try {
        read_mutations(files, path, last, add_solution, *progress);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "neither success nor InputError: %s\n", error.what());
        status = 1;
      }
      std::exit(status);  // HDF5 clears up: that must not crash either
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool as_it_should_be = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const std::string kept = ::testing::TempDir() + "talus_fuzz_" +
                             std::to_string(std::min(progress->seed, last - 1)) + ".h5";
    if (!as_it_should_be || last == first + 1)
      std::filesystem::copy_file(path, kept, std::filesystem::copy_options::overwrite_existing);
    if (as_it_should_be) break;
    ADD_FAILURE() << "seed " << progress->seed << ": "
                  << (WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "wrong outcome")
                  << "; the file is kept as " << kept;
    ++progress->seed;
  }
  ::testing::Test::RecordProperty("read", static_cast<int>(progress->read));
  ::testing::Test::RecordProperty("refused", static_cast<int>(progress->refused));
  std::printf("%llu mutations: %llu read, %llu refused\n",
              static_cast<unsigned long long>(last - first),
              static_cast<unsigned long long>(progress->read),
              static_cast<unsigned long long>(progress->refused));
  EXPECT_GT(progress->refused, 0u) << "mutations that nobody notices test nothing";
  ::munmap(progress, sizeof(Progress));
}

TEST(ProblemFuzz, DamagedFilesAreReadOrRefused) {
  const test::Folder folder;
  fuzz(sources(folder), 1200, true);
}

TEST(ProblemFuzz, DamagedRealFilesAreReadOrRefused) {
  const std::vector<Bytes> files = real_sources();
  if (files.empty()) GTEST_SKIP() << test::problems_folder() << " is not there; set TALUS_PROBLEMS";
  fuzz(files, 600, false);
}

TEST(NightlyProblemFuzz, DamagedFilesAreReadOrRefused) {
  const test::Folder folder;
  fuzz(sources(folder), 200000, true);
}

TEST(NightlyProblemFuzz, DamagedRealFilesAreReadOrRefused) {
  const std::vector<Bytes> files = real_sources();
  if (files.empty()) GTEST_SKIP() << test::problems_folder() << " is not there; set TALUS_PROBLEMS";
  fuzz(files, 100000, false);
}

}  // namespace
}  // namespace talus
