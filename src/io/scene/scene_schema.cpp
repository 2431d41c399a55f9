// The table of keys as a JSON Schema, and as the tables of the documentation.

#include "talus/io/scene_file.hpp"

#include "io/scene/scene_keys.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace talus {
namespace io {
namespace {

// Insertion order, so that the file reads like the table.
using Json = nlohmann::ordered_json;

Json reference(const std::string& section) {
  return {{"$ref", "#/$defs/" + section}};
}

/// A number in its range, or a formula.
Json number_schema(const KeyRule& rule, bool whole) {
  Json number = {{"type", whole ? "integer" : "number"}};
  if (std::isfinite(rule.range.low))
    number[rule.range.low_open ? "exclusiveMinimum" : "minimum"] = rule.range.low;
  if (std::isfinite(rule.range.high))
    number[rule.range.high_open ? "exclusiveMaximum" : "maximum"] = rule.range.high;
  return {{"anyOf", {number, {{"type", "string"}, {"description", "a formula"}}}}};
}

Json list_of(const Json& items, const KeyRule& rule) {
  Json list = {{"type", "array"}, {"items", items}};
  if (rule.count == 0) return list;
  list["minItems"] = rule.count;
  list["maxItems"] = rule.other_count > 0 ? rule.other_count : rule.count;
  return list;
}

Json row_of(std::size_t numbers, const KeyRule& rule) {
  KeyRule row = rule;
  row.count = numbers;
  return list_of(number_schema(rule, false), row);
}

Json plain_schema(const KeyRule& rule) {
  Json text = {{"type", {"string", "number", "boolean"}}};
  switch (rule.type) {
    case KeyType::Number:
    case KeyType::Formula:
      return number_schema(rule, false);
    case KeyType::Whole:
      return number_schema(rule, true);
    case KeyType::Flag:
      return {{"type", "boolean"}};
    case KeyType::Text:
      return text;
    case KeyType::Choice:
      return {{"enum", rule.choices}};
    case KeyType::Numbers:
    case KeyType::Formulas:
      return list_of(number_schema(rule, false), rule);
    case KeyType::Texts:
      return list_of(text, rule);
    case KeyType::Choices:
      return list_of({{"enum", rule.choices}}, rule);
    case KeyType::Points:
      return list_of(row_of(3, rule), rule);
    case KeyType::Pairs:
      return list_of(row_of(2, rule), rule);
    case KeyType::Section:
    case KeyType::Settings:
      return reference(rule.section);
    case KeyType::Sections:
      return {{"type", "array"}, {"items", reference(rule.section)}};
    case KeyType::NamedSections:
      return {{"type", "object"}, {"additionalProperties", reference(rule.section)}};
    case KeyType::NumberTable:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"number", "string"}}}}};
  }
  return Json::object();
}

bool is_section(KeyType type) {
  return type == KeyType::Section || type == KeyType::Sections || type == KeyType::NamedSections ||
         type == KeyType::Settings;
}

std::string description_of(const KeyRule& rule) {
  std::string text = rule.help;
  if (!rule.unit.empty()) text += fmt::format("; {}", rule.unit);
  if (!rule.fallback.empty()) text += fmt::format("; default: {}", rule.fallback);
  return text;
}

Json key_schema(const KeyRule& rule) {
  Json schema = plain_schema(rule);
  std::vector<Json> alternatives;
  if (rule.one_for_all) alternatives.push_back(number_schema(rule, false));
  if (!rule.section.empty() && !is_section(rule.type))
    alternatives.push_back(reference(rule.section));
  if (!rule.choices.empty() && rule.type != KeyType::Choice && rule.type != KeyType::Choices)
    alternatives.push_back({{"enum", rule.choices}});
  if (!alternatives.empty()) {
    alternatives.push_back(schema);
    schema = {{"anyOf", alternatives}};
  }
  schema["description"] = description_of(rule);
  return schema;
}

/// What one kind of a section needs and does not have.
Json kind_schema(const SectionRules& rules, const std::string& kind) {
  Json then = Json::object();
  std::vector<std::string> required;
  for (const KeyRule& rule : rules.keys) {
    if (rule.of.empty()) continue;
    if (!applies(rule, kind))
      then["properties"][rule.name] = false;
    else if (rule.required)
      required.push_back(rule.name);
  }
  if (!required.empty()) then["required"] = required;
  Json condition = {{"properties", {{rules.kind_key, {{"const", kind}}}}}};
  if (kind != rules.kind_default) condition["required"] = {rules.kind_key};
  return {{"if", condition}, {"then", then}};
}

