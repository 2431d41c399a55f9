#include "io/scene/scene_value.hpp"

#include "talus/core/error.hpp"

#include "core/number.hpp"
#include "core/regular_file.hpp"
#include "io/scene/scene_keys.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace talus::io {
namespace {

constexpr std::size_t deepest = 32;            // a scene needs seven
constexpr std::size_t most_copies = 1u << 18;  // aliases of aliases would fill any memory

struct Unreadable {
  Place place;
  std::string what;
};

/// Builds the tree from what the parser meets. Not YAML::Node: its maps forget where keys stand and
/// which were given twice.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Place& start, SceneFaults& faults) : start_(start), faults_(faults) {
    root_.place = start;  // of a text without values
  }
  Value take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    put(made(Value::Kind::Nothing, mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Unreadable{placed(mark), "an alias cannot stand inside of what it names"};
    copies_ += found->second.second;
    if (copies_ > most_copies)
      throw Unreadable{placed(mark), "more values than a scene can have: aliases multiply"};
    Value copy = found->second.first;
    count_ += found->second.second;
    copy.place = placed(mark);
    put(std::move(copy), 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = made(Value::Kind::Scalar, mark);
    value.text = text;
    value.quoted = tag == "!";
    put(std::move(value), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(made(Value::Kind::List, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(made(Value::Kind::Map, mark), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = 0;
    std::size_t values_before = 0;
    std::string key;
    Place key_place;
    bool has_key = false;
  };

  Place placed(const YAML::Mark& mark) const {
    Place place = start_;
    if (place.line > 0) {
      place.line = mark.line + 1;
      place.column = mark.column + 1;
    }
    return place;
  }

  Value made(Value::Kind kind, const YAML::Mark& mark) {
    ++count_;
    Value value;
    value.kind = kind;
    value.place = placed(mark);
    return value;
  }

  void open(Value value, YAML::anchor_t anchor) {
    if (open_.size() >= deepest)
      throw Unreadable{value.place, fmt::format("nested deeper than {} levels", deepest)};
    open_.push_back({std::move(value), anchor, count_ - 1, "", {}, false});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    put(std::move(done.value), done.anchor, count_ - done.values_before);
  }

  void put(Value value, YAML::anchor_t anchor, std::size_t size = 1) {
    if (anchor != 0) anchors_[anchor] = {value, size};
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Value::Kind::List)
      parent.value.items.push_back(std::move(value));
    else if (!parent.has_key)
      begin_entry(parent, value);
    else
      end_entry(parent, std::move(value));
  }

  void begin_entry(Open& parent, const Value& key) {
    if (key.kind != Value::Kind::Scalar) throw Unreadable{key.place, "a key must be a name"};
    parent.key = key.text;
    parent.key_place = key.place;
    parent.has_key = true;
  }

  void end_entry(Open& parent, Value value) {
    parent.has_key = false;
    if (const Value* earlier = parent.value.find(parent.key))
      faults_.add(parent.key_place, fmt::format("{} is given twice, first at {}: leave one",
                                                parent.key, text_of(earlier->place)));
    else
      parent.value.entries.push_back({parent.key, parent.key_place, std::move(value)});
  }

  Place start_;
  SceneFaults& faults_;
  Value root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<Value, std::size_t>> anchors_;
  std::size_t count_ = 0, copies_ = 0;
};

bool is_short(const Value& value) {
  const auto is_scalar = [](const Value& v) {
    return v.kind == Value::Kind::Scalar || v.kind == Value::Kind::Nothing;
  };
  return std::all_of(value.items.begin(), value.items.end(), is_scalar) &&
         std::all_of(value.entries.begin(), value.entries.end(),
                     [&](const Entry& e) { return is_scalar(e.value) || is_short(e.value); });
}

void emit(YAML::Emitter& out, const Value& value, bool top) {
  switch (value.kind) {
    case Value::Kind::Nothing:
      out << YAML::Null;
      return;
    case Value::Kind::Scalar:
      if (value.quoted) out << YAML::DoubleQuoted;
      out << value.text;
      return;
    case Value::Kind::List:
      if (is_short(value)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Value& item : value.items) emit(out, item, false);
      out << YAML::EndSeq;
      return;
    case Value::Kind::Map:
      if (!top && is_short(value)) out << YAML::Flow;
      out << YAML::BeginMap;
      for (const Entry& entry : value.entries) {
        out << YAML::Key << entry.key << YAML::Value;
        emit(out, entry.value, false);
      }
      out << YAML::EndMap;
      return;
  }
}

}  // namespace

std::string text_of(const Place& place) {
  if (place.file == nullptr) return "";
  return place.line == 0 ? *place.file
                         : fmt::format("{}:{}:{}", *place.file, place.line, place.column);
}

const Value* Value::find(const std::string& key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Value* Value::find(const std::string& key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

void SceneFaults::add(const Place& place, const std::string& message) {
  faults_.push_back(
      {place, place.file == nullptr ? message : fmt::format("{}: {}", text_of(place), message)});
}

void SceneFaults::throw_if_any() const {
  std::vector<const Fault*> sorted;
  for (const Fault& fault : faults_) sorted.push_back(&fault);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fault* a, const Fault* b) {
    return std::tie(a->place.order, a->place.line, a->place.column) <
           std::tie(b->place.order, b->place.line, b->place.column);
  });
  InputErrors errors;
  for (const Fault* fault : sorted) errors.add(fault->message);
  errors.throw_if_any();
}

Value parse_yaml(const std::string& text, const Place& start, SceneFaults& faults) {
  TreeBuilder builder(start, faults);
  Place place = start;
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    SceneFaults ignored;
    TreeBuilder second(start, ignored);
    if (parser.HandleNextDocument(second))
      faults.add(second.take().place, "a second YAML document: a scene file has one");
  } catch (const YAML::Exception& error) {
    if (place.line > 0 && !error.mark.is_null()) {
      place.line = error.mark.line + 1;
      place.column = error.mark.column + 1;
    }
    faults.add_last(place, fmt::format("is no YAML: {}", error.msg));
  } catch (const Unreadable& fault) {
    faults.add_last(fault.place, fault.what);
  }
  return builder.take();
}

std::string yaml_of(const Value& value) {
  YAML::Emitter out;
  emit(out, value, true);
  return std::string(out.c_str()) + "\n";
}

std::string described(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Scalar:
      return fmt::format("'{}'", value.text);
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Map:
      return "a table of keys";
    default:
      return "nothing";
  }
}

namespace {

namespace fs = std::filesystem;

/// A scene of more files is a mistake: files that include each other several times come to any
/// number of loads without a circle.
constexpr int most_loads = 256;

/// The same for all names of a file; of one that cannot be found, its own name.
fs::path canonical_name(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found;
}

/// Files are named from where their scene file is, so that a folder can be moved as a whole.
void make_files_absolute(Value& value, const fs::path& folder) {
  for (Value& item : value.items) make_files_absolute(item, folder);
  for (Entry& entry : value.entries) {
    Value& inner = entry.value;
    if (entry.key == "file" && inner.kind == Value::Kind::Scalar && !inner.text.empty())
      inner.text = fs::absolute(folder / inner.text).lexically_normal().string();
    else
      make_files_absolute(inner, folder);
  }
}

std::string under(const std::string& parent, const std::string& key) {
  return parent.empty() ? key : parent + "." + key;
}

/// Lists of sections are put one after the other, tables are merged, variables replaced; anything
/// else that both have is a fault.
void merge(Value& into, Value&& from, const std::string& path, SceneFaults& faults) {
  for (Entry& entry : from.entries) {
    const std::string key = under(path, entry.key);
    Value* there = into.find(entry.key);
    if (there == nullptr) {
      into.entries.push_back(std::move(entry));
      continue;
    }
    const KeyRule* rule = path.empty() ? section_rules("scene").find(entry.key) : nullptr;
    const bool is_sections = rule != nullptr && rule->type == KeyType::Sections;
    if (path == "variables") {
      *there = std::move(entry.value);
    } else if (there->kind == Value::Kind::Map && entry.value.kind == Value::Kind::Map) {
      merge(*there, std::move(entry.value), key, faults);
    } else if (is_sections && there->kind == Value::Kind::List &&
               entry.value.kind == Value::Kind::List) {
      std::move(entry.value.items.begin(), entry.value.items.end(),
                std::back_inserter(there->items));
    } else {
      faults.add(entry.place,
                 fmt::format("{} is given here and at {}: leave one", key, text_of(there->place)));
    }
  }
}

class Loader {
 public:
  explicit Loader(SceneFaults& faults) : faults_(faults) {}

  Value load(const std::string& path, const Place& from) {
    if (order_ >= most_loads) {
      if (!faults_.is_last())
        faults_.add_last(from, fmt::format("include: {} would be number {} of the files that are "
                                           "loaded: do files include each other many times? "
                                           "Include each once, from the scene file",
                                           path, order_ + 1));
      return {};
    }
    std::string reason;
    const std::optional<std::string> text = text_of_source(path, reason);
    if (!text) {
      faults_.add(
          from.file == nullptr ? Place{std::make_shared<std::string>(path), order_, 0, 0} : from,
          from.file == nullptr ? reason : fmt::format("include: {}: {}", path, reason));
      return {};
    }
    Value own =
        parse_yaml(*text, Place{std::make_shared<std::string>(path), order_++, 1, 1}, faults_);
    if (own.kind != Value::Kind::Map) {
      if (faults_.empty())
        faults_.add(own.place,
                    fmt::format("a scene file must be a table of keys, is {}", described(own)));
      return {};
    }
    const fs::path folder = fs::path(path).parent_path();
    make_files_absolute(own, folder);
    check_version(own);
    open_.push_back(canonical_name(path));
    Value whole = with_includes(std::move(own), folder);
    open_.pop_back();
    return whole;
  }

 private:
  Value with_includes(Value own, const fs::path& folder) {
    const auto include = std::find_if(own.entries.begin(), own.entries.end(),
                                      [](const Entry& e) { return e.key == "include"; });
    if (include == own.entries.end()) return own;
    const Value list = include->value;
    own.entries.erase(include);
    Value whole;
    whole.kind = Value::Kind::Map;
    whole.place = own.place;
    if (list.kind != Value::Kind::List)
      faults_.add(list.place,
                  fmt::format("include must be a list of files, is {}", described(list)));
    for (const Value& item : list.items) {
      if (item.kind != Value::Kind::Scalar || item.text.empty()) {
        faults_.add(item.place, fmt::format("include must name files, has {}", described(item)));
        continue;
      }
      const std::string path = (folder / item.text).lexically_normal().string();
      if (std::find(open_.begin(), open_.end(), canonical_name(path)) != open_.end()) {
        faults_.add(item.place, fmt::format("include: {} includes itself", path));
        continue;
      }
      Value part = load(path, item.place);
      if (faults_.is_last()) return whole;  // what came of it is told wrong things of
      std::erase_if(part.entries, [](const Entry& e) { return e.key == "talus"; });
      merge(whole, std::move(part), "", faults_);
    }
    merge(whole, std::move(own), "", faults_);
    return whole;
  }

  /// Before anything else of a file: what a newer version means, nobody here knows.
  void check_version(const Value& own) {
    const Value* version = own.find("talus");
    if (version == nullptr || version->kind != Value::Kind::Scalar) return;
    const std::optional<std::int64_t> number = number_in<std::int64_t>(version->text);
    if (!number || *number != 1)
      faults_.add_last(version->place,
                       fmt::format("talus = {}: this program reads version 1 of the format only",
                                   described(*version)));
  }

  SceneFaults& faults_;
  std::vector<fs::path> open_;
  int order_ = 0;
};

// ---- what -s sets -------------------------------------------------------------------------------

bool is_between(const Value& item, const std::string& names) {
  const Value* pair = item.find("between");
  if (pair == nullptr || pair->items.size() != 2) return false;
  const std::string &a = pair->items[0].text, &b = pair->items[1].text;
  return names == a + "-" + b || names == b + "-" + a;
}

/// The entry of a list that a word means: its number, its name, or the two that it is between.
Value* entry_of(Value& list, const std::string& word, std::vector<std::string>& known) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    Value& item = list.items[i];
    const Value* name = item.find("name");
    if (word == fmt::format("{}", i) || (name != nullptr && name->text == word) ||
        is_between(item, word))
      return &item;
    known.push_back(name != nullptr ? name->text : fmt::format("{}", i));
  }
  return nullptr;
}

