#include "talus/core/expression.hpp"

#include "talus/core/error.hpp"

#include "core/elementary.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <muParserBase.h>
#include <mutex>

namespace talus {
namespace {

// ---- functions: the same bits on every machine --------------------------------------------------

double largest(const double* values, int count) {
  return *std::max_element(values, values + count);
}
double smallest(const double* values, int count) {
  return *std::min_element(values, values + count);
}
double square_root(double x) {
  return std::sqrt(x);
}
double absolute(double x) {
  return std::fabs(x);
}
double whole_below(double x) {
  return std::floor(x);
}
double step_at_zero(double x) {
  return x < 0.0 ? 0.0 : 1.0;
}

/// Whole exponents by products: x^2 is x*x, as users expect, and not an exponential of a logarithm.
double raised(double base, double exponent) {
  constexpr double most_products = 1024.0;
  if (exponent != std::floor(exponent) || std::fabs(exponent) > most_products)
    return power(base, exponent);
  double product = 1.0, factor = base;
  for (auto left = static_cast<int>(std::fabs(exponent)); left > 0; left /= 2) {
    if (left % 2 == 1) product *= factor;
    factor *= factor;
  }
  return exponent < 0.0 ? 1.0 / product : product;
}

double as_number(bool holds) {
  return holds ? 1.0 : 0.0;
}
double plus(double a, double b) {
  return a + b;
}
double minus(double a, double b) {
  return a - b;
}
double times(double a, double b) {
  return a * b;
}
double over(double a, double b) {
  return a / b;
}
double less(double a, double b) {
  return as_number(a < b);
}
double at_most(double a, double b) {
  return as_number(a <= b);
}
double more(double a, double b) {
  return as_number(a > b);
}
double at_least(double a, double b) {
  return as_number(a >= b);
}
double equal(double a, double b) {
  return as_number(a == b);
}
double unequal(double a, double b) {
  return as_number(a != b);
}
double both(double a, double b) {
  return as_number(a != 0.0 && b != 0.0);
}
double either(double a, double b) {
  return as_number(a != 0.0 || b != 0.0);
}
double negative(double a) {
  return -a;
}
double same(double a) {
  return a;
}
double opposite(double a) {
  return as_number(a == 0.0);
}

const char* const first_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const char* const name_letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/// How many characters are a number; `value` is its value. from_chars, because what the streams of
/// C++ read depends on the locale.
std::size_t number_at(const char* text, double& value) {
  if (std::isdigit(static_cast<unsigned char>(*text)) == 0 && *text != '.') return 0;
  const char* const end = text + std::char_traits<char>::length(text);
  const auto [stop, fault] = std::from_chars(text, end, value);
  return fault == std::errc() ? static_cast<std::size_t>(stop - text) : 0;
}

int identify_number(const char* text, int* position, double* value) {
  const std::size_t length = number_at(text, *value);
  *position += static_cast<int>(length);
  return length > 0 ? 1 : 0;
}

/// muParser without its own functions and operators, which are those of the C library, and which
/// its optimiser folds.
class Formula : public mu::ParserBase {
 public:
  Formula() {
    EnableBuiltInOprt(false);
    EnableOptimizer(false);
    AddValIdent(identify_number);
    InitCharSets();
    InitFun();
    InitOprt();
  }

