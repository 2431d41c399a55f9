// The schema and the documentation are the table of keys, which is what the reader goes by.

#include "talus/io/scene_file.hpp"

#include "io/scene/scene_keys.hpp"
#include "support/places.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace talus {
namespace {

std::string content(const std::string& name) {
  std::ifstream file(support::source_folder() / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SceneSchema, IsTheFileOfTheDocumentation) {
  EXPECT_EQ(content("docs/schema/scene.schema.json"), scene_schema())
      << "write it anew from scene_schema()";
}

TEST(SceneSchema, HasEveryKeyOfTheTable) {
  const auto schema = nlohmann::json::parse(scene_schema());
  for (const io::SectionRules& rules : io::scene_sections()) {
    const auto& section = rules.name == "scene" ? schema : schema["$defs"][rules.name];
    for (const std::string& key : rules.names())
      EXPECT_TRUE(section["properties"].contains(key)) << rules.name << "." << key;
  }
}

TEST(SceneSchema, SectionsAreThereAndUsed) {
  std::set<std::string> used{"scene"};
  for (const io::SectionRules& rules : io::scene_sections())
    for (const io::KeyRule& rule : rules.keys)
      if (!rule.section.empty()) used.insert(io::section_rules(rule.section).name);
  EXPECT_EQ(used.size(), io::scene_sections().size());
}

TEST(SceneSchema, KeysOfOneKindNameKindsThatThereAre) {
  for (const io::SectionRules& rules : io::scene_sections())
    for (const io::KeyRule& rule : rules.keys)
      for (const std::string& kind : rule.of) {
        const auto& kinds = rules.find(rules.kind_key)->choices;
        EXPECT_NE(std::find(kinds.begin(), kinds.end(), kind), kinds.end())
            << rules.name << "." << rule.name << ": " << kind;
      }
}

TEST(SceneSchema, TablesAreThoseOfTheDocumentation) {
  const std::string document = content("docs/scene_file.md");
  for (const auto& [section, table] : scene_key_tables()) {
    EXPECT_NE(document.find("# " + section + "\n"), std::string::npos) << section;
    EXPECT_NE(document.find(table), std::string::npos) << section << " should be\n" << table;
  }
}

}  // namespace
}  // namespace talus
