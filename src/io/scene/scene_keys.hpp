#pragma once
// Every key that a scene file may have: one table, from which the reader checks names, types and
// ranges, and from which the JSON Schema and the tables of docs/scene_file.md are made.

#include "talus/core/types.hpp"

#include "core/range.hpp"

#include <string>
#include <utility>
#include <vector>

namespace talus::io {

enum class KeyType {
  Number,         ///< a number, or a formula of the variables
  Whole,          ///< a whole number, or such a formula
  Formula,        ///< a number, or a formula that may use rule.variables too
  Flag,           ///< true or false
  Text,           ///< any text; a name
  Choice,         ///< one of rule.choices
  Numbers,        ///< rule.count of them
  Formulas,       ///< likewise
  Texts,          ///< rule.count of them, or any number
  Choices,        ///< a list of rule.choices
  Points,         ///< a list of lists of three numbers
  Pairs,          ///< a list of lists of two numbers
  Section,        ///< a table of keys: rule.section
  Sections,       ///< a list of such
  NamedSections,  ///< a table of such, by names of the user
  NumberTable,    ///< numbers by names of the user
  Settings        ///< keys that the method knows
};

struct KeyRule {
  std::string name;
  KeyType type = KeyType::Number;
  bool required = false;
  std::string unit{};
  std::string fallback{};  ///< what holds where it is not given, in words
  std::string help{};
  Range range{};
  std::string remedy{};  ///< said after the range
  std::size_t count = 0, other_count = 0;
  bool one_for_all = false;  ///< of Numbers: a single number stands for all of them
  /// Of Choice and Choices. Others may have them too: a word in place of what they are otherwise.
  std::vector<std::string> choices{};
  std::string section{};  ///< likewise: a table of keys in place of what they are otherwise
  std::vector<std::string> variables{};  ///< of Formula and Formulas
  std::vector<std::string> of{};         ///< kinds of the section that have it; empty: all
};

struct SectionRules {
  std::string name;
  std::string title;       ///< "body": for messages
  std::string kind_key{};  ///< the key that selects the kind: type, motion
  std::string kind_default{};
  std::vector<KeyRule> keys{};

  const KeyRule* find(const std::string& key) const;
  std::vector<std::string> names() const;
};

/// The section "scene" is the file itself.
const std::vector<SectionRules>& scene_sections();
const SectionRules& section_rules(const std::string& name);
bool applies(const KeyRule& rule, const std::string& kind);

/// Parts of the table.
std::vector<SectionRules> sections_of_the_world();
std::vector<SectionRules> sections_of_bodies();
std::vector<SectionRules> sections_of_joints();
std::vector<SectionRules> sections_of_generators();
std::vector<SectionRules> sections_of_running();
std::vector<SectionRules> sections_of_monitors();

// Writes the rows of the table of keys.

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
