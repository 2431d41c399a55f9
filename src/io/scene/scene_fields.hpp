#pragma once
// The keys of one section of a scene, read as the table of keys says: names, types and ranges are
// checked here and nowhere else. A fault is collected, and the key then counts as not given.

#include "talus/core/expression.hpp"
#include "talus/core/rotation.hpp"

#include "io/scene/scene_keys.hpp"
#include "io/scene/scene_value.hpp"

#include <map>
#include <optional>

namespace talus::io {

/// What reading any section needs.
struct ReadingContext {
  SceneFaults& faults;
  std::map<std::string, double> variables;
};

class Fields {
 public:
  /// Checks what is there against the table: a table of keys, known ones only, those of its kind,
  /// none missing.
  Fields(ReadingContext& context, const Value& value, const std::string& section);

  const Place& place() const { return value_.place; }
  Place place(const std::string& key) const;
  /// Of the section; empty where it is faulty or has none.
  const std::string& kind() const { return kind_; }
  bool has(const std::string& key) const;
  const Value* value(const std::string& key) const;
  /// A fault at a key, or at the section where the key is not given.
  void fault(const std::string& key, const std::string& message) const;
  ReadingContext& context() const { return context_; }

  std::optional<double> number(const std::string& key) const;
  double number(const std::string& key, double fallback) const;
  std::optional<std::int64_t> whole(const std::string& key) const;
  bool flag(const std::string& key, bool fallback) const;
  std::optional<Expression> formula(const std::string& key) const;
  std::optional<std::array<Expression, 3>> formulas(const std::string& key) const;
  /// Text or choice; empty where it is not given.
  std::string text(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  std::optional<std::vector<double>> numbers(const std::string& key) const;
  std::optional<Vec3> vector(const std::string& key) const;
  Vec3 vector(const std::string& key, const Vec3& fallback) const;
  /// A vector as a direction: made one long; zero is a fault.
  std::optional<Vec3> direction(const std::string& key) const;
  /// Lists of `width` numbers.
  std::vector<std::vector<double>> rows(const std::string& key, std::size_t width) const;
  /// Where the key is a table of keys (it may be something else too).
  std::optional<Fields> section(const std::string& key) const;
  std::vector<Fields> sections(const std::string& key) const;
  /// By the names of the user.
  std::vector<std::pair<Entry, Fields>> named_sections(const std::string& key) const;

 private:
  const KeyRule& rule(const std::string& key) const;
  void check_keys();
  void find_kind();
  std::optional<double> number_of(const Value& value, const KeyRule& rule) const;
  std::optional<Expression> formula_of(const Value& value, const KeyRule& rule) const;
  bool is_choice(const Value& value, const KeyRule& rule) const;
  bool is_list(const Value& value, const KeyRule& rule, const std::string& of_what) const;
  bool is_text(const Value& value, const KeyRule& rule) const;

  ReadingContext& context_;
  const Value& value_;
  const SectionRules& rules_;
  std::string kind_;
};

/// A number in YAML: as from_chars reads it, or .inf, -.inf, .nan.
std::optional<double> plain_number(const std::string& text);

}  // namespace talus::io
