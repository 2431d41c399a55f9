#include "io/scene/scene_fields.hpp"

#include "talus/core/error.hpp"

#include "core/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace talus::io {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string after(const std::string& remedy) {
  return remedy.empty() ? "" : ": " + remedy;
}

/// "a body needs 'name'": what it is, in the words of the table.
std::string missing(const SectionRules& rules, const KeyRule& rule) {
  const std::string unit = rule.unit.empty() ? "" : " in " + rule.unit;
  return fmt::format("{} needs the key {}: {}{}", rules.title, rule.name, rule.help, unit);
}

}  // namespace

std::optional<double> plain_number(const std::string& text) {
  if (text == ".inf" || text == "+.inf") return infinity;
  if (text == "-.inf") return -infinity;
  if (text == ".nan") return std::numeric_limits<double>::quiet_NaN();
  return number_in<double>(text);
}

Fields::Fields(ReadingContext& context, const Value& value, const std::string& section)
    : context_(context), value_(value), rules_(section_rules(section)) {
  if (value.kind != Value::Kind::Map) {
    context.faults.add(value.place, fmt::format("{} must be a table of keys, is {}", rules_.title,
                                                described(value)));
    return;
  }
  find_kind();
  check_keys();
}

void Fields::find_kind() {
  if (rules_.kind_key.empty()) return;
  const Value* given = value_.find(rules_.kind_key);
  if (given == nullptr) {
    kind_ = rules_.kind_default;
    return;
  }
  if (given->kind == Value::Kind::Scalar && contains(rule(rules_.kind_key).choices, given->text))
    kind_ = given->text;
}

void Fields::check_keys() {
  for (const Entry& entry : value_.entries) {
    const KeyRule* found = rules_.find(entry.key);
    if (found == nullptr) {
      std::vector<std::string> known;
      for (const KeyRule& rule : rules_.keys)
        if (applies(rule, kind_)) known.push_back(rule.name);
      if (rules_.name == "solver")  // options of a method stand under its name
        known.insert(known.end(), rule("method").choices.begin(), rule("method").choices.end());
      context_.faults.add(
          entry.place,
          fmt::format("unknown key '{}' of {}: {}known are {}", entry.key, rules_.title,
                      did_you_mean(entry.key, known, "'"), listed(known)));
    } else if (!applies(*found, kind_)) {
      context_.faults.add(entry.place,
                          fmt::format("{} of {} has no use with {}: {}; it is for {}", entry.key,
                                      rules_.title, rules_.kind_key, kind_, listed(found->of)));
    }
  }
  // where the kind is not known, nobody knows what it needs
  const bool kind_known = rules_.kind_key.empty() || !kind_.empty();
  for (const KeyRule& rule : rules_.keys)
    if (rule.required && (kind_known || rule.of.empty()) && applies(rule, kind_) &&
        value_.find(rule.name) == nullptr)
      context_.faults.add(value_.place, missing(rules_, rule));
  if (!rules_.kind_key.empty() && value_.find(rules_.kind_key) != nullptr && kind_.empty())
    text(rules_.kind_key);  // says what is wrong with it
}

const KeyRule& Fields::rule(const std::string& key) const {
  const KeyRule* found = rules_.find(key);
  TALUS_ASSERT(found != nullptr);
  return *found;
}

const Value* Fields::value(const std::string& key) const {
  // a key without use for this kind is a fault that has been told
  return applies(rule(key), kind_) ? value_.find(key) : nullptr;
}

bool Fields::has(const std::string& key) const {
  return value(key) != nullptr;
}

Place Fields::place(const std::string& key) const {
  const Value* found = value_.find(key);
  return found == nullptr ? value_.place : found->place;
}

void Fields::fault(const std::string& key, const std::string& message) const {
  context_.faults.add(place(key), message);
}

// ---- numbers and formulas -----------------------------------------------------------------------

std::optional<Expression> Fields::formula_of(const Value& value, const KeyRule& rule) const {
  if (value.kind != Value::Kind::Scalar) {
    context_.faults.add(value.place,
                        fmt::format("{} must be a number{}, is {}", rule.name,
                                    rule.unit.empty() ? "" : " in " + rule.unit, described(value)));
    return std::nullopt;
  }
  if (const std::optional<double> plain = plain_number(value.text)) return Expression(*plain);
  try {
    Expression formula(value.text, context_.variables, rule.variables);
    formula.set_name(fmt::format("{}: {}", text_of(value.place), rule.name));
    return formula;
  } catch (const InputError& error) {
    for (const std::string& message : error.messages())
      context_.faults.add(value.place,
                          fmt::format("{} must be a number or a formula: {}", rule.name, message));
  }
  return std::nullopt;
}

