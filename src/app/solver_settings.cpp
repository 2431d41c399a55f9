#include "app/solver_settings.hpp"

#include "talus/core/error.hpp"

#include <charconv>
#include <fmt/format.h>

namespace talus::app {
namespace {

template <class Number>
Number parse_number(const std::string& name, const std::string& text, const char* kind) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("{} = '{}' is not {}", name, text, kind));
  return value;
}

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

std::vector<SolverSetting> general_settings(SolveOptions& o) {
  return {
      {"method", "", name_of(o.method), [&o](const std::string& t) { o.method = method_named(t); }},
      {"law", "", name_of(o.law), [&o](const std::string& t) { o.law = law_named(t); }},
      {"measure", "", name_of(o.measure),
       [&o](const std::string& t) { o.measure = measure_named(t); }},
      setting("tolerance", o.tolerance, ""),
      setting("max_iterations", o.max_iterations, ""),
      setting("stall_iterations", o.stall_iterations, ""),
      setting("time_limit", o.time_limit, ""),
  };
}

}  // namespace

std::vector<SolverSetting> method_settings(SolveOptions& o) {
  return {
      setting("jacobi.relaxation", o.jacobi.relaxation, "in (0, 2), before division by lambda_max"),
      setting("jacobi.lambda_margin", o.jacobi.lambda_margin,
              "factor >= 1 on the lambda_max estimate"),
      setting("jacobi.lambda_iterations", o.jacobi.lambda_iterations,
              "products spent on that estimate"),
      setting("psor.relaxation", o.psor.relaxation, "omega in (0, 2)"),
      setting("psor.symmetric", o.psor.symmetric, "sweep forward and backward in turn"),
      setting("psor.exact_local", o.psor.exact_local,
              "solve each cone exactly, or one step of 1/lambda_max"),
      setting("psor.check_every", o.psor.check_every, "sweeps between measurements of the error"),
      setting("pspgfb.precondition", o.pspgfb.precondition,
              "diagonal averaged per cone, or plain SPG"),
      setting("pspgfb.alpha_min", o.pspgfb.alpha_min, "least spectral step"),
      setting("pspgfb.alpha_max", o.pspgfb.alpha_max, "largest spectral step"),
      setting("pspgfb.sigma_min", o.pspgfb.sigma_min, "line search: least shrink"),
      setting("pspgfb.sigma_max", o.pspgfb.sigma_max, "line search: largest shrink, < 1"),
      setting("pspgfb.gll_history", o.pspgfb.gll_history,
              "values the non-monotone search remembers"),
      setting("pspgfb.armijo", o.pspgfb.armijo, "sufficient decrease, in (0, 0.5)"),
      setting("pspgfb.fallback", o.pspgfb.fallback, "return the best iterate, not the last"),
      setting("pspgfb.refresh_every", o.pspgfb.refresh_every, "iterations between fresh gradients"),
      setting("apgd.shrink", o.apgd.shrink, "factor on L after an accepted step, in (0, 1]"),
      setting("apgd.grow", o.apgd.grow, "least factor on L after a refused step, > 1"),
      setting("apgd.restart", o.apgd.restart, "gradient restart of the momentum"),
      setting("apgd.refresh_every", o.apgd.refresh_every, "iterations between fresh gradients"),
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
  throw InputError(
      fmt::format("-s {}: unknown key: did you mean {}?", key, nearest_name(key, known)));
}

}  // namespace talus::app
