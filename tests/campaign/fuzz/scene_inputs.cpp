#include "campaign/fuzz/scene_inputs.hpp"

#include "io/scene/scene_keys.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <utility>

namespace talus::fuzz {
namespace {

using io::Entry;
using io::KeyRule;
using io::KeyType;
using io::SectionRules;
using io::Value;

const std::string override_mark = "#-s ";

/// A place of the tree, with what the table says of it where it does.
struct Spot {
  Value* value;
  const KeyRule* rule;
  const SectionRules* section;  ///< of a table of keys
};

class Spots {
 public:
  explicit Spots(Value& root) { add(root, nullptr, &io::section_rules("scene")); }
  const std::vector<Spot>& all() const { return all_; }

 private:
  static const SectionRules* section_of(const KeyRule& rule) {
    return rule.section.empty() ? nullptr : &io::section_rules(rule.section);
  }

  void add(Value& value, const KeyRule* rule, const SectionRules* section) {
    all_.push_back({&value, rule, value.kind == Value::Kind::Map ? section : nullptr});
    for (Value& item : value.items) add(item, rule, section);
    for (Entry& entry : value.entries) {
      if (rule != nullptr && rule->type == KeyType::NamedSections && section == nullptr) {
        add(entry.value, nullptr, section_of(*rule));
        continue;
      }
      const KeyRule* of_key = section != nullptr ? section->find(entry.key) : nullptr;
      if (of_key == nullptr)
        add(entry.value, nullptr, nullptr);
      else if (of_key->type == KeyType::NamedSections)
        add(entry.value, of_key, nullptr);
      else
        add(entry.value, of_key, section_of(*of_key));
    }
  }

  std::vector<Spot> all_;
};

Value scalar(const std::string& text) {
  Value value;
  value.kind = Value::Kind::Scalar;
  value.text = text;
  return value;
}

Value list(std::vector<Value> items) {
  Value value;
  value.kind = Value::Kind::List;
  value.items = std::move(items);
  return value;
}

Value empty_table() {
  Value value;
  value.kind = Value::Kind::Map;
  return value;
}

std::string number_text(Chance& chance) {
  static const std::vector<std::string> usual{"0.01", "0.1", "1",    "2",  "0.5",
                                              "100",  "-1",  "1e-3", "10", "0"};
  return chance.one_in(2) ? chance.one_of(usual) : strange_number_text(chance);
}

/// Where a number may stand, a formula may.
Value number(Chance& chance, const std::vector<std::string>& names) {
  if (chance.one_in(4)) return scalar(made_formula(chance, names, 3));
  return scalar(number_text(chance));
}

/// Names that scenes of the corpus give to materials, bodies, joints and files.
Value text(Chance& chance) {
  static const std::vector<std::string> usual{"glass",    "steel",     "stone",     "floor",
                                              "drum",     "world",     "x",         "beads",
                                              "cube.stl", "bad.stl",   "part.yaml", "spheres.data",
                                              "state.h5", "none.yaml", "pile.yaml", "ball"};
  return scalar(chance.one_in(3) ? strange_word(chance) : chance.one_of(usual));
}

Value made(Chance& chance, const KeyRule& rule, int depth);

Value made_section(Chance& chance, const std::string& name, int depth) {
  Value section = empty_table();
  if (depth <= 0) return section;
  const SectionRules& rules = io::section_rules(name);
  std::string kind;
  if (const KeyRule* of_kind = rules.find(rules.kind_key);
      of_kind != nullptr && !of_kind->choices.empty()) {
    kind = chance.one_of(of_kind->choices);
    section.entries.push_back({rules.kind_key, {}, scalar(kind)});
  }
  for (const KeyRule& rule : rules.keys) {
    if (rule.name == rules.kind_key || (!io::applies(rule, kind) && !chance.one_in(20))) continue;
    if (rule.required ? !chance.one_in(20) : chance.one_in(3))
      section.entries.push_back({rule.name, {}, made(chance, rule, depth - 1)});
  }
  return section;
}

Value made_list(Chance& chance, std::size_t count, const std::vector<std::string>& names) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < (chance.one_in(10) ? chance.below(6) : count); ++i)
    items.push_back(number(chance, names));
  return list(std::move(items));
}

Value made_lists(Chance& chance, std::size_t columns) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < chance.below(4); ++i) items.push_back(made_list(chance, columns, {}));
  return list(std::move(items));
}

Value made(Chance& chance, const KeyRule& rule, int depth) {
  static const std::vector<std::string> flags{"true", "false"};
  const bool is_list = rule.type == KeyType::Sections || rule.type == KeyType::Choices ||
                       rule.type == KeyType::Texts;
  if (!rule.choices.empty() && !is_list && chance.one_in(2))
    return scalar(chance.one_of(rule.choices));
  if (!rule.section.empty() && !is_list && rule.type != KeyType::NamedSections &&
      (rule.type == KeyType::Section || chance.one_in(2)))
    return made_section(chance, rule.section, depth);
  switch (rule.type) {
    case KeyType::Flag:
      return scalar(chance.one_of(flags));
    case KeyType::Text:
    case KeyType::Choice:
      return text(chance);
    case KeyType::Numbers:
    case KeyType::Formulas:
      return made_list(chance, rule.count, rule.variables);
    case KeyType::Points:
      return made_lists(chance, 3);
    case KeyType::Pairs:
      return made_lists(chance, 2);
    case KeyType::Texts:
      return list({text(chance), text(chance)});
    case KeyType::Choices:
      return rule.choices.empty() ? list({}) : list({scalar(chance.one_of(rule.choices))});
    case KeyType::Sections:
      return list({made_section(chance, rule.section, depth)});
    case KeyType::NamedSections:
    case KeyType::NumberTable:
    case KeyType::Settings: {
      Value table = empty_table();
      table.entries.push_back(
          {strange_word(chance),
           {},
           rule.section.empty() ? number(chance, {}) : made_section(chance, rule.section, depth)});
      return table;
    }
    default:
      return number(chance, rule.variables);
  }
}

