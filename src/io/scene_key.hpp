#pragma once
// Writes the rows of the table of keys.

#include "io/scene_keys.hpp"

#include <utility>

namespace talus::io {

inline const std::vector<std::string> of_time{"t"};

/// A row that is built in words.
struct Key : KeyRule {
  Key(std::string key, KeyType its_type, std::string what) {
    name = std::move(key);
    type = its_type;
    help = std::move(what);
  }
  Key& needed() {
    required = true;
    return *this;
  }
  Key& in(std::string its_unit) {
    unit = std::move(its_unit);
    return *this;
  }
  Key& or_else(std::string otherwise) {
    fallback = std::move(otherwise);
    return *this;
  }
  Key& within(const Range& its_range, std::string its_remedy = "") {
    range = its_range;
    remedy = std::move(its_remedy);
    return *this;
  }
  Key& times(std::size_t numbers, std::size_t or_numbers = 0) {
    count = numbers;
    other_count = or_numbers;
    return *this;
  }
  Key& or_one() {
    one_for_all = true;
    return *this;
  }
  Key& one_of(std::vector<std::string> words) {
    choices = std::move(words);
    return *this;
  }
  Key& made_of(std::string its_section) {
    section = std::move(its_section);
    return *this;
  }
  Key& with(std::vector<std::string> names) {
    variables = std::move(names);
    return *this;
  }
  Key& only_of(std::vector<std::string> kinds) {
    of = std::move(kinds);
    return *this;
  }
};

// ---- rows that several sections have
// --------------------------------------------------------------

inline KeyRule position(const std::string& help) {
  return Key("position", KeyType::Numbers, help).in("m").or_else("[0, 0, 0]").times(3);
}

inline KeyRule orientation() {
  return Key("orientation", KeyType::Numbers, "quaternion [w, x, y, z], or {axis, angle}")
      .or_else("[1, 0, 0, 0]")
      .times(4)
      .made_of("turn");
}

inline KeyRule vector_of(const std::string& name, const std::string& unit,
                         const std::string& help) {
  return Key(name, KeyType::Numbers, help).in(unit).or_else("[0, 0, 0]").times(3);
}

inline KeyRule parts_rule() {
  return Key("parts", KeyType::Sections, "convex parts of one rigid body")
      .needed()
      .made_of("part")
      .only_of({"compound"});
}

inline KeyRule size_rule() {
  return Key("size", KeyType::Numbers, "lengths of the edges")
      .needed()
      .in("m")
      .within(positive)
      .times(3)
      .only_of({"box"});
}

inline KeyRule type_rule(const std::string& help, const std::vector<std::string>& choices) {
  return {
      .name = "type", .type = KeyType::Choice, .required = true, .help = help, .choices = choices};
}

}  // namespace talus::io
