#include "talus/core/error.hpp"
#include "talus/parallel/agreement.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/solver_settings.hpp"
#include "app/streams.hpp"
#include "core/simd.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace talus::app {
namespace {

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// What CLI11 could not place: an option gets the nearest valid one named. Words are faults only
/// where there is no unknown option, whose value they may be.
void refuse_leftovers(const CLI::App& verb, InputErrors& faults) {
  const std::vector<std::string> leftovers = verb.remaining();
  const std::string& name = verb.get_name();
  const bool unknown_option = std::any_of(leftovers.begin(), leftovers.end(), is_option);
  for (const std::string& word : leftovers) {
    const std::string option = word.substr(0, word.find('='));
    if (is_option(word))
      faults.add(fmt::format("unknown option {} of {}: {}see talus {} --help", option, name,
                             did_you_mean(option, long_options(verb)), name));
    else if (!unknown_option)
      faults.add(
          fmt::format("unexpected argument '{}' of {}: see talus {} --help", word, name, name));
  }
}

/// The first word must be a verb, or one of the program's own options.
void refuse_unknown_verb(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands({})) verbs.push_back(verb->get_name());
  if (argc < 2)
    throw InputError(
        fmt::format("what shall I do? give a verb: {}; see talus --help", fmt::join(verbs, ", ")));
  const std::string first = argv[1];
  const std::vector<std::string> options = long_options(program);
  if (std::find(verbs.begin(), verbs.end(), first) != verbs.end() || first == "-h" ||
      std::find(options.begin(), options.end(), first) != options.end())
    return;
  if (is_option(first))
    throw InputError(
        fmt::format("unknown option {}: {}options of a verb come after it, as in talus {} {}",
                    first, did_you_mean(first, options), verbs.front(), first));
  throw InputError(fmt::format("unknown verb '{}': {}known are {}; see talus --help", first,
                               did_you_mean(first, verbs, "'"), fmt::join(verbs, ", ")));
}

/// --output "$UNSET" asks for something: it is not the same as no --output.
void refuse_empty_values(const CLI::App& verb, InputErrors faults) {
  const std::size_t before = faults.count();
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        faults.add(fmt::format("{}: its value is empty; see talus {} --help", option->get_name(),
                               verb.get_name()));
  if (faults.count() > before) faults.throw_if_any();  // what it means elsewhere is no second fault
}

/// What CLI11 says in the words of its own trade.
std::string in_plain_words(const CLI::ParseError& error, const CLI::App& program,
                           const std::string& verb) {
  std::string said = error.what();
  const std::string about = said.substr(0, said.find_first_of(": "));
  const CLI::Option* option = program.get_subcommand(verb)->get_option_no_throw(about);
  if (option != nullptr && error.get_name() == "ArgumentMismatch")
    return about + (option->count() > 1 ? ": is given more than once" : ": needs a value");
  if (option != nullptr && error.get_name() == "RequiredError")
    return fmt::format("{} needs {}", verb, option->get_type_name());
  return said;
}

void use_threads(const CommonOptions& common) {
  if (common.threads.empty()) return;
  const int threads = parse_number<int>("--threads", common.threads, "a whole number");
  if (threads < 1 || threads > 1024)
    throw InputError(fmt::format("--threads = {} must lie in 1 to 1024", threads));
  omp_set_num_threads(threads);
}

}  // namespace

const char* const exit_codes =
    "exit codes: 0 finished, the answer is within tolerance (run: of every step; compare: of every "
    "method)\n"
    "            1 finished, an answer is above tolerance or the verdict of a run does not\n"
    "              hold; the best one is written\n"
    "            2 bad input or usage, nothing written\n"
    "            3 stopped by Ctrl-C or SIGTERM (run: SIGUSR1 or --wall-time, too); what was found "
    "so far is\n"
    "              written: a checkpoint, which is named (run), the best answer (solve), the table "
    "(compare)\n"
    "            4 failed: disk, memory, a body that is lost; files that were there before are "
    "untouched,\n"
    "              the last good checkpoint is named (run)";

void add_threads(CLI::App& verb, CommonOptions& common) {
  verb.add_option("--threads", common.threads,
                  "Threads; the answer has the same bits for any number [what OpenMP offers]")
      ->type_name("N");
}

void add_partition(CLI::App& verb, CommonOptions& common) {
  verb.add_option("--partition", common.partition,
                  "Which rank owns which bodies: metis, hilbert, blocks, random:SEED or file:PATH; "
                  "the answer has the same bits for any (but of psor) [metis]")
      ->type_name("KIND")
      ->group("On several ranks (mpirun -n N talus ...)");
}

