#include "io/scene_value.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <tuple>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace talus::io {
namespace {

constexpr std::size_t deepest = 32;            // a scene needs seven
constexpr std::size_t most_values = 1u << 24;  // aliases of aliases would fill any memory

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
    if (count_ > most_values)
      throw Unreadable{value.place, "more values than a scene can have: aliases multiply"};
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
  std::size_t count_ = 0;
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

}  // namespace talus::io
