#include "talus/core/expression.hpp"

#include "talus/core/error.hpp"

#include "core/elementary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace talus {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, double> constants{{"rpm", 12.0}, {"open", 0.5}, {"d", 0.01}};
const std::vector<std::string> time_only{"t"};

double value(const std::string& text, double t = 0.0) {
  return Expression(text, constants, time_only).at(t);
}

std::string fault(const std::string& text) {
  try {
    Expression(text, constants, time_only);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Expression, IsANumberWhereItHasNoVariable) {
  const Expression number = 2.5, formula("2*d + 1", constants, time_only);
  EXPECT_FALSE(number.varies());
  EXPECT_FALSE(formula.varies());
  EXPECT_EQ(number.at(7.0), 2.5);
  EXPECT_EQ(formula.at(7.0), 2.0 * 0.01 + 1.0);
  EXPECT_EQ(number.text(), "2.5");
  EXPECT_EQ(Expression().at(1.0), 0.0);
}

TEST(Expression, FollowsItsVariable) {
  const Expression speed("2*pi*rpm/60*min(t/open, 1)", constants, time_only);
  ASSERT_TRUE(speed.varies());
  EXPECT_EQ(speed.at(0.25), 2.0 * pi * 12.0 / 60.0 * 0.5);
  EXPECT_EQ(speed.at(3.0), 2.0 * pi * 12.0 / 60.0);
  EXPECT_EQ(speed.text(), "2*pi*rpm/60*min(t/open, 1)");
  std::vector<Expression> copies{speed};
  EXPECT_EQ(copies.front().at(0.25), speed.at(0.25));
}

TEST(Expression, TakesSeveralVariablesInTheirOrder) {
  const Expression e("a - 2*b", {}, {"b", "a"});
  EXPECT_EQ(e(std::vector<double>{1.0, 10.0}), 8.0);
}

TEST(Expression, VariablesHideConstants) {
  EXPECT_EQ(Expression("d", constants, {"d"})(std::vector<double>{3.0}), 3.0);
}

TEST(Expression, OperatorsBindAsInMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7.0);
  EXPECT_EQ(value("8/4/2"), 1.0);
  EXPECT_EQ(value("8-4-2"), 2.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^-2"), 0.25);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value("2--3"), 5.0);
  EXPECT_EQ(value("+2"), 2.0);
  EXPECT_EQ(value("-t*2", 3.0), -6.0);
  EXPECT_EQ(value("(1 + 2)*3"), 9.0);
  EXPECT_EQ(value("2*3^2"), 18.0);
  EXPECT_EQ(value("-3*-2^2"), 12.0);
}

TEST(Expression, ComparesAndChooses) {
  EXPECT_EQ(value("1 < 2"), 1.0);
  EXPECT_EQ(value("2 <= 1"), 0.0);
  EXPECT_EQ(value("2 > 1"), 1.0);
  EXPECT_EQ(value("1 >= 2"), 0.0);
  EXPECT_EQ(value("1 == 1"), 1.0);
  EXPECT_EQ(value("1 != 1"), 0.0);
  EXPECT_EQ(value("1 < 2 && 2 < 3"), 1.0);
  EXPECT_EQ(value("1 > 2 || 2 > 3"), 0.0);
  EXPECT_EQ(value("!(1 > 2)"), 1.0);
  EXPECT_EQ(value("!1 == 0"), 1.0);
  EXPECT_EQ(value("1 || 0 && 0"), 1.0);
  EXPECT_EQ(value("t < 1 ? 5 : -t", 0.5), 5.0);
  EXPECT_EQ(value("t < 1 ? 5 : -t", 2.0), -2.0);
  EXPECT_EQ(value("t < 1 ? 5 : t < 2 ? 6 : 7", 1.5), 6.0);
}

TEST(Expression, FunctionsAreOurOwnToTheLastBit) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const double t = 0.001 + std::generate_canonical<double, 53>(random);
    EXPECT_EQ(value("sin(t)", t), sine(t));
    EXPECT_EQ(value("cos(t)", t), cosine(t));
    EXPECT_EQ(value("tan(t)", t), tangent(t));
    EXPECT_EQ(value("asin(t/2)", t), arc_sine(t / 2.0));
    EXPECT_EQ(value("acos(t/2)", t), arc_cosine(t / 2.0));
    EXPECT_EQ(value("atan(t)", t), arc_tangent(t, 1.0));
    EXPECT_EQ(value("atan2(t, -2)", t), arc_tangent(t, -2.0));
    EXPECT_EQ(value("exp(t)", t), exponential(t));
    EXPECT_EQ(value("log(t)", t), natural_logarithm(t));
    EXPECT_EQ(value("t^0.3", t), power(t, 0.3));
    EXPECT_EQ(value("sqrt(t)", t), std::sqrt(t));
    EXPECT_EQ(value("t^2", t), t * t);
    EXPECT_EQ(value("t^3", t), t * (t * t));
    EXPECT_EQ(value("t^-2", t), 1.0 / (t * t));
  }
}

