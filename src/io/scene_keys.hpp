#pragma once
// Every key that a scene file may have: one table, from which the reader checks names, types and
// ranges, and from which the JSON Schema and the tables of docs/scene_file.md are made.

#include "talus/core/types.hpp"

#include <string>
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

struct Range {
  double low = -infinity;
  double high = infinity;
  bool low_open = false, high_open = false;
  bool infinite = false;  ///< .inf and -.inf are values
  bool holds(double value) const;
  /// "must be > 0", "must lie in (0, 1]"; "must be finite" where there is no limit.
  std::string text() const;
};
inline constexpr Range any_number{};
inline constexpr Range positive{.low = 0.0, .low_open = true};
inline constexpr Range not_negative{.low = 0.0};
inline constexpr Range open_ended{.infinite = true};

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

}  // namespace talus::io
