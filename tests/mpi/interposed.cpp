#include "mpi/interposed.hpp"

#include <mpi.h>

#include <map>
#include <utility>

namespace talus {
namespace {

Interposed counts;
Spoil spoil;

/// Bytes of the persistent sends that exist.
std::map<MPI_Request, std::int64_t>& prepared() {
  static std::map<MPI_Request, std::int64_t> sends;
  return sends;
}

}  // namespace

const Interposed& interposed() {
  return counts;
}

void reset_interposed() {
  counts = {};
}

void spoil_messages(Spoil how) {
  spoil = std::move(how);
}

}  // namespace talus

extern "C" {

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++talus::counts.reductions;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

// NOLINTNEXTLINE(readability-function-size): MPI's own parameters
int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const int status = PMPI_Send_init(data, count, type, to, tag, comm, request);
  int size = 0;
  PMPI_Type_size(type, &size);
  talus::prepared()[*request] = std::int64_t{size} * count;
  return status;
}

// NOLINTNEXTLINE(readability-function-size): MPI's own parameters
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  talus::counts.single_bytes += std::int64_t{size} * count;
  // the memory is a test's own, which it lets be written to
  if (talus::spoil)
    talus::spoil(static_cast<std::byte*>(const_cast<void*>(data)), std::int64_t{size} * count);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Request_free(MPI_Request* request) {
  talus::prepared().erase(*request);
  return PMPI_Request_free(request);
}

int MPI_Startall(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    const auto found = talus::prepared().find(requests[i]);
    if (found == talus::prepared().end()) continue;
    ++talus::counts.messages;
    talus::counts.bytes += found->second;
  }
  return PMPI_Startall(count, requests);
}
}
