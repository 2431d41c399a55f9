#include "talus/parallel/communicator.hpp"

#include "talus/core/error.hpp"
#include "talus/parallel/exact_sum.hpp"

#include "parallel/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace talus {
namespace {

/// A LocalSums as it travels: all in one message, so that one reduction is one collective call.
struct SumsMessage {
  std::array<Int128, max_fused_sums> total;
  std::array<double, max_fused_sums> largest;
  std::int64_t count, flags;
  std::uint64_t words;
};

/// Integer sums, maxima, flags: associative and commutative, so every reduction tree gives the same
/// bits.
void merge(SumsMessage& into, const SumsMessage& from) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(into.count); ++k) {
    into.total[k] += from.total[k];
    into.largest[k] = std::max(from.largest[k], into.largest[k]);
  }
  into.flags |= from.flags;
  into.words += from.words;
}
using ReducedSums = ReducedAs<SumsMessage, merge>;

constexpr int stop_flag_shift = 32;  // of the flags of a message: LocalSums has the lower half
/// std::int64_t, by a function: clang-tidy knows no MPI type for a long but MPI_LONG.
MPI_Datatype whole_number() {
  return MPI_INT64_T;
}

constexpr int piece = 1 << 30;  // MPI counts are 32-bit: longer messages travel in pieces

/// A message, or a piece of one, that was announced.
struct Awaited {
  int rank = 0, bytes = 0;
};

/// Every message is as long as its sender had announced, or this throws: MPI itself is silent about
/// one that is shorter.
void wait_for_all(std::vector<MPI_Request>& requests, const std::vector<Awaited>& awaited) {
  std::vector<MPI_Status> statuses(requests.size());
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data()),
            "MPI_Waitall");
  for (std::size_t i = 0; i < awaited.size(); ++i) {
    const auto [rank, bytes] = awaited[i];
    int count = 0;
    check_mpi(MPI_Get_count(&statuses[i], MPI_BYTE, &count), "MPI_Get_count");
    if (count != bytes)
      throw std::runtime_error(
          fmt::format("rank {} sent {} bytes where it had announced {}", rank, count, bytes));
  }
}

}  // namespace

Traffic operator-(const Traffic& a, const Traffic& b) {
  return {a.reductions - b.reductions,
          a.collectives - b.collectives,
          a.exchanges - b.exchanges,
          a.messages - b.messages,
          a.bytes - b.bytes,
          a.reduction_seconds - b.reduction_seconds,
          a.wait_seconds - b.wait_seconds};
}

Communicator Communicator::self() {
  return Communicator(nullptr);
}

Communicator Communicator::world() {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) return self();
  static const MPI_Comm own = [] {  // lives as long as MPI
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &made), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return made;
  }();
  auto ranks = std::make_shared<Ranks>();
  ranks->comm = own;
  return Communicator(std::move(ranks));
}

Communicator::Communicator(std::shared_ptr<Ranks> ranks)
    : ranks_(std::move(ranks)),
      traffic_(std::make_shared<Traffic>()),
      piggybacked_(std::make_shared<PiggybackedWords>()) {
  if (ranks_ == nullptr) return;
  check_mpi(MPI_Comm_rank(ranks_->comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(ranks_->comm, &size_), "MPI_Comm_size");
}

void Communicator::reduce(LocalSums& sums) const {
  ++traffic_->reductions;
  piggybacked_->words = piggybacked_->word;
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  SumsMessage message{};
  message.count = sums.count();
  message.words = piggybacked_->word;
  sums.write(message.total, message.largest, message.flags);
  message.flags |= static_cast<std::int64_t>(piggybacked_->mine) << stop_flag_shift;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &message, 1, ReducedSums::get().type, ReducedSums::get().op,
                          ranks_->comm),
            "MPI_Allreduce");
  piggybacked_->words = message.words;
  piggybacked_->anyones = static_cast<std::uint32_t>(message.flags >> stop_flag_shift);
  sums.read(message.total, message.largest,
            message.flags & ((std::int64_t{1} << stop_flag_shift) - 1));
}

std::uint32_t Communicator::stop_flags(std::uint32_t mine) const {
  piggybacked_->mine = mine;
  return size_ == 1 ? mine : piggybacked_->anyones;
}

void Communicator::clear_stop_flags() const {
  *piggybacked_ = {};
}

void Communicator::board(std::uint64_t word) const {
  piggybacked_->word = word;
}

std::uint64_t Communicator::words() const {
  return piggybacked_->words;
}