Json section_schema(const SectionRules& rules) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  std::vector<std::string> required;
  for (const KeyRule& rule : rules.keys) {
    schema["properties"][rule.name] = key_schema(rule);
    if (rule.required && rule.of.empty()) required.push_back(rule.name);
  }
  if (!required.empty()) schema["required"] = required;
  if (rules.name == "solver") {
    // options of methods, which the methods check: nested, or with a dot
    const Json option = {{"type", {"number", "string", "boolean"}}};
    for (const std::string& method : rules.find("method")->choices)
      schema["properties"][method] = {{"type", "object"}, {"additionalProperties", option}};
    schema["patternProperties"] = {{R"(^[a-z]+\.[a-z_]+$)", option}};
  }
  schema["additionalProperties"] = false;
  if (rules.kind_key.empty()) return schema;
  for (const std::string& kind : rules.find(rules.kind_key)->choices)
    schema["allOf"].push_back(kind_schema(rules, kind));
  return schema;
}

// ---- documentation
// --------------------------------------------------------------------------------

std::string range_words(const KeyRule& rule) {
  const std::string text = rule.range.text();
  const std::string must = "must ", be = "be ";
  if (!std::isfinite(rule.range.low) && !std::isfinite(rule.range.high)) return "";
  const std::string rest = text.substr(must.size());
  return rest.starts_with(be) ? rest.substr(be.size()) : rest.substr(rest.find("in "));
}

std::string type_words(const KeyRule& rule) {
  std::string text;
  const std::string numbers = rule.other_count > 0
                                  ? fmt::format("{} or {}", rule.count, rule.other_count)
                                  : fmt::format("{}", rule.count);
  std::vector<std::string> quoted;
  for (const std::string& choice : rule.choices) quoted.push_back("`" + choice + "`");
  std::string words = fmt::format("{}", fmt::join(quoted, ", "));
  switch (rule.type) {
    case KeyType::Number:
      text = "number";
      break;
    case KeyType::Whole:
      text = "whole number";
      break;
    case KeyType::Formula:
      text = fmt::format("formula of {}", fmt::join(rule.variables, ", "));
      break;
    case KeyType::Flag:
      text = "`true` or `false`";
      break;
    case KeyType::Text:
      text = "text";
      break;
    case KeyType::Choice:
      return words;
    case KeyType::Numbers:
      text = rule.count == 0 ? "list of numbers" : numbers + " numbers";
      break;
    case KeyType::Formulas:
      text = fmt::format("{} formulas of {}", numbers, fmt::join(rule.variables, ", "));
      break;
    case KeyType::Texts:
      text = rule.count == 0 ? "list of names" : numbers + " names";
      break;
    case KeyType::Choices:
      return "list of " + words;
    case KeyType::Points:
      text = numbers + " points";
      break;
    case KeyType::Pairs:
      text = "list of pairs of numbers";
      break;
    case KeyType::Section:
    case KeyType::Settings:
      return fmt::format("[{0}](#{0})", rule.section);
    case KeyType::Sections:
      return fmt::format("list of [{0}](#{0})", rule.section);
    case KeyType::NamedSections:
      return fmt::format("[{0}](#{0}) by name", rule.section);
    case KeyType::NumberTable:
      text = "numbers by name";
      break;
  }
  if (const std::string range = range_words(rule); !range.empty()) text += " " + range;
  if (rule.one_for_all) text += ", or one number for all";
  if (!rule.section.empty()) text += fmt::format(", or [{0}](#{0})", rule.section);
  if (!words.empty()) text += ", or " + words;
  return text;
}

std::string table_of(const SectionRules& rules) {
  std::string text = "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const KeyRule& rule : rules.keys) {
    std::string meaning = rule.help;
    if (!rule.of.empty()) meaning += fmt::format(" ({})", fmt::join(rule.of, ", "));
    const std::string otherwise = rule.required ? "**required**" : rule.fallback;
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.name, type_words(rule), rule.unit,
                        otherwise, meaning);
  }
  return text;
}

}  // namespace
}  // namespace io

std::string scene_schema() {
  io::Json schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "talus scene file, version 1"},
      {"description", "SI units, radians. Strings in place of numbers are formulas."}};
  const io::Json root = io::section_schema(io::section_rules("scene"));
  for (const auto& [key, value] : root.items()) schema[key] = value;
  schema["properties"]["talus"] = {{"const", 1}, {"description", "version of the format"}};
  for (const io::SectionRules& rules : io::scene_sections())
    if (rules.name != "scene") schema["$defs"][rules.name] = io::section_schema(rules);
  constexpr int indent = 1;
  return schema.dump(indent) + "\n";
}

std::vector<std::pair<std::string, std::string>> scene_key_tables() {
  std::vector<std::pair<std::string, std::string>> tables;
  for (const io::SectionRules& rules : io::scene_sections())
    tables.emplace_back(rules.name, io::table_of(rules));
  return tables;
}

}  // namespace talus
