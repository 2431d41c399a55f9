// The user guide and the pages of the methods against the program itself, so that they cannot rot.

#include "talus/model/output_settings.hpp"

#include "app/run/step_numbers.hpp"
#include "support/places.hpp"
#include "support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace talus {
namespace {

using nlohmann::json;
using support::ProgramRun;
using support::Workplace;
using ::testing::HasSubstr;

std::string document(const std::string& name) {
  std::ifstream file(support::source_folder() / "docs" / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::smatch> matches(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator(text.begin(), text.end(), pattern), {}};
}

/// Long options of a verb with the default in the last brackets of their help, if any.
std::map<std::string, std::string> options_of(const Workplace& place, const std::string& verb) {
  const std::string help = place.run({verb, "--help"}).out;
  // an entry begins a line with two blanks; what follows may continue further right
  static const std::regex entry(R"(\n  (?:-\w,)?(--[\w.-]+)[^\n]*(?:\n {20,}[^\n]*)*)");
  static const std::regex bracketed(R"(\[([^\[\]]*)\]\s*$)");
  std::map<std::string, std::string> options;
  for (const std::smatch& match : matches(help, entry)) {
    const std::string text = match[0];
    std::smatch value;
    options[match[1]] = std::regex_search(text, value, bracketed) ? value[1].str() : "";
  }
  options.erase("--help");
  options.erase("--version");
  return options;
}

/// Options of methods are those of solve, where the guide has them.
void without_options_of_methods(std::map<std::string, std::string>& options,
                                const std::map<std::string, std::string>& of_solve) {
  for (const auto& [option, value] : of_solve) {
    if (option.find('.') == std::string::npos) continue;
    // steps are solved to looser tolerances, where the other one is sooner
    const bool of_runs = option == "--auto.first" && options[option] == "pspgfb";
    EXPECT_TRUE(options[option] == value || of_runs) << option << ": " << options[option];
    options.erase(option);
  }
}

/// Rows "| `--option`, `--other` | default | ..." of a document.
std::multimap<std::string, std::string> rows_of(const std::string& text) {
  static const std::regex row(R"(\n\| ((?:`-[^`|]+`(?:, )?)+) \| ?([^|]*) \|)");
  static const std::regex name(R"(`(--[\w.-]+)`)");
  std::multimap<std::string, std::string> rows;
  for (const std::smatch& match : matches(text, row)) {
    const std::string names = match[1], value = match[2];
    for (const std::smatch& option : matches(names, name)) rows.emplace(option[1], value);
  }
  return rows;
}

/// The part of a document under one of its headings.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find("\n" + heading + "\n");
  if (begin == std::string::npos) return "";
  const std::string level = heading.substr(0, heading.find(' ') + 1);
  const std::size_t end = text.find("\n" + level, begin + 1);
  return text.substr(begin, end - begin);
}

TEST(UserGuide, HasEveryOptionOfEveryVerbWithItsDefaultAndNoOther) {
  const Workplace place;
  const std::string guide = document("user_guide.md");
  for (const std::string verb :
       {"run", "check", "solve", "compare", "info", "generate", "render", "plot", "export"}) {
    SCOPED_TRACE(verb);
    auto options = options_of(place, verb);
    if (verb == "run" || verb == "check" || verb == "compare")
      without_options_of_methods(options, options_of(place, "solve"));
    const auto rows = rows_of(section(guide, "### talus " + verb));
    ASSERT_GT(options.size(), 2U);

    for (const auto& [option, value] : options) {
      const auto row = rows.find(option);
      EXPECT_EQ(rows.count(option), 1U) << option << " has not one row in the guide";
      if (row != rows.end() && !value.empty()) {
        EXPECT_EQ(row->second, value) << option;
      }
    }
    for (const auto& [option, value] : rows)
      EXPECT_TRUE(options.count(option)) << option << " is in the guide, but no option";
  }
}

TEST(UserGuide, MentionsNoOptionThatDoesNotExist) {
  const Workplace place;
  std::set<std::string> known{"--help",    "--version",   "--preset",  "--build",
                              "--install", "--prefix",    "--bind-to", "--mca",
                              "--signal",  "--apgd.shrnk"};  // of cmake, mpirun and SLURM; a wrong
                                                             // one
  for (const char* verb :
       {"run", "check", "solve", "compare", "info", "generate", "render", "plot", "export"})
    for (const auto& [option, value] : options_of(place, verb)) known.insert(option);

  static const std::regex option(R"((--[a-z][\w.-]*))");
  const std::string guide = document("user_guide.md");
  for (const std::smatch& match : matches(guide, option))
    EXPECT_TRUE(known.count(match[1])) << match[1];
}

TEST(UserGuide, PagesOfMethodsHaveTheirOptionsWithTheDefaults) {
  const Workplace place;
  const auto options = options_of(place, "solve");
  for (const std::string method : {"auto", "jacobi", "pspgfb", "apgd", "cg", "minres"}) {
    SCOPED_TRACE(method);
    const auto rows = rows_of(document("algorithms/" + method + ".md"));
    std::size_t found = 0;
    for (const auto& [option, value] : options) {
      if (option.rfind("--" + method + ".", 0) != 0) continue;
      const auto row = rows.find(option);
      ASSERT_NE(row, rows.end()) << option;
      EXPECT_EQ(row->second, value) << option;
      ++found;
    }
    EXPECT_EQ(found, rows.size());
  }
}

/// Numbers, hashes, hosts and paddings aside: what a reader compares.
std::string without_numbers(const std::string& text) {
  static const std::regex number(R"(\b[0-9a-f]{16}\b|[-+]?\b[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?\b)");
  static const std::regex plural("threads"), padding(" +"), host(R"(node \([^)]*\))");
  const std::string same = std::regex_replace(
      std::regex_replace(std::regex_replace(text, host, "node"), number, "#"), plural, "thread");
  return std::regex_replace(same, padding, " ");
}

/// Scenes that a document shows, under the names in their first lines.
void write_scenes(const Workplace& place, const std::string& text) {
  static const std::regex scene(R"(\n```yaml\n(# (\w+\.yaml)\n(?:(?!```)[^\n]*\n)*))");
  for (const std::smatch& match : matches(text, scene)) place.write(match[2], match[1]);
}

// Every "$ talus ..." in the guide is run, in order and in one folder.
TEST(UserGuide, ShowsWhatTheProgramPrints) {
  const Workplace place;
  static const std::regex session(R"(\$ talus ([^\n]*)\n((?:(?!\$ |```)[^\n]*\n)*))");
  const std::string guide = document("user_guide.md");
  write_scenes(place, guide);
  const std::vector<std::smatch> sessions = matches(guide, session);
  ASSERT_GE(sessions.size(), 7U);
  for (const std::smatch& match : sessions) {
    SCOPED_TRACE(match[1]);
    std::istringstream line(match[1]);
    const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};

    const ProgramRun run = place.run(words);

    std::string shown = match[2];
    while (shown.size() > 1 && shown.substr(shown.size() - 2) == "\n\n") shown.pop_back();
    // what is said on stderr comes first: notes, and what a run is about to do
    EXPECT_EQ(without_numbers(run.err + run.out), without_numbers(shown));
  }
}

