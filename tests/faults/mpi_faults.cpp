// What can go wrong between ranks, on purpose: preloaded before the program (LD_PRELOAD), in front
// of MPI by its profiling interface.
//
// TALUS_FAULT is one of
//   delay            every call of MPI waits up to 2 ms first, by chance
//   reorder          messages are started one by one in an order by chance, waiting in between, and
//                    the program learns late of those that have come
//   kill:RANK:N      the rank ends by SIGKILL in its N-th reduction
//   memory:RANK:N    the rank runs out of memory there: a throw between two collectives
//   error:RANK:N     MPI reports a failure there
//   truncate:RANK:N  from the N-th on the messages that it prepares are one number longer than
//                    their receivers expect
//   cut:RANK:N       the N-th message that it sends to be received at once loses its last 8 bytes

#include <mpi.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

struct Fault {
  std::string kind;
  int rank = -1;
  long call = -1;
};

Fault fault_from_environment() {
  Fault fault;
  const char* text = std::getenv("TALUS_FAULT");
  if (text == nullptr) return fault;
  const std::string all = text;
  const std::size_t first = all.find(':');
  fault.kind = all.substr(0, first);
  if (first == std::string::npos) return fault;
  const std::size_t second = all.find(':', first + 1);
  fault.rank = std::atoi(all.c_str() + first + 1);
  fault.call = std::atol(all.c_str() + second + 1);
  return fault;
}

const Fault& fault() {
  static const Fault wanted = fault_from_environment();
  return wanted;
}

int own_rank() {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool strikes(const char* kind, long call) {
  return fault().kind == kind && call == fault().call && own_rank() == fault().rank;
}

/// 31 bits by chance, others on every rank.
std::uint64_t chance() {
  static std::uint64_t state = 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(own_rank() + 1);
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33;
}

/// Up to so many microseconds, a quarter of the times.
void wait_by_chance(std::uint64_t longest) {
  const std::uint64_t drawn = chance();
  if ((drawn >> 27) < 4) usleep(static_cast<useconds_t>(drawn % longest));
}

void maybe_wait() {
  constexpr std::uint64_t longest = 2000;
  if (fault().kind == "delay") wait_by_chance(longest);
}

long reductions = 0;
long reordered = 0;  // exchanges

int start_in_any_order(int count, MPI_Request* requests) {
  ++reordered;
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[chance() % i]);
  for (const int i : order) {
    constexpr std::uint64_t longest = 500;
    wait_by_chance(longest);
    // a started request keeps its handle: the array needs no change
    const int status = PMPI_Start(&requests[i]);
    if (status != MPI_SUCCESS) return status;
  }
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  maybe_wait();
  ++reductions;
  if (strikes("kill", reductions)) std::raise(SIGKILL);
  if (strikes("memory", reductions)) throw std::bad_alloc();
  if (strikes("error", reductions)) return MPI_ERR_OTHER;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Startall(int count, MPI_Request* requests) {
  maybe_wait();
  if (fault().kind == "reorder") return start_in_any_order(count, requests);
  return PMPI_Startall(count, requests);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  maybe_wait();
  return PMPI_Waitall(count, requests, statuses);
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  maybe_wait();
  if (fault().kind == "reorder" && count > 0 && chance() % 2 == 0) {
    // one message moves on, and nobody hears of it
    int done = 0;
    *flag = 0;
    return PMPI_Request_get_status(requests[chance() % static_cast<std::uint64_t>(count)], &done,
                                   MPI_STATUS_IGNORE);
  }
  return PMPI_Testall(count, requests, flag, statuses);
}

/// Says that the fault was there: a library that nobody preloads would let its test pass.
int MPI_Finalize() {
  if (reordered > 0 && own_rank() == 0)
    std::fprintf(stderr, "fault: %ld exchanges out of order\n", reordered);
  return PMPI_Finalize();
}

/// A message that is shorter than the one before it had announced.
// NOLINTNEXTLINE(readability-function-size): MPI's own parameters
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  maybe_wait();
  static long sent = 0;
  constexpr int lost = 8;  // bytes
  if (count > lost) ++sent;
  const bool is_cut = count > lost && strikes("cut", sent);
  return PMPI_Isend(data, is_cut ? count - lost : count, type, to, tag, comm, request);
}

/// A message is made too long for its receiver, which MPI then reports there as truncated.
// NOLINTNEXTLINE(readability-function-size): MPI's own parameters
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  static long made = 0;
  ++made;
  const bool is_longer =
      fault().kind == "truncate" && made >= fault().call && own_rank() == fault().rank;
  if (!is_longer) return PMPI_Send_init(data, count, type, to, tag, comm, request);
  auto* longer = new double[static_cast<std::size_t>(count) + 1]();  // lives as long as the run
  std::memcpy(longer, data, sizeof(double) * static_cast<std::size_t>(count));
  return PMPI_Send_init(longer, count + 1, type, to, tag, comm, request);
}
}