TEST(Expression, ConstantsAreFoldedByTheSameFunctions) {
  EXPECT_EQ(value("sin(0.7)^2"), sine(0.7) * sine(0.7));
  EXPECT_EQ(value("0.7^0.3"), power(0.7, 0.3));
  EXPECT_EQ(value("3^0"), 1.0);
  EXPECT_EQ(value("(-3)^3"), -27.0);
  EXPECT_EQ(value("2^1025"), power(2.0, 1025.0));
}

TEST(Expression, SmallFunctions) {
  EXPECT_EQ(value("abs(-2)"), 2.0);
  EXPECT_EQ(value("min(3, 1, 2)"), 1.0);
  EXPECT_EQ(value("max(3, 1, 2)"), 3.0);
  EXPECT_EQ(value("floor(-1.5)"), -2.0);
  EXPECT_EQ(value("step(-1)"), 0.0);
  EXPECT_EQ(value("step(0)"), 1.0);
  EXPECT_EQ(value("step(2)"), 1.0);
}

TEST(Expression, ReadsNumbersToTheLastBit) {
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(value(".5e-3"), 0.5e-3);
  EXPECT_EQ(value("1.e3"), 1000.0);
  EXPECT_EQ(value("  1E+2 "), 100.0);
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(fault("2*rmp"),
            "'2*rmp', character 3: unknown name 'rmp': did you mean 'rpm'? known are t, d, open, "
            "rpm, pi");
  EXPECT_EQ(fault("2*sine(t)"),
            "'2*sine(t)', character 3: unknown function 'sine': did you mean 'sin'? known are sin, "
            "cos, tan, asin, acos, atan, atan2, exp, log, sqrt, abs, min, max, floor, step");
  EXPECT_EQ(fault("2*sin"),
            "'2*sin', character 3: the function 'sin' needs its argument in parentheses");
  EXPECT_EQ(fault("2 # 3"), "'2 # 3', character 3: '#' has no meaning in a formula");
  EXPECT_EQ(fault("(1 + 2"), "'(1 + 2', character 7: a parenthesis is not closed");
  EXPECT_EQ(fault("1 + "), "'1 + ', character 5: the formula ends too early");
  EXPECT_EQ(fault("1 + 2)"), "'1 + 2)', character 6: unexpected ')'");
  EXPECT_EQ(fault("sin(1, 2)"), "'sin(1, 2)', character 9: too many arguments of 'sin'");
  EXPECT_EQ(fault("atan2(1)"), "'atan2(1)', character 8: too few arguments of 'atan2'");
  EXPECT_EQ(fault("min()"), "'min()', character 6: too few arguments of 'min'");
  EXPECT_EQ(fault("1,5"),
            "'1,5', character 2: a comma belongs between the arguments of a function; decimals "
            "have a point");
  EXPECT_EQ(fault("1 ? 2"), "'1 ? 2', character 6: write condition ? value : other value");
  EXPECT_EQ(fault("2 d"),
            "'2 d', character 3: unexpected 'd': an operator is missing, or one too many");
  EXPECT_EQ(fault("2 */ 3"),
            "'2 */ 3', character 4: unexpected '/': an operator is missing, or one too many");
  EXPECT_EQ(fault(""), "an empty formula: write a number or a formula of variables");
  EXPECT_EQ(fault("  "), "an empty formula: write a number or a formula of variables");
}

TEST(Expression, TellsAllUnknownNamesAtOnce) {
  EXPECT_EQ(fault("xx + yy"),
            "'xx + yy', character 1: unknown name 'xx': known are t, d, open, rpm, pi\n"
            "'xx + yy', character 6: unknown name 'yy': known are t, d, open, rpm, pi");
}

