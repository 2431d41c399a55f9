#include "io/text_table.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::io {
namespace {

constexpr std::size_t gap = 2;  // between columns

std::vector<std::size_t> widths_of(const TextTable& table) {
  std::vector<std::size_t> widths;
  for (const std::string& name : table.heading) widths.push_back(name.size());
  for (const auto& row : table.rows)
    for (std::size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  return widths;
}

/// Columns [from, to) behind the first one.
struct Block {
  std::size_t from, to;
};

std::vector<Block> blocks_of(const std::vector<std::size_t>& widths, std::size_t width) {
  std::vector<Block> blocks;
  for (std::size_t from = 1; from < widths.size();) {
    std::size_t to = from, used = widths[0];
    while (to < widths.size() && (to == from || used + gap + widths[to] <= width))
      used += gap + widths[to++];
    blocks.push_back({from, to});
    from = to;
  }
  if (blocks.empty()) blocks.push_back({1, 1});
  return blocks;
}

std::string line_of(const std::vector<std::string>& cells, const Block& block,
                    const std::vector<std::size_t>& widths, std::size_t words) {
  std::string line = fmt::format("{:<{}}", cells[0], widths[0]);
  for (std::size_t k = block.from; k < block.to; ++k)
    line += std::string(gap, ' ') + (k < words ? fmt::format("{:<{}}", cells[k], widths[k])
                                               : fmt::format("{:>{}}", cells[k], widths[k]));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string text_table(const TextTable& table, std::size_t width) {
  const std::vector<std::size_t> widths = widths_of(table);
  std::string text;
  for (const Block& block : blocks_of(widths, width)) {
    if (!text.empty()) text += "\n";
    text += line_of(table.heading, block, widths, table.words);
    for (const auto& row : table.rows) text += line_of(row, block, widths, table.words);
  }
  return text;
}

std::string shortened(const std::string& name, std::size_t width) {
  constexpr const char* dots = "...";
  if (name.size() <= width) return name;
  const std::size_t kept = width - 3, tail = kept / 2;
  return name.substr(0, kept - tail) + dots + name.substr(name.size() - tail);
}

}  // namespace talus::io
