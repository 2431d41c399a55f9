#pragma once
// Numbers that a user writes as formulas: "2*pi*rpm/60*min(t/open, 1)".

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus {

/// A formula whose value is not finite where it is used: what it is, its text, value and variables.
class FormulaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number, or a formula of named variables. Copies share the compiled formula; threads that
/// evaluate it at once wait for each other.
class Expression {
 public:
  Expression() = default;
  Expression(double constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)
  /// `constants` are put in now, `variables` at each evaluation. Functions: sin cos tan asin acos
  /// atan atan2 exp log sqrt abs min max floor step(x) (0 below 0, else 1) and `pi`; operators + -
  /// * / ^ and comparisons, && || !, c ? a : b. Throws InputError: what is wrong, and where in the
  /// text (character from 1), with the nearest known name for an unknown one.
  Expression(const std::string& text, const std::map<std::string, double>& constants,
             const std::vector<std::string>& variables);

  /// False where no variable is in it.
  bool varies() const { return program_ != nullptr; }
  /// `values` in the order of `variables`. Throws FormulaError where a formula is not finite: this
  /// is the one place where that is looked at.
  double operator()(std::span<const double> values) const;
  /// Of formulas of time alone.
  double at(double t) const { return (*this)(std::span<const double>(&t, 1)); }
  /// The same for who only looks ahead, or judges by himself: whatever it is.
  double sampled(std::span<const double> values) const;
  double sampled(double t) const { return sampled(std::span<const double>(&t, 1)); }
  /// What it is, for messages: "pile.yaml:12:9: mass_rate".
  void set_name(const std::string& name) { name_ = name; }
  /// As it was written; of a number, its shortest form.
  std::string text() const;

  /// What it is made of, from which the same one is made again: the same value, bit by bit.
  struct Definition {
    double number = 0.0;  ///< of a number, whose text is empty
    std::string text;
    std::map<std::string, double> constants;  ///< that occur in it
    std::vector<std::string> variables;
    std::string name;
  };
  Definition definition() const;
  explicit Expression(const Definition& definition);

  /// Functions, and what else a name of the user cannot be.
  static const std::vector<std::string>& reserved_names();
  /// The names in a formula that are no functions and not `pi`, in the order of the text, each
  /// once. Of a text that is no formula, what looks like them.
  static std::vector<std::string> names_in(const std::string& text);

 private:
  struct Program;
  std::string name_;
  double constant_ = 0.0;
  std::shared_ptr<const Program> program_;
};

}  // namespace talus