TEST(Expression, NamesInAFormula) {
  EXPECT_EQ(Expression::names_in("2*pi*rpm/60*min(t/open, 1e5) + rpm"),
            (std::vector<std::string>{"rpm", "t", "open"}));
  EXPECT_TRUE(Expression::names_in("1e5").empty());
}

TEST(Expression, AnyTextIsAFormulaOrRefused) {
  const std::vector<std::string> tokens{"1", "t", "d",  "(",  ")",  "+",  "-",   "*", "/",    "^",
                                        "?", ":", ",",  "<=", "!",  "&",  "==",  "=", "sin(", "min",
                                        " ", ".", "1e", "pi", "\"", "||", "0x1", "e", "1e999"};
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto length = random() % 9; length > 0; --length) text += tokens[random() % tokens.size()];
    try {
      Expression(text, constants, time_only).sampled(0.3);
    } catch (const InputError&) {
      continue;  // said so
    }
  }
}

TEST(Expression, ThatIsNotFiniteWhereItIsUsedIsNamed) {
  Expression root("sqrt(0.5 - t)", {}, time_only);
  root.set_name("pile.yaml:3:4: mass_rate");
  EXPECT_EQ(root.at(0.25), 0.5);
  EXPECT_TRUE(std::isnan(root.sampled(0.75)));
  for (const Expression& one : {root, Expression(root.definition())}) try {
      one.at(0.75);
      FAIL() << "used";
    } catch (const FormulaError& error) {
      EXPECT_THAT(error.what(), HasSubstr("pile.yaml:3:4: mass_rate = sqrt(0.5 - t) is"));
      EXPECT_THAT(error.what(), HasSubstr("nan at t = 0.75: a formula must be finite"));
    }
}

TEST(Expression, ThatIsTooLongSaysSo) {
  const auto told = [](const std::string& text) -> std::string {
    try {
      const Expression formula(text, {}, time_only);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  std::string sum = "t";
  while (sum.size() + 2 <= 10000) sum += "+t";
  EXPECT_EQ(told(sum), "");
  EXPECT_THAT(told(sum + "+t+t"), HasSubstr("is longer than 10000, the most that one may have"));
  EXPECT_THAT(told(std::string(100000, '1')), HasSubstr("a formula of 100000 characters"));
}

TEST(Expression, MayBeEvaluatedByThreadsAtOnce) {
  const Expression square("t*t", {}, time_only), copy = square;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int k = 1; k <= 3; ++k)
    threads.emplace_back([&, k] {
      const Expression& mine = k == 2 ? copy : square;
      for (int i = 0; i < 20000; ++i) wrong += mine.at(k * i) == 1.0 * k * i * k * i ? 0 : 1;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Expression, IsMadeAgainFromItsDefinition) {
  const std::vector<std::string> of_event{"t", "contacts"};
  const std::vector<Expression> all{
      0.1,
      -0.0,
      std::numeric_limits<double>::infinity(),
      Expression(),
      Expression("2*pi*rpm/60*min(t/open, 1)", constants, time_only),
      Expression("2*d + 1", constants, time_only),
      Expression("contacts > 3 && t >= open ? d*contacts : -t^3", constants, of_event)};
  for (const Expression& one : all) {
    const Expression again(one.definition());
    EXPECT_EQ(again.text(), one.text());
    EXPECT_EQ(again.varies(), one.varies());
    for (const double t : {0.0, 0.3, 0.7, 123.4}) {
      std::vector<double> values{t, std::floor(10.0 * t)};
      if (one.varies()) values.resize(one.definition().variables.size());
      const double want = one(values), got = again(values);
      EXPECT_EQ(got, want) << one.text();
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << one.text();
    }
  }
}

TEST(Expression, DefinitionsHaveTheConstantsThatOccur) {
  const Expression::Definition formula = Expression("rpm*t + d", constants, time_only).definition();

  EXPECT_EQ(formula.text, "rpm*t + d");
  EXPECT_EQ(formula.constants, (std::map<std::string, double>{{"rpm", 12.0}, {"d", 0.01}}));
  EXPECT_EQ(formula.variables, time_only);
  EXPECT_EQ(Expression(2.5).definition().text, "");
  EXPECT_EQ(Expression(2.5).definition().number, 2.5);
}

}  // namespace
}  // namespace talus
