#include "io/checkpoint_layout.hpp"
#include "io/field_table.hpp"
#include "io/shared_output.hpp"
#include "io/state_layout.hpp"

#include <cstring>

namespace talus {
namespace {

/// Bytes as whole numbers, the last filled up with zeros.
std::vector<std::int64_t> words_of(const Bytes& bytes) {
  std::vector<std::int64_t> words((bytes.size() + sizeof(std::int64_t) - 1) / sizeof(std::int64_t),
                                  0);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

void write_contacts(io::SharedOutput& file, const CheckpointShare& share) {
  const GlobalId total = share.total_contacts;
  const auto integers = [&](const char* name, const auto& value) {
    std::vector<std::int64_t> numbers;
    for (const StoredContact& contact : share.contacts) numbers.push_back(value(contact));
    file.write(name, numbers, {total});
  };
  const auto vectors = [&](const char* name, const auto& value) {
    std::vector<double> numbers;
    for (const StoredContact& contact : share.contacts) io::put(numbers, value(contact));
    file.write(name, numbers, {total, 3, true});
  };
  using Contact = const StoredContact&;
  file.group("/warm_start");
  integers("/warm_start/body_a", [](Contact c) { return c.name.a; });
  integers("/warm_start/body_b", [](Contact c) { return c.name.b; });
  integers("/warm_start/image", [](Contact c) { return io::packed_image(c.name.image); });
  integers("/warm_start/feature", [](Contact c) { return std::int64_t{c.name.feature}; });
  vectors("/warm_start/point", [](Contact c) { return c.point; });
  vectors("/warm_start/normal", [](Contact c) { return c.normal; });
  vectors("/warm_start/impulse", [](Contact c) { return c.impulse; });
  vectors("/warm_start/angular_impulse", [](Contact c) { return c.angular_impulse; });
  std::vector<double> gaps;
  for (const StoredContact& contact : share.contacts) gaps.push_back(contact.gap);
  file.write("/warm_start/gap", gaps, {total});
}

}  // namespace

void write_checkpoint(const std::string& path, const CheckpointFacts& facts,
                      const CheckpointShare& share, const Communicator& comm) {
  const Bytes bytes = comm.rank() == 0 ? packed(facts) : Bytes{};
  const auto write = [&](io::SharedOutput& shared) {
    io::write_state_parts(shared, facts.world, share.bodies, share.total_bodies);
    shared.head([&](io::OutputFile& file) {
      file.group("/checkpoint");
      file.attribute("/checkpoint", "version", io::checkpoint_version);
      file.attribute("/checkpoint", "bytes", static_cast<std::int64_t>(bytes.size()));
      file.write("/checkpoint/scene", facts.scene_text);
      file.write("/checkpoint/all_else", words_of(bytes));
    });
    write_contacts(shared, share);
  };
  io::write_together(comm, path, io::OutputFile::Start::Empty, write, io::Sealed::Yes);
}

}  // namespace talus
