#pragma once
// What a scene file says before anybody knows what it means: YAML as a tree of texts, each with the
// place where it stands.

#include <memory>
#include <string>
#include <vector>

namespace talus::io {

/// Where a value stands. Files count in the order of reading; what comes from -s has no line.
struct Place {
  std::shared_ptr<const std::string> file;
  int order = 0;
  int line = 0, column = 0;  ///< from 1
};
/// "pile.yaml:14:9", "-s d"
std::string text_of(const Place& place);

struct Entry;

struct Value {
  enum class Kind { Nothing, Scalar, List, Map };
  Kind kind = Kind::Nothing;
  std::string text;     ///< of a scalar
  bool quoted = false;  ///< it was in quotes
  std::vector<Value> items;
  std::vector<Entry> entries;  ///< in the order of the file
  Place place;

  const Value* find(const std::string& key) const;
  Value* find(const std::string& key);
};

struct Entry {
  std::string key;
  Place place;
  Value value;
};

/// Faults of a scene, told in the order of the file.
class SceneFaults {
 public:
  void add(const Place& place, const std::string& message);
  /// A message that says its place itself.
  void add(const std::string& message) { add(Place{}, message); }
  /// A fault after which the rest would be told wrong things of.
  void add_last(const Place& place, const std::string& message) {
    add(place, message);
    is_last_ = true;
  }
  bool is_last() const { return is_last_; }
  bool empty() const { return faults_.empty(); }
  void throw_if_any() const;

 private:
  struct Fault {
    Place place;
    std::string message;
  };
  std::vector<Fault> faults_;
  bool is_last_ = false;
};

/// The tree of a text. Syntax errors, keys that are given twice, aliases that contain themselves
/// and second documents are faults; then the tree is what was read until there.
Value parse_yaml(const std::string& text, const Place& start, SceneFaults& faults);

/// A text that reads back to the same tree.
std::string yaml_of(const Value& value);

/// "a list", "nothing", "'text'": for messages.
std::string described(const Value& value);

// One tree of a scene file, the files that it includes, and what -s sets.

/// The tree with includes and overrides put in; names of files in it are absolute. Faults are
/// collected; the tree then has what could be read.
Value load_scene(const std::string& path, const std::vector<std::string>& overrides,
                 SceneFaults& faults);

/// resolved_scene(), and all files that it is made from or names.
struct ResolvedScene {
  std::string text;
  std::vector<std::string> files;
};
ResolvedScene resolve_scene(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace talus::io