std::optional<double> Fields::number_of(const Value& value, const KeyRule& rule) const {
  const std::optional<Expression> formula = formula_of(value, rule);
  if (!formula) return std::nullopt;
  const double number = formula->sampled(0.0);
  if (rule.range.holds(number)) return number;
  const std::string shown =
      plain_number(value.text) ? value.text : fmt::format("{} ('{}')", number, value.text);
  const bool finite = std::isfinite(number) || (rule.range.infinite && !std::isnan(number));
  context_.faults.add(
      value.place, fmt::format("{} = {} {}", rule.name, shown,
                               finite ? rule.range.text() + after(rule.remedy) : "must be finite"));
  return std::nullopt;
}

std::optional<double> Fields::number(const std::string& key) const {
  const Value* found = value(key);
  if (found == nullptr) return std::nullopt;
  return number_of(*found, rule(key));
}

double Fields::number(const std::string& key, double fallback) const {
  return number(key).value_or(fallback);
}

std::optional<std::int64_t> Fields::whole(const std::string& key) const {
  const std::optional<double> found = number(key);
  if (!found) return std::nullopt;
  constexpr double exact = 0x1p53;  // beyond, not every whole number is a double
  const bool is_whole = *found == std::floor(*found);
  if (!is_whole || std::fabs(*found) > exact) {
    fault(key, is_whole ? fmt::format("{} = {} must be at most {:.0f}", key, *found, exact)
                        : fmt::format("{} = {} must be a whole number", key, *found));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*found);
}

std::optional<Expression> Fields::formula(const std::string& key) const {
  const Value* found = value(key);
  if (found == nullptr) return std::nullopt;
  const KeyRule& its = rule(key);
  std::optional<Expression> formula = formula_of(*found, its);
  if (!formula) return std::nullopt;
  const std::vector<double> start(its.variables.size(), 0.0);
  const double number = formula->sampled(start);
  if (std::isfinite(number)) return formula;
  context_.faults.add(found->place,
                      fmt::format("{} = {} must be finite{}", key, found->text,
                                  formula->varies() ? ": it is not at the start" : ""));
  return std::nullopt;
}

std::optional<std::array<Expression, 3>> Fields::formulas(const std::string& key) const {
  const Value* found = value(key);
  const KeyRule& its = rule(key);
  if (found == nullptr || !is_list(*found, its, "formulas")) return std::nullopt;
  std::array<Expression, 3> all;
  bool good = true;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::optional<Expression> one = formula_of(found->items[k], its);
    if (one && !std::isfinite(one->sampled(0.0)))
      context_.faults.add(found->items[k].place,
                          fmt::format("{} = {} must be finite{}", key, found->items[k].text,
                                      one->varies() ? ": it is not at the start" : ""));
    good = good && one && std::isfinite(one->sampled(0.0));
    if (one) all[k] = *one;
  }
  if (!good) return std::nullopt;
  return all;
}

// ---- words --------------------------------------------------------------------------------------

bool Fields::is_choice(const Value& value, const KeyRule& rule) const {
  const bool scalar = value.kind == Value::Kind::Scalar;
  if (scalar && contains(rule.choices, value.text)) return true;
  const std::string meant = scalar ? close_name(value.text, rule.choices) : "";
  context_.faults.add(
      value.place,
      fmt::format("{} = {} must be one of {}{}", rule.name, described(value), listed(rule.choices),
                  meant.empty() ? "" : fmt::format(": did you mean '{}'?", meant)));
  return false;
}

bool Fields::is_text(const Value& value, const KeyRule& rule) const {
  if (value.kind == Value::Kind::Scalar && !value.text.empty()) return true;
  context_.faults.add(value.place,
                      fmt::format("{} must be a text, is {}", rule.name, described(value)));
  return false;
}

std::string Fields::text(const std::string& key) const {
  const Value* found = value(key);
  if (found == nullptr) return "";
  const KeyRule& its = rule(key);
  if (its.type == KeyType::Choice) return is_choice(*found, its) ? found->text : "";
  // of keys that may be a word or something else, only words are words
  const bool word = contains(its.choices, found->text);
  if (!its.choices.empty()) return word ? found->text : "";
  return is_text(*found, its) ? found->text : "";
}

bool Fields::flag(const std::string& key, bool fallback) const {
  const Value* found = value(key);
  if (found == nullptr) return fallback;
  static const std::vector<std::string> yes{"true", "on", "yes"}, no{"false", "off", "no"};
  if (found->kind == Value::Kind::Scalar && contains(yes, found->text)) return true;
  if (found->kind == Value::Kind::Scalar && contains(no, found->text)) return false;
  context_.faults.add(found->place,
                      fmt::format("{} = {} must be true or false", key, described(*found)));
  return fallback;
}

std::vector<std::string> Fields::texts(const std::string& key) const {
  const Value* found = value(key);
  const KeyRule& its = rule(key);
  std::vector<std::string> all;
  if (found == nullptr || !is_list(*found, its, "names")) return all;
  for (const Value& item : found->items)
    if (its.type == KeyType::Choices ? is_choice(item, its) : is_text(item, its))
      all.push_back(item.text);
  return all;
}

