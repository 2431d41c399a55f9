#include "app/compare_plan.hpp"

#include "talus/io/report_file.hpp"
#include "talus/solvers/compare.hpp"

#include "app/faults.hpp"
#include "app/set_up.hpp"
#include "app/solver_settings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <utility>

namespace talus::app {
namespace {

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return words;
}

std::vector<std::string> chosen_methods(const std::string& text, InputErrors& faults) {
  std::vector<std::string> methods;
  if (text.empty()) {  // auto is one of the others most of the time
    methods = method_names();
    methods.erase(std::find(methods.begin(), methods.end(), name_of(Method::Auto)));
    return methods;
  }
  for (const std::string& name : listed(text))
    collect(faults, [&] {
      method_named(name);
      if (std::find(methods.begin(), methods.end(), name) == methods.end()) methods.push_back(name);
    });
  return methods;
}

std::vector<double> chosen_tolerances(const std::string& text, InputErrors& faults) {
  std::set<double, std::greater<>> tolerances;
  for (const std::string& word : listed(text))
    collect(faults, [&] {
      const auto value = parse_number<double>("--tolerances", word, "a number");
      if (!(value > 0.0) || !(value < infinity))
        throw InputError(fmt::format("--tolerances = {} must be above 0 and finite", word));
      tolerances.insert(value);
    });
  return {tolerances.begin(), tolerances.end()};
}

void apply(const CompareArguments& a, SolveOptions& options, InputErrors& faults) {
  for (const auto* list : {&a.assignments, &a.settings})
    for (const std::string& assignment : *list)
      collect(faults, [&] {
        const std::string key = assignment.substr(0, assignment.find('='));
        for (const std::string word : {"method", "methods", "tolerance"})
          if (key == "solver." + word)
            throw InputError(fmt::format("-s {}: compare takes several: give --{}", key,
                                         word == "tolerance" ? "tolerances" : "methods"));
        apply_setting(assignment, options);
      });
}

/// Values of options; whether a method takes a law or a problem is not asked here.
void check_options(const ComparePlan& plan, InputErrors& faults) {
  std::set<std::string> known;  // what is wrong for all methods is said once
  for (const std::string& name : plan.methods) {
    SolveOptions options = plan.options;
    options.method = method_named(name);
    if (!refusal_of(ConeProblem{}, options.method, options.law).empty()) continue;
    InputErrors mine;
    collect(mine, [&] { validate(options, ConeProblem{}); });
    try {
      mine.throw_if_any();
    } catch (const InputError& error) {
      for (const std::string& message : error.messages())
        if (known.insert(message).second) faults.add(message);
    }
  }
}

void check_goals(const CompareArguments& a, const ProblemSources& sources, InputErrors& faults) {
  if (!a.output.empty()) {
    const std::vector<std::string> endings{".csv", ".json"};
    const std::string ending = ending_of(a.output);
    if (std::find(endings.begin(), endings.end(), ending) == endings.end())
      faults.add(fmt::format("--output {}: the ending chooses the format: {}give it {}", a.output,
                             did_you_mean(ending, endings), fmt::join(endings, " or ")));
    else
      collect(faults, [&] { require_writable(a.output, "--output"); });
  }
  for (const auto& [option, path] :
       {std::pair<const char*, const std::string&>{"--output", a.output}, {"--plot", a.plot}})
    for (const ProblemSource& source : sources.problems)
      if (!source.generated && is_same_file(path, source.name))
        faults.add(
            fmt::format("{} {}: is a problem file; give it a name of its own", option, path));
  if (is_same_file(a.output, a.plot))
    faults.add(
        fmt::format("--plot {}: is the file of --output; give it a name of its own", a.plot));
}

}  // namespace

ComparePlan settle_comparison(const CompareArguments& a, const CommonOptions& common,
                              InputErrors faults) {
  ComparePlan plan;
  const std::size_t faults_before = faults.count();
  apply(a, plan.options, faults);
  plan.methods = chosen_methods(a.methods, faults);
  plan.tolerances = chosen_tolerances(a.tolerances, faults);
  if (!plan.tolerances.empty()) plan.options.tolerance = plan.tolerances.back();
  plan.output = a.output;
  if (a.problems.empty() && a.generate.empty())
    faults.add(
        "give problems: files or folders (talus compare PROBLEM.h5) or --generate "
        "KIND,key=value,...");
  // an unknown option leaves its value behind, which looks like a problem
  if (faults_before == 0)
    collect(faults, [&] { plan.sources = find_sources(a.problems, a.generate); });
  check_options(plan, faults);
  collect(faults, [&] { parse_partition(common.partition); });
  if (common.speaks()) check_goals(a, plan.sources, faults);
  if (!a.plot.empty() && common.speaks())
    collect(faults, [&] { plan.plotter.emplace(a.plot, "--plot"); });
  faults.throw_if_any();
  return plan;
}

}  // namespace talus::app