bool Communicator::all_agree(bool mine) const {
  std::array<std::int64_t, 1> against{mine ? 0 : 1};
  ++traffic_->reductions;
  sum(against);
  return against[0] == 0;
}

void Communicator::sum(std::span<std::int64_t> values) const {
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                          whole_number(), MPI_SUM, ranks_->comm),
            "MPI_Allreduce");
}

void Communicator::sum(std::span<std::uint64_t> values) const {
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                          MPI_UNSIGNED_LONG, MPI_SUM, ranks_->comm),
            "MPI_Allreduce");
}
static_assert(sizeof(unsigned long) == sizeof(std::uint64_t), "what MPI adds up above");

void Communicator::largest(std::span<double> values) const {
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                          MPI_MAX, ranks_->comm),
            "MPI_Allreduce");
}

void Communicator::smallest(std::span<double> values) const {
  for (double& value : values) value = -value;
  largest(values);
  for (double& value : values) value = -value;
}

void Communicator::broadcast(Bytes& bytes, int root) const {
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  std::int64_t length = static_cast<std::int64_t>(bytes.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT64_T, root, ranks_->comm), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(length));
  for (std::int64_t at = 0; at < length; at += piece)
    check_mpi(
        MPI_Bcast(bytes.data() + at, static_cast<int>(std::min<std::int64_t>(piece, length - at)),
                  MPI_BYTE, root, ranks_->comm),
        "MPI_Bcast");
}

std::vector<Bytes> Communicator::gather(const Bytes& mine, int root) const {
  std::vector<Bytes> to_each(static_cast<std::size_t>(size_));
  to_each[root] = mine;
  std::vector<Bytes> from_each = all_to_all(to_each);
  if (rank_ != root) from_each.clear();
  return from_each;
}

std::vector<Bytes> Communicator::all_to_all(const std::vector<Bytes>& to_each) const {
  TALUS_ASSERT(to_each.size() == static_cast<std::size_t>(size_));
  if (size_ == 1) return to_each;
  const Reducing reducing(*traffic_);
  constexpr int tag = 7001;
  std::vector<std::int64_t> to_lengths, from_lengths(to_each.size());
  for (const Bytes& bytes : to_each) to_lengths.push_back(static_cast<std::int64_t>(bytes.size()));
  check_mpi(MPI_Alltoall(to_lengths.data(), 1, whole_number(), from_lengths.data(), 1,
                         whole_number(), ranks_->comm),
            "MPI_Alltoall");
  std::vector<Bytes> from_each(to_each.size());
  std::vector<MPI_Request> requests;
  std::vector<Awaited> awaited;  // by the first of them
  const auto pieces = [&](std::int64_t length, const auto& start) {
    for (std::int64_t at = 0; at < length; at += piece) {
      requests.push_back(MPI_REQUEST_NULL);
      start(at, static_cast<int>(std::min<std::int64_t>(piece, length - at)), &requests.back());
    }
  };
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    if (r == static_cast<std::size_t>(rank_)) {
      from_each[r] = to_each[r];
      continue;
    }
    from_each[r].resize(static_cast<std::size_t>(from_lengths[r]));
    pieces(from_lengths[r], [&](std::int64_t at, int count, MPI_Request* request) {
      check_mpi(MPI_Irecv(from_each[r].data() + at, count, MPI_BYTE, static_cast<int>(r), tag,
                          ranks_->comm, request),
                "MPI_Irecv");
      awaited.push_back({static_cast<int>(r), count});
    });
  }
  for (std::size_t r = 0; r < to_each.size(); ++r) {
    if (r == static_cast<std::size_t>(rank_)) continue;
    pieces(to_lengths[r], [&](std::int64_t at, int count, MPI_Request* request) {
      check_mpi(MPI_Isend(to_each[r].data() + at, count, MPI_BYTE, static_cast<int>(r), tag,
                          ranks_->comm, request),
                "MPI_Isend");
    });
  }
  wait_for_all(requests, awaited);
  return from_each;
}

void Communicator::barrier() const {
  if (size_ == 1) return;
  const Reducing reducing(*traffic_);
  check_mpi(MPI_Barrier(ranks_->comm), "MPI_Barrier");
}

std::int64_t Communicator::reductions() const {
  return traffic_->reductions;
}

Traffic& Communicator::traffic() const {
  return *traffic_;
}

std::string broadcast_text(const Communicator& comm, const std::string& text, int root) {
  Bytes bytes = to_bytes(std::span<const char>(text));
  comm.broadcast(bytes, root);
  const std::vector<char> letters = from_bytes<char>(bytes);
  return {letters.begin(), letters.end()};
}

}  // namespace talus