TEST(UserGuide, NamesEveryExitCodeThatHelpNames) {
  const Workplace place;
  const std::string help = place.run({"--help"}).out;
  const std::string codes = section(document("user_guide.md"), "## Exit codes");
  const std::string in_help = help.substr(help.find("exit codes:"));
  static const std::regex code(R"((?:^exit codes:|\n {11,}) ?([0-9]) )");
  const std::vector<std::smatch> named = matches(in_help, code);
  EXPECT_EQ(named.size(), 5U);
  for (const std::smatch& match : named)
    EXPECT_THAT(codes, HasSubstr("| " + match[1].str() + " |"));
}

TEST(ReportKeys, AreAllInTheFileFormats) {
  const Workplace place;
  place.run({"solve", "--generate", "stack,bodies=2", "--report", "r.json"});
  const json report = json::parse(place.read("r.json"));
  const std::string text = section(document("file_formats.md"), "## Reports");
  ASSERT_FALSE(text.empty()) << "docs/file_formats.md has no section Reports";

  for (const auto& [key, value] : report.items()) {
    EXPECT_THAT(text, HasSubstr("`" + key + "`"));
    if (value.is_object() && key != "options") {
      for (const auto& [inner, unused] : value.items())
        EXPECT_THAT(text, HasSubstr("`" + inner + "`"));
    }
  }
}

TEST(FilesOfARun, HaveTheirKeysAndColumnsInTheFileFormats) {
  const Workplace place;
  write_scenes(place, document("user_guide.md"));
  ASSERT_EQ(place.run({"run", "beads.yaml", "--output", "beads", "--steps", "10"}).exit_code, 0);
  const std::string text = section(document("file_formats.md"), "## Runs");
  const auto expect_named = [&](const json& object) {
    for (const auto& [key, unused] : object.items()) EXPECT_THAT(text, HasSubstr("`" + key + "`"));
  };

  const json report = json::parse(place.read("beads/report.json"));
  expect_named(report);
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) expect_named(value);
    if (value.is_array())
      for (const json& entry : value) expect_named(entry);
  }
  const std::string log = place.read("beads/log.csv");
  std::istringstream header(log.substr(0, log.find('\n')));
  for (std::string column; std::getline(header, column, ',');)
    EXPECT_THAT(text, HasSubstr("`" + column + "`"));
}

TEST(StepNumbers, AreInTheDocumentsAndTheirColumnsAreThoseThatScenesMayChoose) {
  const std::string keys = section(document("output.md"), "## run.jsonl");
  ASSERT_FALSE(keys.empty());
  std::vector<std::string> columns;
  for (const app::StepNumber& number : app::step_numbers()) {
    if (number.key) {
      EXPECT_THAT(keys, HasSubstr("`" + number.name + "`"));
    }
    if (number.column) columns.push_back(number.name);
  }
  EXPECT_THAT(columns, ::testing::UnorderedElementsAreArray(log_columns));
}

TEST(HistoryColumns, AreAllInTheFileFormats) {
  const Workplace place;
  place.run({"solve", "--generate", "stack,bodies=2", "--history", "h.csv"});
  std::istringstream header(place.read("h.csv").substr(0, place.read("h.csv").find('\n')));
  const std::string text = section(document("file_formats.md"), "## Reports");

  for (std::string column; std::getline(header, column, ',');)
    EXPECT_THAT(text, HasSubstr("`" + column + "`"));
}

}  // namespace
}  // namespace talus
