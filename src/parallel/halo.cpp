#include "parallel/halo.hpp"

#include "talus/core/error.hpp"

#include "parallel/ranks.hpp"

#include <chrono>
#include <fmt/core.h>
#include <stdexcept>

namespace talus {

struct Halo::Requests {
  std::vector<MPI_Request> all;  // receives, then sends
  std::vector<MPI_Status> statuses;
};

Halo::Halo(const Communicator& comm, std::vector<HaloNeighbour> neighbours, HaloLayout layout)
    : comm_(comm),
      neighbours_(std::move(neighbours)),
      layout_(std::move(layout)),
      requests_(std::make_unique<Requests>()) {
  if (neighbours_.empty()) return;
  TALUS_ASSERT(comm_.size() > 1);
  constexpr int tag = 7002;
  const std::size_t width = layout_.offsets.size();
  for (const HaloNeighbour& n : neighbours_) {
    outgoing_.emplace_back(n.send.size() * width);
    incoming_.emplace_back(n.receive.size() * width);
    bytes_ += static_cast<std::int64_t>(n.send.size() * width * sizeof(double));
  }
  std::vector<MPI_Request>& all = requests_->all;
  all.assign(2 * neighbours_.size(), MPI_REQUEST_NULL);
  requests_->statuses.resize(all.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    check_mpi(MPI_Recv_init(incoming_[i].data(), static_cast<int>(incoming_[i].size()), MPI_DOUBLE,
                            neighbours_[i].rank, tag, comm_.ranks()->comm, &all[i]),
              "MPI_Recv_init");
    check_mpi(
        MPI_Send_init(outgoing_[i].data(), static_cast<int>(outgoing_[i].size()), MPI_DOUBLE,
                      neighbours_[i].rank, tag, comm_.ranks()->comm, &all[neighbours_.size() + i]),
        "MPI_Send_init");
  }
}

Halo::~Halo() {
  if (travelling_) {
    // An exception has left an exchange half way: MPI still writes here until the run is ended,
    // which is what comes next.
    static std::vector<std::vector<std::vector<double>>> left;
    left.push_back(std::move(outgoing_));
    left.push_back(std::move(incoming_));
    return;
  }
  for (MPI_Request& request : requests_->all)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

void Halo::start(const double* values) {
  if (empty()) return;
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    double* to = outgoing_[i].data();
    for (const Index item : neighbours_[i].send)
      for (const Index offset : layout_.offsets)
        *to++ = values[static_cast<std::int64_t>(layout_.stride) * item + offset];
  }
  std::vector<MPI_Request>& all = requests_->all;
  travelling_ = true;
  check_mpi(MPI_Startall(static_cast<int>(all.size()), all.data()), "MPI_Startall");
  Traffic& traffic = comm_.traffic();
  ++traffic.exchanges;
  traffic.messages += static_cast<std::int64_t>(neighbours_.size());
  traffic.bytes += bytes_;
}

bool Halo::poll() {
  if (!travelling_) return true;
  int done = 0;
  std::vector<MPI_Request>& all = requests_->all;
  std::vector<MPI_Status>& statuses = requests_->statuses;
  check_mpi(MPI_Testall(static_cast<int>(all.size()), all.data(), &done, statuses.data()),
            "MPI_Testall");
  if (done == 0) return false;
  travelling_ = false;
  // Open MPI 4.1 says nothing of persistent messages that were cut short: hence the counts
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    int count = 0;
    check_mpi(MPI_Get_count(&statuses[i], MPI_DOUBLE, &count), "MPI_Get_count");
    if (static_cast<std::size_t>(count) != incoming_[i].size())
      throw std::runtime_error(fmt::format("rank {} sent {} numbers where {} were expected",
                                           neighbours_[i].rank, count, incoming_[i].size()));
  }
  return true;
}

void Halo::finish(double* values) {
  if (empty()) return;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  // not MPI_Waitall: Open MPI 4.1 waits there for ever when one of the messages has failed
  while (!poll()) continue;
  comm_.traffic().wait_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    const double* from = incoming_[i].data();
    for (const Index item : neighbours_[i].receive)
      for (const Index offset : layout_.offsets)
        values[static_cast<std::int64_t>(layout_.stride) * item + offset] = *from++;
  }
}

}  // namespace talus
