#pragma once
// Values as bytes and back, bit by bit, for this program's own files. A type says once what it is
// made of, for both ways, in its namespace:
//
//   TALUS_FIELDS(Thing, first, second)
//
// All members, in their order: one that is forgotten does not compile. Where some of them are not
// kept, or more is to be done, write the function. An enumeration says which is its last one, so
// that what is read is one of them:
//
//   TALUS_LAST(Colour, Green)

#include "talus/core/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define TALUS_FIELDS(Thing, ...)                \
  template <class Archive>                      \
  void fields(Archive& archive, Thing& thing) { \
    auto& [__VA_ARGS__] = thing;                \
    archive(__VA_ARGS__);                       \
  }

#define TALUS_LAST(Enumeration, last)                      \
  constexpr Enumeration last_of(Enumeration /*of_type*/) { \
    return Enumeration::last;                              \
  }

namespace talus {

/// What both ways share: what containers are made of.
template <class Self>
class Archive {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }

  template <class Value>
  void one(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      auto number = static_cast<std::underlying_type_t<Value>>(value);
      self().raw(&number, sizeof number);
      if (number < 0 || number > static_cast<std::underlying_type_t<Value>>(last_of(value)))
        throw InputError("has a kind that is not known: it is damaged");
      value = static_cast<Value>(number);
    } else if constexpr (std::is_arithmetic_v<Value>)
      self().raw(&value, sizeof value);
    else
      fields(self(), value);
  }
  void one(bool& value) {
    auto byte = static_cast<std::uint8_t>(value ? 1 : 0);
    self().raw(&byte, sizeof byte);
    if (byte > 1) throw InputError("has a truth that is neither: it is damaged");
    value = byte == 1;
  }
  void one(std::string& text) {
    text.resize(self().count(text.size()));
    self().raw(text.data(), text.size());
  }
  void one(std::vector<std::byte>& bytes) {
    bytes.resize(self().count(bytes.size()));
    self().raw(bytes.data(), bytes.size());
  }
  template <class Value>
  void one(std::vector<Value>& values) {
    values.resize(self().count(values.size()));
    for (Value& value : values) one(value);
  }
  template <class Value, std::size_t size>
  void one(std::array<Value, size>& values) {
    for (Value& value : values) one(value);
  }
  template <class First, class Second>
  void one(std::pair<First, Second>& both) {
    one(both.first);
    one(both.second);
  }
  template <class Key, class Value>
  void one(std::map<Key, Value>& table) {
    std::vector<std::pair<Key, Value>> list(table.begin(), table.end());
    one(list);
    table = {list.begin(), list.end()};
  }
  template <class Value>
  void one(std::optional<Value>& value) {
    bool is_there = value.has_value();
    one(is_there);
    if (!is_there) {
      value.reset();
      return;
    }
    if (!value) value.emplace();
    one(*value);
  }
};

class Packer : public Archive<Packer> {
 public:
  static constexpr bool reads = false;
  std::vector<std::byte> take() { return std::move(bytes_); }

  void raw(const void* from, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::size_t count(std::size_t size) {
    const auto number = static_cast<std::uint64_t>(size);
    raw(&number, sizeof number);
    return size;
  }

 private:
  std::vector<std::byte> bytes_;
};

/// Throws InputError, which names nothing but the fault, where the bytes are not those of what is
/// asked.
class Unpacker : public Archive<Unpacker> {
 public:
  static constexpr bool reads = true;
  explicit Unpacker(const std::vector<std::byte>& bytes) : bytes_(bytes) {}

  void raw(void* to, std::size_t size) {
    if (size > bytes_.size() - at_) throw InputError("ends too early: it is damaged");
    if (size > 0) std::memcpy(to, bytes_.data() + at_, size);
    at_ += size;
  }
  std::size_t count(std::size_t /*now*/) {
    std::uint64_t number = 0;
    raw(&number, sizeof number);
    // of what there is, each thing has a byte at least
    if (number > bytes_.size() - at_) throw InputError("has more things than bytes: it is damaged");
    return static_cast<std::size_t>(number);
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

template <class Value>
std::vector<std::byte> packed(Value value) {
  Packer packer;
  packer(value);
  return packer.take();
}

template <class Value>
Value unpacked(const std::vector<std::byte>& bytes) {
  Unpacker unpacker(bytes);
  Value value{};
  unpacker(value);
  if (!unpacker.is_at_end()) throw InputError("has more bytes than it should: it is damaged");
  return value;
}

}  // namespace talus