class Override {
 public:
  Override(const std::string& text, int order, SceneFaults& faults)
      : faults_(faults), equals_(text.find('=')), key_(text.substr(0, equals_)) {
    place_ = {std::make_shared<std::string>("-s " + key_), order, 0, 0};
    if (equals_ == std::string::npos || equals_ == 0) {
      faults_.add(place_, "write KEY=VALUE, such as -s d=0.002 or -s solver.tolerance=1e-5");
      key_.clear();
      return;
    }
    value_ = parse_yaml(text.substr(equals_ + 1), place_, faults);
    if (value_.kind == Value::Kind::Nothing) {
      if (!faults.is_last()) faults_.add(place_, "has no value: write KEY=VALUE");
      key_.clear();
    }
    make_files_absolute(value_, "");
  }

  void apply(Value& root) {
    if (key_.empty()) return;
    if (key_.find('.') == std::string::npos)
      set_bare(root);
    else
      set_path(root);
  }

 private:
  void set_bare(Value& root) {
    Value* variables = root.find("variables");
    Value* variable = variables == nullptr ? nullptr : variables->find(key_);
    if (variable != nullptr) {
      *variable = std::move(value_);
      return;
    }
    if (section_rules("scene").find(key_) != nullptr && key_ != "include") {
      put(root, key_);
      return;
    }
    unknown_variable(variables == nullptr ? Value{} : *variables, key_);
  }

