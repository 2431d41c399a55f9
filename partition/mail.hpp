#pragma once
// Lists of records of several kinds in one message.

#include "talus/core/error.hpp"
#include "talus/parallel/communicator.hpp"

#include "partition/distribute.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace talus {

template <class Record>
void put_records(Bytes& bytes, const std::vector<Record>& records) {
  static_assert(std::is_trivially_copyable_v<Record>);
  const auto count = static_cast<std::int64_t>(records.size());
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(count) + records.size() * sizeof(Record));
  std::memcpy(bytes.data() + at, &count, sizeof(count));
  if (!records.empty())
    std::memcpy(bytes.data() + at + sizeof(count), records.data(), records.size() * sizeof(Record));
}

/// The next list of a message; nothing is left over where the message has ended. Throws where it is
/// shorter than it says.
template <class Record>
void take_records(const Bytes& bytes, std::size_t& at, std::vector<Record>& records) {
  if (at == bytes.size()) return;
  std::int64_t count = 0;
  if (bytes.size() - at < sizeof(count)) throw std::runtime_error("a message is cut off");
  std::memcpy(&count, bytes.data() + at, sizeof(count));
  at += sizeof(count);
  const std::size_t room = (bytes.size() - at) / sizeof(Record);
  if (count < 0 || static_cast<std::size_t>(count) > room)
    throw std::runtime_error("a message is cut off");
  const std::size_t before = records.size();
  records.resize(before + static_cast<std::size_t>(count));
  if (count > 0)
    std::memcpy(static_cast<void*>(records.data() + before), bytes.data() + at,
                static_cast<std::size_t>(count) * sizeof(Record));
  at += static_cast<std::size_t>(count) * sizeof(Record);
}

// Lists of records for other ranks, and questions about things that the slices hold.

template <class Record>
class Mail {
 public:
  explicit Mail(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
  void put(int rank, const Record& record) { boxes_[rank].push_back(record); }
  /// What every rank sent here. Collective.
  std::vector<std::vector<Record>> deliver(const Communicator& comm) const {
    std::vector<Bytes> to_each;
    for (const auto& box : boxes_) to_each.push_back(to_bytes(box));
    std::vector<std::vector<Record>> received;
    for (const Bytes& bytes : comm.all_to_all(to_each))
      received.push_back(from_bytes<Record>(bytes));
    return received;
  }

 private:
  std::vector<std::vector<Record>> boxes_;
};

/// The records of all ranks, in the order of ranks, on rank 0; elsewhere none. Collective.
template <class Record>
std::vector<Record> gathered(const Communicator& comm, const std::vector<Record>& mine) {
  std::vector<Record> all;
  for (const Bytes& bytes : comm.gather(to_bytes(mine), 0))
    for (const Record& record : from_bytes<Record>(bytes)) all.push_back(record);
  return all;
}

/// The list that `make` returns, called on rank 0 alone, everywhere. Collective.
template <class Function>
auto made_on_first(const Communicator& comm, const Function& make) {
  decltype(make()) made;
  if (comm.rank() == 0) made = make();
  if (comm.size() == 1) return made;
  Bytes bytes = to_bytes(made);
  comm.broadcast(bytes, 0);
  return from_bytes<typename decltype(made)::value_type>(bytes);
}

/// Ascending, each once, without the world (-1).
inline std::vector<GlobalId> distinct_places(std::vector<GlobalId> places) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  places.erase(places.begin(), std::lower_bound(places.begin(), places.end(), 0));
  return places;
}

/// Asks the slices that hold the bodies at `places` (distinct); `answer(place)` is called on the
/// rank of the slice. Collective.
template <class Answer, class Function>
std::unordered_map<GlobalId, Answer> ask_slices(const Communicator& comm, GlobalId total,
                                                const std::vector<GlobalId>& places,
                                                const Function& answer) {
  Mail<GlobalId> questions(comm.size());
  for (const GlobalId place : places) questions.put(slice_rank(total, place, comm.size()), place);
  const auto asked = questions.deliver(comm);
  Mail<Answer> answers(comm.size());
  for (int r = 0; r < comm.size(); ++r)
    for (const GlobalId place : asked[r]) answers.put(r, answer(place));
  const auto answered = answers.deliver(comm);
  // answers come back in the order of the questions, rank by rank
  std::unordered_map<GlobalId, Answer> found;
  std::vector<std::size_t> next(static_cast<std::size_t>(comm.size()), 0);
  for (const GlobalId place : places) {
    const auto r = static_cast<std::size_t>(slice_rank(total, place, comm.size()));
    found.emplace(place, answered[r][next[r]++]);
  }
  return found;
}

}  // namespace talus
