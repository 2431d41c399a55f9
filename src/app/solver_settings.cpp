#include "app/solver_settings.hpp"

#include "talus/core/error.hpp"

#include "app/faults.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace talus::app {
namespace {

void assign(const std::string& name, const std::string& text, double& value) {
  value = parse_number<double>(name, text, "a number");
}

void assign(const std::string& name, const std::string& text, int& value) {
  value = parse_number<int>(name, text, "a whole number");
}

void assign(const std::string& name, const std::string& text, std::int64_t& value) {
  value = parse_number<std::int64_t>(name, text, "a whole number");
}

void assign(const std::string& name, const std::string& text, bool& value) {
  value = text == "true" || text == "on" || text == "yes" || text == "1";
  if (!value && text != "false" && text != "off" && text != "no" && text != "0")
    throw InputError(fmt::format("{} = '{}' is neither true nor false", name, text));
}

template <class Value>
SolverSetting setting(const char* name, Value& value, const char* help) {
  return {name, help, fmt::format("{}", value),
          [name, &value](const std::string& text) { assign(name, text, value); }};
}

/// "apgd,psor"
std::vector<Method> methods_named(const std::string& text) {
  std::vector<Method> methods;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    methods.push_back(method_named(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return methods;
}

/// auto may run others, with their options.
std::vector<std::string> with_parts_of_auto(std::vector<std::string> methods) {
  const auto has = [&](const std::string& name) {
    return std::find(methods.begin(), methods.end(), name) != methods.end();
  };
  if (has(name_of(Method::Auto)))
    for (const Method part : {Method::Apgd, Method::Pspgfb, Method::Minres})
      if (!has(name_of(part))) methods.push_back(name_of(part));
  return methods;
}

std::string listed(const std::vector<Method>& methods) {
  std::vector<std::string> names;
  for (const Method method : methods) names.push_back(name_of(method));
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::vector<SolverSetting> general_settings(SolveOptions& o) {
  return {
      {"method", fmt::format("{}", fmt::join(method_names(), ", ")), name_of(o.method),
       [&o](const std::string& text) { o.method = method_named(text); }},
      {"methods",
       "several, as in apgd,psor, from the same start: the first that converges, or the least "
       "error",
       listed(o.methods), [&o](const std::string& text) { o.methods = methods_named(text); }},
      {"law", "friction law: coulomb, associated, box", name_of(o.law),
       [&o](const std::string& text) { o.law = law_named(text); }},
      {"measure",
       fmt::format("the error that stops the solve: {}", fmt::join(measure_names(), ", ")),
       name_of(o.measure), [&o](const std::string& text) { o.measure = measure_named(text); }},
      setting("tolerance", o.tolerance, "wanted value of that error, in its unit"),
      setting("max_iterations", o.max_iterations, "iterations after which to give up"),
      setting("stall_iterations", o.stall_iterations,
              "give up when the best error fell by less than 1 % over so many"),
      setting("time_limit", o.time_limit,
              "s of solving, verification included; the answer then depends on the clock"),
  };
}

std::vector<SolverSetting> method_settings(SolveOptions& o) {
  constexpr const char* restart_help =
      "iterations (at least as many as rows) without gain after which to restart, >= 1";
  return {
      {"auto.first", "method that begins where friction is coulomb or box: apgd or pspgfb",
       name_of(o.automatic.first),
       [&o](const std::string& text) { o.automatic.first = method_named(text); }},
      setting("auto.patience", o.automatic.patience,
              "iterations without gain after which another method goes on, >= 1"),
      setting("jacobi.relaxation", o.jacobi.relaxation, "step times lambda_max, in (0, 2)"),
      setting("jacobi.lambda_margin", o.jacobi.lambda_margin,
              "factor on the estimate of lambda_max, >= 1"),
      setting("jacobi.lambda_iterations", o.jacobi.lambda_iterations,
              "products spent on that estimate, 1 to 10000"),
      setting("psor.relaxation", o.psor.relaxation, "omega, in (0, 2)"),
      setting("psor.symmetric", o.psor.symmetric, "sweep forward and backward in turn"),
      setting("psor.exact_local", o.psor.exact_local,
              "solve each cone exactly; false: one step of 1/lambda_max of its block"),
      setting("psor.tiles", o.psor.tiles,
              "eight independent contacts at a time, in the diagonals of their blocks"),
      setting("psor.check_every", o.psor.check_every,
              "sweeps between measurements of the error, 1 to 10000"),
      setting("psor.accelerate", o.psor.accelerate, "Nesterov momentum with restart"),
      setting("psor.sweeps", o.psor.sweeps,
              "sweeps per exchange of several ranks and per step of the momentum, 1 to 1000"),
      setting("pspgfb.precondition", o.pspgfb.precondition,
              "P is the diagonal averaged per cone; false: plain SPG"),
      setting("pspgfb.alpha_min", o.pspgfb.alpha_min, "least spectral step, > 0"),
      setting("pspgfb.alpha_max", o.pspgfb.alpha_max, "largest spectral step, finite"),
      setting("pspgfb.sigma_min", o.pspgfb.sigma_min, "line search: least factor, > 0"),
      setting("pspgfb.sigma_max", o.pspgfb.sigma_max, "line search: largest factor, < 1"),
      setting("pspgfb.gll_history", o.pspgfb.gll_history,
              "earlier values of f that the line search remembers, >= 0"),
      setting("pspgfb.armijo", o.pspgfb.armijo,
              "line search: wanted part of the slope, in (0, 0.5)"),
      setting("pspgfb.fallback", o.pspgfb.fallback, "return the best iterate; false: the last"),
      setting("pspgfb.refresh_every", o.pspgfb.refresh_every,
              "iterations between fresh gradients, >= 1"),
      setting("apgd.shrink", o.apgd.shrink, "factor on L after an accepted step, in (0, 1]"),
      setting("apgd.grow", o.apgd.grow, "least factor on L after a refused step, > 1"),
      setting("apgd.restart", o.apgd.restart, "drop the momentum when it points uphill"),
      setting("apgd.refresh_every", o.apgd.refresh_every,
              "iterations between fresh gradients, >= 1"),
      setting("apgd.precondition", o.apgd.precondition,
              "P is the diagonal averaged per cone; false: the mean diagonal"),
      setting("cg.refresh_every", o.cg.refresh_every, "iterations between fresh gradients, >= 1"),
      setting("cg.restart_after", o.cg.restart_after, restart_help),
      setting("minres.refresh_every", o.minres.refresh_every,
              "iterations between fresh gradients, >= 1"),
      setting("minres.restart_after", o.minres.restart_after, restart_help),
  };
}

void apply_setting(const std::string& assignment, SolveOptions& options) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw InputError(
        fmt::format("-s {}: write KEY=VALUE, such as -s solver.tolerance=1e-5", assignment));
  const std::string key = assignment.substr(0, equals);
  std::vector<SolverSetting> settings = general_settings(options);
  for (SolverSetting& method : method_settings(options)) settings.push_back(std::move(method));
  std::vector<std::string> known;
  for (const SolverSetting& s : settings) {
    known.push_back("solver." + s.name);
    if (known.back() == key) return s.set(assignment.substr(equals + 1));
  }
  // the word that all keys begin with would make any two of them look alike
  const std::string prefix = "solver.";
  const std::string word = key.starts_with(prefix) ? key.substr(prefix.size()) : key;
  for (std::string& name : known) name.erase(0, prefix.size());
  const std::string meant = close_name(word, known);
  throw InputError(fmt::format("-s {}: unknown key: {}", key,
                               meant.empty() ? "talus solve --help has all of them"
                                             : "did you mean " + prefix + meant + "?"));
}

std::vector<std::pair<std::string, std::string>> used_settings(
    SolveOptions options, const std::vector<std::string>& methods) {
  std::vector<std::pair<std::string, std::string>> used{
      {"max_iterations", fmt::format("{}", options.max_iterations)},
      {"stall_iterations", fmt::format("{}", options.stall_iterations)}};
  if (!options.methods.empty()) used.emplace_back("methods", listed(options.methods));
  if (options.time_limit < infinity)
    used.emplace_back("time_limit", fmt::format("{}", options.time_limit));
  const std::vector<SolverSetting> settings = method_settings(options);
  for (const std::string& method : with_parts_of_auto(methods))
    for (const SolverSetting& setting : settings)
      if (setting.name.rfind(method + ".", 0) == 0) used.emplace_back(setting.name, setting.value);
  return used;
}

std::vector<std::string> idle_settings(const std::vector<std::string>& assignments,
                                       const std::vector<std::string>& methods) {
  const std::vector<std::string> running = with_parts_of_auto(methods);
  std::vector<std::string> idle;
  for (const std::string& assignment : assignments) {
    const std::string key = assignment.substr(0, assignment.find('='));
    const std::size_t begin = key.find('.') + 1, end = key.find('.', begin);
    const std::string method = key.substr(begin, end - begin);
    if (end != std::string::npos &&
        std::find(running.begin(), running.end(), method) == running.end())
      idle.push_back(key.substr(begin));
  }
  return idle;
}

}  // namespace talus::app
