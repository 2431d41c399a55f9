#include "app/pictures/run_numbers.hpp"

#include "talus/core/error.hpp"

#include "app/faults.hpp"
#include "core/number.hpp"
#include "core/regular_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>

namespace talus::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string text_in(const fs::path& path) {
  require_regular_or_none(path);
  if (!fs::exists(path)) return "";
  std::ifstream file = readable_stream(path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whole lines only.
std::vector<std::string> lines_in(const fs::path& path) {
  const std::string text = text_in(path);
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

std::vector<std::string> table_cells(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.push_back(std::exchange(cell, ""));
    else if (c != '\r')
      cell += c;
  }
  cells.push_back(cell);
  return cells;
}

Columns read_csv(const fs::path& path) {
  Columns table;
  const std::vector<std::string> lines = lines_in(path);
  if (lines.empty()) return table;
  table.names = table_cells(lines.front());
  table.values.resize(table.names.size());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    const std::vector<std::string> cells = table_cells(lines[i]);
    if (cells.size() != table.names.size())
      throw InputError(fmt::format("{}:{}: has {} values: its header names {}", path.string(),
                                   i + 1, cells.size(), table.names.size()));
    for (std::size_t c = 0; c < cells.size(); ++c)
      table.values[c].push_back(number_in<double>(cells[c]).value_or(missing));
  }
  return table;
}

/// Numbers of an object and of objects in it.
void flatten(const Json& object, const std::string& before,
             std::vector<std::pair<std::string, double>>& numbers) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = before.empty() ? key : fmt::format("{}.{}", before, key);
    if (value.is_object()) flatten(value, name, numbers);
    if (value.is_number()) numbers.emplace_back(name, value.get<double>());
  }
}

Columns read_json_lines(const fs::path& path) {
  Columns table;
  std::size_t rows = 0;
  const std::vector<std::string> lines = lines_in(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Json object = Json::parse(lines[i], nullptr, false);
    if (!object.is_object())
      throw InputError(fmt::format("{}:{}: is no JSON object", path.string(), i + 1));
    std::vector<std::pair<std::string, double>> numbers;
    flatten(object, "", numbers);
    if (numbers.empty()) continue;
    ++rows;
    for (const auto& [name, value] : numbers) {
      const auto found = std::find(table.names.begin(), table.names.end(), name);
      const auto column = static_cast<std::size_t>(found - table.names.begin());
      if (found == table.names.end()) {
        table.names.push_back(name);
        table.values.emplace_back();
      }
      table.values[column].resize(rows, missing);
      table.values[column].back() = value;
    }
  }
  for (std::vector<double>& column : table.values) column.resize(rows, missing);
  return table;
}

}  // namespace

const std::vector<double>* Columns::find(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &values[found - names.begin()];
}

RunNumbers read_numbers(const std::string& folder) {
  std::error_code ignored;
  const fs::path place = folder;
  const bool any = fs::exists(place / "report.json", ignored) ||
                   fs::exists(place / "run.jsonl", ignored) ||
                   fs::exists(place / "log.csv", ignored);
  if (!any)
    throw InputError(
        fmt::format("{}: is no folder of talus run: neither report.json, run.jsonl nor log.csv is "
                    "there",
                    folder));
  RunNumbers numbers;
  numbers.folder = folder;
  numbers.scene = text_in(place / "scene.yaml");
  InputErrors faults;
  if (fs::exists(place / "report.json", ignored)) {
    numbers.report = Json::parse(text_in(place / "report.json"), nullptr, false);
    if (!numbers.report.is_object())
      faults.add(fmt::format("{}: is no JSON object", (place / "report.json").string()));
  }
  collect(faults, [&] { numbers.logs.push_back(read_json_lines(place / "run.jsonl")); });
  collect(faults, [&] { numbers.logs.push_back(read_csv(place / "log.csv")); });
  std::vector<fs::path> monitors;
  for (const fs::directory_entry& entry : fs::directory_iterator(place / "monitors", ignored))
    if (entry.path().extension() == ".csv") monitors.push_back(entry.path());
  std::sort(monitors.begin(), monitors.end());
  for (const fs::path& path : monitors)
    collect(faults, [&] { numbers.monitors.emplace_back(path.stem().string(), read_csv(path)); });
  faults.throw_if_any();
  return numbers;
}

}  // namespace talus::app