void add_write_partition(CLI::App& verb, CommonOptions& common) {
  verb.add_option("--write-partition", common.write_partition,
                  "Write the owner of every body here, one per line: what file:PATH reads")
      ->type_name("FILE")
      ->group("On several ranks (mpirun -n N talus ...)");
}

void add_model(CLI::App& verb, CommonOptions& common) {
  verb.add_option("--model", common.model,
                  "Estimate the same solve on other ranks and another network: "
                  "latency=S,bandwidth=BYTES_PER_S,ranks=N, such as "
                  "latency=1.5e-6,bandwidth=1e10,ranks=256")
      ->type_name("TEXT")
      ->group("On several ranks (mpirun -n N talus ...)");
}

void add_common(CLI::App& verb, CommonOptions& common) {
  CLI::Option* quiet = verb.add_flag("--quiet", common.quiet, "No progress, no notes on stderr");
  verb.add_flag("--verbose", common.verbose,
                "What is done, with which settings and for how long, on stderr")
      ->excludes(quiet);
  verb.set_version_flag("--version", fmt::format("talus {}", TALUS_VERSION));
  verb.footer(exit_codes);
  verb.allow_extras();  // collected and refused by name: refuse_leftovers
}

void add_setting(CLI::App& verb, const std::shared_ptr<std::vector<std::string>>& assignments,
                 const SolverSetting& setting, const char* group) {
  std::string option = "--" + setting.name;
  if (setting.name.find('.') == std::string::npos)
    std::replace(option.begin(), option.end(), '_', '-');
  verb.add_option_function<std::string>(
          option,
          [assignments, name = setting.name](const std::string& value) {
            assignments->push_back("solver." + name + "=" + value);
          },
          fmt::format("{} [{}]", setting.help, setting.value))
      ->type_name("V")
      ->group(group);
}

int run(int argc, char** argv, const Communicator& comm) {
  CLI::App program{
      "talus: hard-contact dynamics with verified errors and reproducible bits.\n"
      "It simulates scenes of bodies, contacts and joints (talus run), and solves given contact "
      "problems,\non many ranks with threads: mpirun -n N talus solve ..."};
  program.name("talus");
  program.set_version_flag("--version",
                           fmt::format("talus {}\nSIMD level {} (best here: {})", TALUS_VERSION,
                                       name_of(simd_level()), name_of(best_simd_level())));
  program.footer(std::string("talus VERB --help says more.\n\n") + exit_codes);
  program.require_subcommand(0, 1);
  CommonOptions common;
  common.comm = comm;
  std::map<std::string, Command> commands{
      {"run", add_run(program, common)},           {"check", add_check(program, common)},
      {"solve", add_solve(program, common)},       {"compare", add_compare(program, common)},
      {"generate", add_generate(program, common)}, {"info", add_info(program, common)},
      {"render", add_render(program, common)},     {"plot", add_plot(program, common)},
      {"export", add_export(program, common)}};
  agree(comm, [&] { refuse_unknown_verb(program, argc, argv); });
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    std::ostringstream text;
    program.exit(help_or_version, text, text);
    if (common.speaks()) say_text(stdout, text.str());
    return exit_within_tolerance;
  } catch (const CLI::ParseError& error) {
    throw AgreedInputError(
        fmt::format("{}; see talus {} --help", in_plain_words(error, program, argv[1]), argv[1]));
  }
  if (!common.speaks()) common.quiet = true;
  if (!common.speaks()) common.verbose = false;
  const CLI::App& verb = *program.get_subcommands().front();
  InputErrors faults;
  refuse_leftovers(verb, faults);
  agree(comm, [&] { refuse_empty_values(verb, faults); });
  collect(faults, [&] { use_threads(common); });
  return commands.at(verb.get_name())(std::move(faults));
}

void require_same_words(const Communicator& comm, int argc, char** argv) {
  if (comm.size() == 1) return;
  const std::vector<std::string> words(argv + 1, argv + argc);  // the program's own path may differ
  std::string mine;
  for (const std::string& word : words) mine += word + '\0';
  const Bytes here = to_bytes(std::span<const char>(mine));
  Bytes first = here;
  comm.broadcast(first, 0);
  agree(comm, [&] {
    if (first != here)
      throw InputError(
          fmt::format("rank {} was started as 'talus {}', which is not how rank 0 was started: all "
                      "ranks take one command line, as in mpirun -n {} talus {}",
                      comm.rank(), fmt::join(words, " "), comm.size(), fmt::join(words, " ")));
  });
}

}  // namespace talus::app