  void put(Value& map, const std::string& key) {
    if (key == "file" && value_.kind == Value::Kind::Scalar)
      value_.text = fs::absolute(value_.text).lexically_normal().string();
    if (Value* there = map.find(key))
      *there = std::move(value_);
    else
      map.entries.push_back({key, place_, std::move(value_)});
  }

  void set_path(Value& root) {
    std::vector<std::string> words;
    std::istringstream stream(key_);
    for (std::string word; std::getline(stream, word, '.');) words.push_back(word);
    if (key_.back() == '.' || std::find(words.begin(), words.end(), "") != words.end()) {
      faults_.add(place_, "has an empty name in its path");
      return;
    }
    Value* at = &root;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool last = i + 1 == words.size();
      at = at->kind == Value::Kind::List ? into_list(*at, words, i) : into_map(*at, words, i, last);
      if (at == nullptr) return;
      if (last) *at = std::move(value_);
    }
  }

  Value* into_list(Value& list, const std::vector<std::string>& words, std::size_t i) {
    std::vector<std::string> known;
    Value* entry = entry_of(list, words[i], known);
    if (entry == nullptr)
      faults_.add(
          place_,
          fmt::format(
              "no '{}' in {}: {}{}", words[i], words[i - 1], did_you_mean(words[i], known, "'"),
              known.empty() ? "it is empty" : fmt::format("known are {}", fmt::join(known, ", "))));
    return entry;
  }

  /// Keys that are not given yet come into being; the table of keys says later whether there is
  /// such a key.
  Value* into_map(Value& map, const std::vector<std::string>& words, std::size_t i, bool last) {
    if (map.kind != Value::Kind::Map) {
      faults_.add(place_,
                  fmt::format("{} is {}, not a table of keys", words[i - 1], described(map)));
      return nullptr;
    }
    // solver may be written with "psor.relaxation: 1.2": the same key
    if (words[0] == "solver" && i == 1 && !last) {
      const std::string dotted = key_.substr(words[0].size() + 1);
      std::erase_if(map.entries, [&](const Entry& entry) { return entry.key == dotted; });
    }
    if (words[0] == "variables" && i > 0 && map.find(words[i]) == nullptr)
      return unknown_variable(map, words[i]);
    if (last) {
      put(map, words[i]);
      return nullptr;
    }
    if (Value* there = map.find(words[i])) return there;
    Value made;
    made.kind = Value::Kind::Map;
    made.place = place_;
    map.entries.push_back({words[i], place_, std::move(made)});
    return &map.entries.back().value;
  }

  Value* unknown_variable(const Value& variables, const std::string& name) {
    std::vector<std::string> known;
    for (const Entry& entry : variables.entries) known.push_back(entry.key);
    faults_.add(place_, known.empty()
                            ? "unknown variable: the scene has none"
                            : fmt::format("unknown variable: {}known are {}",
                                          did_you_mean(name, known), fmt::join(known, ", ")));
    return nullptr;
  }

  SceneFaults& faults_;
  std::size_t equals_;
  std::string key_;
  Place place_;
  Value value_;
};

}  // namespace

Value load_scene(const std::string& path, const std::vector<std::string>& overrides,
                 SceneFaults& faults) {
  Value root = Loader(faults).load(path, {});
  constexpr int after_files = 1 << 20;  // faults of overrides are told last
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Override one(overrides[i], after_files + static_cast<int>(i), faults);
    if (root.kind == Value::Kind::Map) one.apply(root);
  }
  return root;
}

}  // namespace talus::io
