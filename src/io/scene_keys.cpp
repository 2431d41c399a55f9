#include "io/scene_keys.hpp"

#include "talus/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace talus::io {

bool Range::holds(double value) const {
  if (std::isnan(value) || (std::isinf(value) && !infinite)) return false;
  return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
}

std::string Range::text() const {
  const bool below = low > -infinity;
  const bool above = high < infinity;
  if (below && above)
    return fmt::format("must lie in {}{}, {}{}", low_open ? "(" : "[", low, high,
                       high_open ? ")" : "]");
  if (below) return fmt::format("must be {} {}", low_open ? ">" : ">=", low);
  return infinite ? "must be a number" : "must be finite";
}

const KeyRule* SectionRules::find(const std::string& key) const {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const KeyRule& rule) { return rule.name == key; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> SectionRules::names() const {
  std::vector<std::string> all;
  for (const KeyRule& rule : keys) all.push_back(rule.name);
  return all;
}

const std::vector<SectionRules>& scene_sections() {
  static const std::vector<SectionRules> all = [] {
    std::vector<SectionRules> sections;
    for (auto part : {sections_of_the_world, sections_of_bodies, sections_of_joints,
                      sections_of_generators, sections_of_running, sections_of_monitors}) {
      std::vector<SectionRules> more = part();
      std::move(more.begin(), more.end(), std::back_inserter(sections));
    }
    return sections;
  }();
  return all;
}

const SectionRules& section_rules(const std::string& name) {
  const auto& all = scene_sections();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SectionRules& s) { return s.name == name; });
  TALUS_ASSERT(found != all.end());
  return *found;
}

bool applies(const KeyRule& rule, const std::string& kind) {
  return rule.of.empty() || kind.empty() ||
         std::find(rule.of.begin(), rule.of.end(), kind) != rule.of.end();
}

}  // namespace talus::io