void change_entries(Chance& chance, Value& table, const SectionRules* section) {
  auto& entries = table.entries;
  const std::size_t at = chance.below(entries.size());
  const auto place = entries.begin() + static_cast<std::ptrdiff_t>(at);
  switch (entries.empty() ? 0 : chance.below(6)) {
    case 1:
      entries.erase(place);
      break;
    case 2:
      entries.push_back(Entry(*place));
      break;
    case 3:
      std::swap(entries[at].value, chance.one_of(entries).value);
      break;
    case 4:
      entries[at].key = section != nullptr && !chance.one_in(3) ? chance.one_of(section->keys).name
                                                                : strange_word(chance);
      break;
    default:
      if (section == nullptr) {
        entries.push_back({strange_word(chance), {}, number(chance, {})});
      } else {
        const KeyRule& rule = chance.one_of(section->keys);
        entries.push_back({rule.name, {}, made(chance, rule, 3)});
      }
  }
}

void change_items(Chance& chance, Value& of) {
  auto& items = of.items;
  const std::size_t at = chance.below(items.size());
  const auto place = items.begin() + static_cast<std::ptrdiff_t>(at);
  switch (items.empty() ? 0 : chance.below(4)) {
    case 1:
      items.erase(place);
      break;
    case 2:
      items.push_back(Value(*place));
      break;
    case 3:
      std::swap(items[at], chance.one_of(items));
      break;
    default:
      items.push_back(number(chance, {}));
  }
}

void change_scalar(Chance& chance, const Spot& spot, const std::vector<Spot>& all) {
  Value& value = *spot.value;
  const Value other = *chance.one_of(all).value;
  switch (chance.below(8)) {
    case 0:
      value = other;  // of another kind, from elsewhere in the scene
      break;
    case 1:
      value = scalar(strange_word(chance));
      value.quoted = chance.one_in(2);
      break;
    case 2:
      value = scalar(with_other_tokens(value.text, chance));
      break;
    case 3:
      value = chance.one_in(2) ? list({value}) : Value{};
      break;
    case 4:
      value = scalar(with_wounds(value.text, chance));
      break;
    default:
      if (spot.rule != nullptr)
        value = made(chance, *spot.rule, 3);
      else
        value = number(chance, {});
  }
}

void change(Chance& chance, Value& tree) {
  const Spots spots(tree);
  const Spot& spot = chance.one_of(spots.all());
  if (chance.one_in(8))
    *spot.value = Value(*chance.one_of(spots.all()).value);
  else if (spot.value->kind == Value::Kind::Map)
    change_entries(chance, *spot.value, spot.section);
  else if (spot.value->kind == Value::Kind::List && !chance.one_in(4))
    change_items(chance, *spot.value);
  else
    change_scalar(chance, spot, spots.all());
}

std::string made_override(Chance& chance) {
  static const std::vector<std::string> paths{"d",
                                              "solver.tolerance",
                                              "bodies.floor.mass",
                                              "time.end",
                                              "gravity",
                                              "time.step",
                                              "bodies.0.shape",
                                              "bodies.-1",
                                              "bodies.99999999999999999999.name",
                                              "materials.glass",
                                              "pairs.glass-glass.friction",
                                              "a.b.c.d",
                                              "",
                                              ".",
                                              "..",
                                              "include",
                                              "talus",
                                              "solver.apgd.nosuch",
                                              "generators.beads.count",
                                              "output",
                                              "variables.d"};
  std::string word = chance.one_of(paths) + (chance.one_in(20) ? "" : "=");
  switch (chance.below(3)) {
    case 0:
      word += strange_number_text(chance);
      break;
    case 1:
      word += strange_word(chance);
      break;
    default:
      word += "[0, 0, " + made_formula(chance, {"d", "t"}, 2) + "]";
  }
  std::replace(word.begin(), word.end(), '\n', ' ');
  return word;
}

}  // namespace

SceneInputs::SceneInputs(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    io::SceneFaults faults;
    trees_.push_back(io::parse_yaml(text, {}, faults));
    faults.throw_if_any();
  }
}

std::string SceneInputs::make(Chance& chance) const {
  Value tree = chance.one_of(trees_);
  for (std::size_t count = some(chance); count > 0; --count) change(chance, tree);
  std::string text = io::yaml_of(tree);
  if (chance.one_in(12)) text = with_other_tokens(text, chance);
  if (chance.one_in(20)) text = with_wounds(text, chance);
  for (std::size_t count = chance.one_in(6) ? 1 + chance.below(2) : 0; count > 0; --count)
    text.insert(0, fmt::format("{}{}\n", override_mark, made_override(chance)));
  return text;
}

std::vector<std::string> overrides_in(const std::string& text) {
  std::vector<std::string> overrides;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with(override_mark);)
    overrides.push_back(line.substr(override_mark.size()));
  return overrides;
}

}  // namespace talus::fuzz
