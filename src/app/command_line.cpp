#include "talus/core/error.hpp"
#include "talus/core/simd.hpp"

#include "app/commands.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace talus::app {
namespace {

constexpr const char* exit_codes =
    "exit codes: 0 every answer within tolerance; 1 finished, some answer above tolerance (best "
    "written);\n            2 bad input or usage, nothing written; 4 run failed";

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What CLI11 could not place: an option gets the nearest valid one named, the rest is listed.
[[noreturn]] void refuse_leftovers(const CLI::App& app, const std::vector<std::string>& leftovers) {
  InputErrors errors;
  const std::string verb = app.get_name();
  for (const std::string& word : leftovers) {
    const std::string name = word.substr(0, word.find('='));
    if (name.rfind("-", 0) == 0) {
      errors.add(fmt::format("unknown option {} of {}: did you mean {}? see talus {} --help", name,
                             verb, nearest_name(name, long_options(app)), verb));
    } else {
      errors.add(
          fmt::format("unexpected argument '{}' of {}: see talus {} --help", word, verb, verb));
    }
  }
  errors.throw_if_any();
  throw InputError("unexpected arguments");
}

void refuse_unknown_verb(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands({})) verbs.push_back(verb->get_name());
  if (argc < 2)
    throw InputError(
        fmt::format("what shall I do? give a verb: {}; see talus --help", fmt::join(verbs, ", ")));
  const std::string first = argv[1];
  if (first.rfind("-", 0) == 0 || std::find(verbs.begin(), verbs.end(), first) != verbs.end())
    return;
  throw InputError(fmt::format("unknown verb '{}': did you mean '{}'? known are {}", first,
                               nearest_name(first, verbs), fmt::join(verbs, ", ")));
}

}  // namespace

void add_common(CLI::App& verb, CommonOptions& common) {
  verb.add_option("--threads", common.threads,
                  "Threads of this rank (default: what OpenMP offers; the answer has the same bits "
                  "for any number)")
      ->check(CLI::Range(1, 1024));
  verb.add_flag("--quiet", common.quiet, "No progress and no remarks on stderr");
  verb.add_flag("--verbose", common.verbose, "More lines on stderr");
  verb.footer(exit_codes);
  verb.allow_extras();  // collected and refused by name: refuse_leftovers
}

void use_threads(const CommonOptions& common) {
  if (common.threads > 0) omp_set_num_threads(common.threads);
}

int run(int argc, char** argv) {
  CLI::App program{
      "talus: hard-contact dynamics with verified errors and reproducible bits.\n"
      "This version solves given contact problems on one rank with threads."};
  program.name("talus");
  program.set_version_flag("--version",
                           fmt::format("talus {}\nSIMD level {} (best here: {})", TALUS_VERSION,
                                       name_of(simd_level()), name_of(best_simd_level())));
  program.footer(exit_codes);
  program.require_subcommand(0, 1);
  CommonOptions common;
  std::map<std::string, Command> commands{{"solve", add_solve(program, common)},
                                          {"info", add_info(program, common)},
                                          {"generate", add_generate(program, common)}};
  refuse_unknown_verb(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}; see talus --help", error.what()));
  }
  const std::vector<CLI::App*> chosen = program.get_subcommands();
  if (chosen.empty()) throw InputError("no verb given; see talus --help");
  const CLI::App& verb = *chosen.front();
  if (!verb.remaining().empty() && verb.get_name() != "generate")
    refuse_leftovers(verb, verb.remaining());
  use_threads(common);
  return commands.at(verb.get_name())();
}

}  // namespace talus::app