 protected:
  void InitCharSets() override {
    DefineNameChars(name_letters);
    DefineOprtChars("+-*/^<>=!&|");
    DefineInfixOprtChars("+-!");
  }
  void InitFun() override {
    DefineFun("sin", sine);
    DefineFun("cos", cosine);
    DefineFun("tan", tangent);
    DefineFun("asin", arc_sine);
    DefineFun("acos", arc_cosine);
    DefineFun(
        "atan", +[](double x) { return arc_tangent(x, 1.0); });
    DefineFun("atan2", arc_tangent);
    DefineFun("exp", exponential);
    DefineFun("log", natural_logarithm);
    DefineFun("sqrt", square_root);
    DefineFun("abs", absolute);
    DefineFun("min", smallest);
    DefineFun("max", largest);
    DefineFun("floor", whole_below);
    DefineFun("step", step_at_zero);
  }
  void InitConst() override {}
  void InitOprt() override {
    DefineOprt("||", either, mu::prLOR);
    DefineOprt("&&", both, mu::prLAND);
    DefineOprt("<", less, mu::prCMP);
    DefineOprt("<=", at_most, mu::prCMP);
    DefineOprt(">", more, mu::prCMP);
    DefineOprt(">=", at_least, mu::prCMP);
    DefineOprt("==", equal, mu::prCMP);
    DefineOprt("!=", unequal, mu::prCMP);
    DefineOprt("+", plus, mu::prADD_SUB);
    DefineOprt("-", minus, mu::prADD_SUB);
    DefineOprt("*", times, mu::prMUL_DIV);
    DefineOprt("/", over, mu::prMUL_DIV);
    DefineOprt("^", raised, mu::prPOW, mu::oaRIGHT);
    DefineInfixOprt("-", negative);
    DefineInfixOprt("+", same);
    DefineInfixOprt("!", opposite);
  }
};

// ---- what is wrong, and where -------------------------------------------------------------------

const std::vector<std::string> functions{"sin",  "cos",   "tan", "asin",  "acos",
                                         "atan", "atan2", "exp", "log",   "sqrt",
                                         "abs",  "min",   "max", "floor", "step"};

struct Name {
  std::string text;
  std::size_t place = 0;  ///< from 0
  bool called = false;    ///< a parenthesis follows
};

/// Names in their order. Numbers are jumped over, because 1e5 has no name in it.
std::vector<Name> names_of(const std::string& text) {
  std::vector<Name> names;
  for (std::size_t i = 0; i < text.size();) {
    double ignored = 0.0;
    if (const std::size_t length = number_at(text.c_str() + i, ignored); length > 0) {
      i += length;
      continue;
    }
    if (std::string(first_letters).find(text[i]) == std::string::npos) {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of(name_letters, i), text.size());
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    names.push_back({text.substr(i, end - i), i, next != std::string::npos && text[next] == '('});
    i = end;
  }
  return names;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

[[noreturn]] void refuse(const std::string& text, std::size_t place, const std::string& what) {
  throw InputError(fmt::format("'{}', character {}: {}", text, place + 1, what));
}

/// All unknown names at once.
void check_names(const std::string& text, const std::vector<Name>& names,
                 const std::vector<std::string>& known) {
  InputErrors errors;
  for (const Name& name : names) {
    const std::string where = fmt::format("'{}', character {}: ", text, name.place + 1);
    const bool is_function = contains(functions, name.text);
    if (name.called && !is_function)
      errors.add(fmt::format("{}unknown function '{}': {}known are {}", where, name.text,
                             did_you_mean(name.text, functions, "'"), fmt::join(functions, ", ")));
    else if (!name.called && is_function && !contains(known, name.text))
      errors.add(
          fmt::format("{}the function '{}' needs its argument in parentheses", where, name.text));
    else if (!name.called && !contains(known, name.text))
      errors.add(fmt::format("{}unknown name '{}': {}known are {}", where, name.text,
                             did_you_mean(name.text, known, "'"), fmt::join(known, ", ")));
  }
  errors.throw_if_any();
}

/// Its text would fill a screen, and the package's own limit would tell of something else.
constexpr std::size_t longest = 10000;  // characters

void check_characters(const std::string& text) {
  if (text.size() > longest)
    throw InputError(
        fmt::format("'{}...': a formula of {} characters is longer than {}, the most that one may "
                    "have: put parts of it into variables",
                    text.substr(0, 40), text.size(), longest));
  const std::size_t strange =
      text.find_first_not_of(std::string(name_letters) + " \t\r\n.,()?:+-*/^<>=!&|");
  if (strange != std::string::npos)
    refuse(text, strange, fmt::format("'{}' has no meaning in a formula", text[strange]));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw InputError("an empty formula: write a number or a formula of variables");
}

/// In our words: those of the package tell of its own trade.
std::string described(const mu::ParserError& error) {
  const std::string& rest = error.GetToken();
  const std::string token = rest.substr(0, rest.find(' '));
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return "the formula ends too early";
    case mu::ecMISSING_PARENS:
      return "a parenthesis is not closed";
    case mu::ecUNEXPECTED_PARENS:
      return fmt::format("unexpected '{}'", token);
    case mu::ecTOO_MANY_PARAMS:
      return fmt::format("too many arguments of '{}'", token);
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("too few arguments of '{}'", token);
    case mu::ecUNEXPECTED_ARG_SEP:
      return "a comma belongs between the arguments of a function; decimals have a point";
    case mu::ecMISSING_ELSE_CLAUSE:
    case mu::ecMISPLACED_COLON:
      return "write condition ? value : other value";
    default:
      return token.empty()
                 ? std::string("is no formula")
                 : fmt::format("unexpected '{}': an operator is missing, or one too many", token);
  }
}

}  // namespace

struct Expression::Program {
  std::string text;
  std::map<std::string, double> constants;  ///< that occur in it
  std::vector<std::string> variables;
  mutable std::mutex mutex;
  mutable std::vector<double> values;  ///< where the formula finds its variables
  Formula formula;
};

Expression::Expression(const std::string& text, const std::map<std::string, double>& constants,
                       const std::vector<std::string>& variables) {
  check_characters(text);
  const std::vector<Name> names = names_of(text);
  std::vector<std::string> known = variables;
  for (const auto& [name, value] : constants)
    if (!contains(variables, name)) known.push_back(name);
  known.emplace_back("pi");
  check_names(text, names, known);

  const auto program = std::make_shared<Program>();
  program->text = text;
  program->variables = variables;
  program->values.assign(variables.size(), 0.0);
  try {
    program->formula.DefineConst("pi", pi);
    for (std::size_t i = 0; i < variables.size(); ++i)
      program->formula.DefineVar(variables[i], &program->values[i]);
    for (const auto& [name, value] : constants)
      if (!contains(variables, name)) {
        program->formula.DefineConst(name, value);
        const std::string& wanted = name;
        const auto is_it = [&](const Name& used) { return !used.called && used.text == wanted; };
        if (std::any_of(names.begin(), names.end(), is_it)) program->constants[name] = value;
      }
    program->formula.SetExpr(text);
    constant_ = program->formula.Eval();
    if (program->formula.GetNumResults() != 1)
      refuse(text, text.find(','),
             "a comma belongs between the arguments of a function; decimals have a point");
  } catch (const mu::ParserError& error) {
    // a fault without a place is one of the whole: it shows at the end
    const auto place = static_cast<std::size_t>(error.GetPos());
    refuse(text, error.GetPos() < 0 ? text.size() : std::min(place, text.size()), described(error));
  }
  const bool varies = std::any_of(names.begin(), names.end(), [&](const Name& name) {
    return !name.called && contains(variables, name.text);
  });
  if (varies) program_ = program;
}

double Expression::operator()(std::span<const double> values) const {
  const double value = sampled(values);
  if (!varies() || std::isfinite(value)) return value;
  std::string at;
  for (std::size_t i = 0; i < values.size(); ++i)
    at += fmt::format("{}{} = {:g}", i == 0 ? "" : ", ", program_->variables[i], values[i]);
  throw FormulaError(fmt::format("{}{} is {} at {}: a formula must be finite wherever it is used",
                                 name_.empty() ? "" : name_ + " = ", program_->text, value, at));
}

double Expression::sampled(std::span<const double> values) const {
  if (!varies()) return constant_;
  TALUS_ASSERT(values.size() == program_->values.size());
  const std::lock_guard<std::mutex> lock(program_->mutex);
  std::copy(values.begin(), values.end(), program_->values.begin());
  return program_->formula.Eval();
}

std::string Expression::text() const {
  return varies() ? program_->text : fmt::format("{}", constant_);
}

Expression::Definition Expression::definition() const {
  if (!varies()) return {constant_, {}, {}, {}, name_};
  return {0.0, program_->text, program_->constants, program_->variables, name_};
}

Expression::Expression(const Definition& definition) : constant_(definition.number) {
  if (!definition.text.empty())
    *this = Expression(definition.text, definition.constants, definition.variables);
  name_ = definition.name;
}

const std::vector<std::string>& Expression::reserved_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = functions;
    all.emplace_back("pi");
    return all;
  }();
  return names;
}

std::vector<std::string> Expression::names_in(const std::string& text) {
  std::vector<std::string> found;
  for (const Name& name : names_of(text))
    if (!name.called && !contains(reserved_names(), name.text) && !contains(found, name.text))
      found.push_back(name.text);
  return found;
}

}  // namespace talus