// ---- lists --------------------------------------------------------------------------------------

bool Fields::is_list(const Value& value, const KeyRule& rule, const std::string& of_what) const {
  const bool right_count = rule.count == 0 || value.items.size() == rule.count ||
                           (rule.other_count > 0 && value.items.size() == rule.other_count);
  if (value.kind == Value::Kind::List && right_count) return true;
  std::string wanted = rule.count == 0 ? "" : fmt::format("{} ", rule.count);
  if (rule.other_count > 0) wanted += fmt::format("or {} ", rule.other_count);
  const std::string given = value.kind == Value::Kind::List
                                ? fmt::format("a list of {}", value.items.size())
                                : described(value);
  context_.faults.add(value.place, fmt::format("{} must be a list of {}{}, is {}", rule.name,
                                               wanted, of_what, given));
  return false;
}

std::optional<std::vector<double>> Fields::numbers(const std::string& key) const {
  const Value* found = value(key);
  const KeyRule& its = rule(key);
  if (found == nullptr) return std::nullopt;
  if (!its.section.empty() && found->kind == Value::Kind::Map) return std::nullopt;
  if (contains(its.choices, found->text)) return std::nullopt;
  if (its.one_for_all && found->kind == Value::Kind::Scalar) {
    const std::optional<double> number = number_of(*found, its);
    if (!number) return std::nullopt;
    return std::vector<double>(its.count, *number);
  }
  if (!is_list(*found, its, "numbers")) return std::nullopt;
  std::vector<double> all;
  for (const Value& item : found->items)
    if (const std::optional<double> number = number_of(item, its)) all.push_back(*number);
  if (all.size() != found->items.size()) return std::nullopt;
  return all;
}

std::optional<Vec3> Fields::vector(const std::string& key) const {
  const std::optional<std::vector<double>> found = numbers(key);
  if (!found) return std::nullopt;
  return Vec3{(*found)[0], (*found)[1], (*found)[2]};
}

Vec3 Fields::vector(const std::string& key, const Vec3& fallback) const {
  return vector(key).value_or(fallback);
}

std::optional<Vec3> Fields::direction(const std::string& key) const {
  const std::optional<Vec3> found = vector(key);
  if (!found) return std::nullopt;
  const double longest = std::max({std::fabs(found->x), std::fabs(found->y), std::fabs(found->z)});
  if (longest == 0.0) {
    fault(key, fmt::format("{} = [0, 0, 0] must have a direction", key));
    return std::nullopt;
  }
  return unit((1.0 / longest) * *found);  // squares of very short or long ones would not be numbers
}

std::vector<std::vector<double>> Fields::rows(const std::string& key, std::size_t width) const {
  const Value* found = value(key);
  const KeyRule& its = rule(key);
  std::vector<std::vector<double>> all;
  if (found == nullptr || !is_list(*found, its, fmt::format("lists of {} numbers", width)))
    return all;
  KeyRule of_row = its;
  of_row.count = width;
  for (const Value& item : found->items) {
    if (!is_list(item, of_row, "numbers")) continue;
    std::vector<double> row;
    for (const Value& entry : item.items)
      if (const std::optional<double> number = number_of(entry, its)) row.push_back(*number);
    if (row.size() == width) all.push_back(std::move(row));
  }
  if (all.size() != found->items.size()) all.clear();
  return all;
}

// ---- sections -----------------------------------------------------------------------------------

std::optional<Fields> Fields::section(const std::string& key) const {
  const Value* found = value(key);
  const KeyRule& its = rule(key);
  const bool only = its.type == KeyType::Section || its.type == KeyType::Settings;
  if (found == nullptr || (!only && found->kind != Value::Kind::Map)) return std::nullopt;
  if (found->kind != Value::Kind::Map) {
    const Fields told(context_, *found, its.section);
    return std::nullopt;
  }
  return Fields(context_, *found, its.section);
}

std::vector<Fields> Fields::sections(const std::string& key) const {
  const Value* found = value(key);
  std::vector<Fields> all;
  if (found == nullptr || found->kind == Value::Kind::Nothing) return all;
  const KeyRule& its = rule(key);
  if (!is_list(*found, its, "tables of keys")) return all;
  for (const Value& item : found->items) {
    Fields one(context_, item, its.section);
    if (item.kind == Value::Kind::Map) all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::pair<Entry, Fields>> Fields::named_sections(const std::string& key) const {
  const Value* found = value(key);
  std::vector<std::pair<Entry, Fields>> all;
  if (found == nullptr || found->kind == Value::Kind::Nothing) return all;
  if (found->kind != Value::Kind::Map) {
    fault(key, fmt::format("{} must be a table of names, is {}", key, described(*found)));
    return all;
  }
  for (const Entry& entry : found->entries) {
    Fields one(context_, entry.value, rule(key).section);
    if (entry.value.kind == Value::Kind::Map) all.emplace_back(entry, std::move(one));
  }
  return all;
}

}  // namespace talus::io
