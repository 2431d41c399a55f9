// talus generate: problems of any size, the same bits for the same options.

#include "talus/core/error.hpp"

#include "app/commands.hpp"
#include "app/faults.hpp"
#include "app/remarks.hpp"
#include "app/streams.hpp"
#include "core/words.hpp"
#include "generate/generate.hpp"
#include "io/problem_slice.hpp"
#include "io/report_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace talus::app {
namespace {

struct GenerateArguments {
  std::string kind, layout = "native", output;
  std::vector<std::pair<std::string, std::string>> keys;
};

std::string as_option(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

/// Options for every key of any kind; parse_generate knows which kind takes which.
void add_keys(CLI::App& verb, const std::shared_ptr<GenerateArguments>& a) {
  std::vector<std::string> added;
  for (const std::string& kind : generate_kinds()) {
    for (const GenerateKey& key : generate_keys(kind)) {
      if (std::find(added.begin(), added.end(), key.name) != added.end()) continue;
      added.push_back(key.name);
      std::string names = as_option(key.name);
      if (key.name.find('_') != std::string::npos) names += ",--" + key.name;
      verb.add_option_function<std::string>(
              names,
              [a, name = key.name](const std::string& value) { a->keys.emplace_back(name, value); },
              key.unit.empty() ? key.help : fmt::format("{}, {}", key.help, key.unit))
          ->type_name("V")
          ->group("Keys, each for some kinds");
    }
  }
}

std::string help_on_kinds() {
  std::string text = "keys of each kind [default; allowed]:\n";
  for (const std::string& kind : generate_kinds()) {
    text += fmt::format("  {}\n", kind);
    for (const GenerateKey& key : generate_keys(kind))
      text += fmt::format("    {:<14} [{}; {}]\n", as_option(key.name), key.value, key.range);
  }
  return text;
}

/// What is asked for, once nothing is wrong with it; whether a problem that is there goes.
struct GenerateTask {
  GenerateOptions options;
  bool replaces = false;
};

GenerateTask checked(const GenerateArguments& a, const CommonOptions& common, InputErrors faults) {
  const std::vector<std::string> layouts{"native", "fclib"};
  if (std::find(layouts.begin(), layouts.end(), a.layout) == layouts.end())
    faults.add(fmt::format("--layout {}: {}known are {}", a.layout, did_you_mean(a.layout, layouts),
                           fmt::join(layouts, ", ")));
  GenerateTask task;
  if (a.output.empty())
    faults.add("generate needs --output FILE.h5");
  else if (common.speaks())  // others look at the same file
    collect(faults, [&] { task.replaces = require_problem_goal(a.output, "--output"); });
  std::string text = a.kind;
  for (const auto& [key, value] : a.keys) text += fmt::format(",{}={}", key, value);
  collect(faults, [&] { task.options = parse_generate(text); });
  // asked before the work: the writer would find it in every contact
  if (a.layout == "fclib" && task.options.spinning_friction.value_or(0.0) != 0.0)
    faults.add(
        fmt::format("--layout fclib: FCLib has rolling friction but none against spinning: leave "
                    "--spinning-friction {} out, or give --layout native",
                    *task.options.spinning_friction));
  faults.throw_if_any();
  return task;
}

struct ProblemSize {
  GlobalId bodies = 0, contacts = 0, joint_rows = 0;
};

void say_what_was_made(const GenerateArguments& a, const CommonOptions& common,
                       const GenerateTask& task, const ProblemSize& size) {
  if (!common.speaks()) return;
  if (task.replaces)
    note(common, fmt::format("{}: the problem that was there is replaced", a.output));
  say("{}: {} with {}, {}, {} ({} layout)\n", a.output, a.kind,
      counted(size.bodies, "body", "bodies"), counted(size.contacts, "contact"),
      counted(size.joint_rows, "joint row"), a.layout);
}

/// The whole, on the first rank.
ProblemSize generate_whole(const GenerateArguments& a, const CommonOptions& common,
                           const GenerateTask& task) {
  Stopwatch watch;
  const BodyProblem problem = generate(task.options);
  detail(common, fmt::format("made in {:.3f} s", watch.lap()));
  if (a.layout == "native")
    write_native(a.output, problem);
  else
    write_fclib(a.output, problem);
  detail(common, fmt::format("written in {:.3f} s", watch.lap()));
  return {problem.body_count(), problem.contact_count(), problem.joint_row_count()};
}

/// Each rank makes and writes its slice. Collective.
ProblemSize generate_slices(const GenerateArguments& a, const CommonOptions& common,
                            const GenerateTask& task) {
  const Communicator& comm = common.comm;
  Stopwatch watch;
  const BodySlice slice =
      agreed(comm, [&] { return generate_slice(task.options, comm.rank(), comm.size()); });
  detail(common, fmt::format("made in {:.3f} s", watch.lap()));
  write_native(a.output, slice, comm);
  detail(common, fmt::format("written in {:.3f} s", watch.lap()));
  return {slice.total_bodies, slice.total_contacts, slice.total_joint_rows};
}

int generate_file(const GenerateArguments& a, const CommonOptions& common, InputErrors faults) {
  const Communicator& comm = common.comm;
  const GenerateTask task = agreed(comm, [&] { return checked(a, common, std::move(faults)); });
  if (comm.size() > 1 && a.layout == "native") {
    say_what_was_made(a, common, task, generate_slices(a, common, task));
    return exit_within_tolerance;
  }
  return on_first_rank(comm, [&] {  // FCLib's layout is for problems of one rank's size
    say_what_was_made(a, common, task, generate_whole(a, common, task));
    return exit_within_tolerance;
  });
}

}  // namespace

Command add_generate(CLI::App& program, CommonOptions& common) {
  const auto a = std::make_shared<GenerateArguments>();
  CLI::App& verb = *program.add_subcommand(
      "generate", fmt::format("Make a contact problem: {}", fmt::join(generate_kinds(), ", ")));
  verb.add_option("kind", a->kind, fmt::format("One of {}", fmt::join(generate_kinds(), ", ")))
      ->required()
      ->type_name("KIND");
  verb.add_option("--layout", a->layout,
                  "native, or fclib: FCLib's global layout, for other programs [native]")
      ->type_name("NAME");
  verb.add_option("--output", a->output, "The file to make (needed)")->type_name("FILE.h5");
  add_keys(verb, a);
  add_common(verb, common);
  verb.footer(help_on_kinds() + "\n" + exit_codes);
  return [a, &common](InputErrors faults) { return generate_file(*a, common, std::move(faults)); };
}

}  // namespace talus::app
