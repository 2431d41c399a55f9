// The start and the end of MPI, and what is said when it fails.

#include "talus/parallel/communicator.hpp"

#include "parallel/ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>
#include <unistd.h>

namespace talus {
namespace {

std::atomic<const char*> phase_now{""};        // a handler of signals may ask
std::atomic<const char*> phase_left{nullptr};  // by an exception
std::atomic<std::int64_t> step_now{0};
static_assert(std::atomic<const char*>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "or a handler may not touch them");

/// The first of these variables that is set, as a number.
int number_in_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names)
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return otherwise;
}

}  // namespace

int launched_ranks() {
  // Open MPI's mpirun; MPICH's launchers; srun with PMIx, which sets no size of its own
  const int ranks = number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 0);
  if (ranks > 0) return ranks;
  return std::getenv("PMIX_RANK") != nullptr ? number_in_environment({"SLURM_STEP_NUM_TASKS"}, 1)
                                             : 1;
}

int launched_rank() {
  return number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}, 0);
}

namespace {

/// Several processes that do not know of each other would each solve the whole and write the same
/// files.
void require_known_launcher() {
  const bool known = number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 0) > 0 ||
                     std::getenv("PMIX_RANK") != nullptr;
  const int tasks = number_in_environment({"SLURM_STEP_NUM_TASKS"}, 1);
  if (!known && tasks > 1 && std::getenv("SLURM_PROCID") != nullptr)
    throw std::runtime_error(fmt::format(
        "srun started {} tasks that know nothing of each other (no PMI): start them by mpirun "
        "inside sbatch, as jobs/slurm/solve.sbatch does",
        tasks));
}

void require_all_ranks() {
  int ranks = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  if (ranks != launched_ranks())
    throw std::runtime_error(fmt::format(
        "{} ranks were launched, but MPI knows of {}: the launcher belongs to another MPI than the "
        "one that talus was built with; use the mpirun of that one",
        launched_ranks(), ranks));
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  require_known_launcher();
  if (launched_ranks() <= 1) return;
  int given = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
    throw std::runtime_error("MPI could not be started");
  started_ = true;
  if (given < MPI_THREAD_FUNNELED)
    throw std::runtime_error(
        "this MPI does not allow threads beside the one that communicates (MPI_THREAD_FUNNELED): "
        "use one that was built with thread support");
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require_all_ranks();
}

MpiSession::~MpiSession() {
  if (!started_) return;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

void MpiSession::abort(int exit_code) {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (started != 0 && ended == 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

Phase::Phase(const char* name)
    : name_(name), outer_(phase_now), exceptions_(std::uncaught_exceptions()) {
  phase_now = name;
  phase_left = nullptr;
}

Phase::~Phase() {
  if (std::uncaught_exceptions() > exceptions_ && phase_left == nullptr) phase_left = name_;
  phase_now = outer_;
}

std::string Phase::of_failure() {
  const char* const left = phase_left;
  return left != nullptr ? left : phase_now.load();
}

std::string Phase::current() {
  return phase_now.load();
}

void Phase::set_step(std::int64_t step) {
  step_now = step;
}

std::int64_t Phase::step() {
  return step_now;
}

std::string Phase::place_of_failure() {
  const std::string phase = of_failure();
  return (step_now > 0 ? fmt::format(", step {}", step_now.load()) : "") +
         (phase.empty() ? "" : ", while " + phase);
}

// Nothing here allocates or locks: the signal may have come within malloc.
void Phase::write_place(int descriptor, const char* before, const char* after) noexcept {
  const int errno_before = errno;
  std::array<char, 1024> line{};  // on the stack of a handler
  char* to = line.data();
  char* const end = line.data() + line.size();
  const auto add = [&](const char* text) {
    const auto length =
        std::min<std::ptrdiff_t>(end - to, static_cast<std::ptrdiff_t>(std::strlen(text)));
    to = std::copy_n(text, length, to);
  };
  add(before);
  if (step_now > 0) {
    add(", step ");
    to = std::to_chars(to, end, step_now.load()).ptr;
  }
  const char* phase = phase_now;
  if (*phase != '\0') {
    add(", while ");
    add(phase);
  }
  add(after);
  // where nobody reads there is nobody to tell
  [[maybe_unused]] const ssize_t put =
      ::write(descriptor, line.data(), static_cast<std::size_t>(to - line.data()));
  errno = errno_before;
}

void check_mpi(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::string words(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(status, words.data(), &length);
  words.resize(static_cast<std::size_t>(length));
  throw std::runtime_error(fmt::format("{} failed: {}", call, words));
}

}  // namespace talus
