#include "campaign/fuzz/chance.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace talus::fuzz {
namespace {

using Limits = std::numeric_limits<double>;

std::vector<std::string> tokens_of(const std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

void wound(std::string& bytes, Chance& chance) {
  const std::size_t at = chance.below(bytes.size());
  const std::size_t length = std::min(bytes.size() - at, 1 + chance.below(64));
  switch (chance.below(9)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << chance.below(8)));
      break;
    case 1:
      for (std::size_t k = 0; k < std::min<std::size_t>(length, 8); ++k)
        bytes[at + k] = static_cast<char>(chance.bits());
      break;
    case 2:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\0');
      break;
    case 3:
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length, '\xff');
      break;
    case 4:  // the end is lost
      bytes.resize(at);
      break;
    case 5: {  // a piece stands in another place
      const std::size_t from = chance.below(bytes.size() - length + 1);
      std::memmove(bytes.data() + at, bytes.data() + from, length);
      break;
    }
    case 6: {  // numbers that sizes and addresses trip over
      constexpr std::array<std::uint64_t, 7> numbers{0,          1,     0x7fffffff, 0xffffffff,
                                                     1ULL << 40, ~0ULL, 0x80};
      const std::uint64_t number = chance.one_of(numbers);
      std::memcpy(bytes.data() + at, &number, std::min<std::size_t>(length, 8));
      break;
    }
    case 7: {  // a number of doubles
      const double number = strange_number(chance);
      const std::size_t begin = at / 8 * 8;
      std::memcpy(bytes.data() + begin, &number, std::min<std::size_t>(bytes.size() - begin, 8));
      break;
    }
    default:
      bytes.insert(at, bytes.substr(chance.below(bytes.size()), length));
      break;
  }
}

}  // namespace

double strange_number(Chance& chance) {
  static const std::vector<double> numbers{0.0,
                                           -0.0,
                                           1.0,
                                           -1.0,
                                           2.0,
                                           0.5,
                                           1e-3,
                                           -1e-3,
                                           1e-16,
                                           1e-30,
                                           1e-99,
                                           1e-300,
                                           1e300,
                                           -1e300,
                                           1e99,
                                           1e16,
                                           9007199254740993.0,
                                           2147483647.0,
                                           2147483648.0,
                                           -2147483649.0,
                                           4294967296.0,
                                           1e19,
                                           -9.3e18,
                                           Limits::denorm_min(),
                                           Limits::min(),
                                           Limits::max(),
                                           Limits::lowest(),
                                           Limits::epsilon(),
                                           Limits::infinity(),
                                           -Limits::infinity(),
                                           Limits::quiet_NaN(),
                                           1e5,
                                           3.14159,
                                           255.0,
                                           65536.0};
  if (chance.one_in(3))
    return static_cast<double>(static_cast<std::int64_t>(chance.bits())) * 0x1p-63 *
           (chance.one_in(2) ? 1.0 : 100.0);
  return chance.one_of(numbers);
}

std::string strange_number_text(Chance& chance) {
  static const std::vector<std::string> texts{
      "nan",   ".nan",   ".inf",     "-.inf", "inf",
      "1e999", "-1e999", "1e-999",   "0x10",  "1_000",
      "07",    "+1",     "1.",       ".5",    "1e",
      "--1",   "1,5",    "0x",       "1e+",   "99999999999999999999",
      "-0",    "1d3",    "infinity", "0.1.2", "123456789012345678901234567890e-30"};
  return chance.one_in(4) ? chance.one_of(texts) : fmt::format("{}", strange_number(chance));
}

std::string strange_word(Chance& chance) {
  static const std::vector<std::string> words{"",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              ":",
                                              "*x",
                                              "&x",
                                              "\"",
                                              "'",
                                              "null",
                                              "~",
                                              "- ",
                                              "\n",
                                              "\t",
                                              "#",
                                              "true",
                                              "?",
                                              "|",
                                              ">",
                                              "!",
                                              "%",
                                              "@",
                                              "world",
                                              "auto",
                                              "slip",
                                              "random",
                                              "x",
                                              "world.motor",
                                              "\r",
                                              "<<",
                                              "---",
                                              "...",
                                              "!!binary",
                                              "!!int",
                                              "*",
                                              "&",
                                              "{}",
                                              "[]",
                                              ".",
                                              "..",
                                              "a b",
                                              "\xff\xfe",
                                              "\xc3\xa4",
                                              "\xf0\x9f\x98\x80",
                                              "\x01",
                                              "no",
                                              "off",
                                              "type",
                                              "name",
                                              "motion",
                                              "t",
                                              "pi",
                                              "step",
                                              "-",
                                              "--",
                                              "=",
                                              "%s%n",
                                              "a,b",
                                              "\\",
                                              "\"\\u0000\"",
                                              "unlimited",
                                              "on",
                                              "fixed",
                                              "kinematic",
                                              "y",
                                              "`",
                                              "<",
                                              "z"};
  if (chance.one_in(40)) return std::string(1 + chance.below(3000), "a(-[{ 9"[chance.below(7)]);
  return chance.one_of(words);
}

std::size_t some(Chance& chance) {
  return chance.one_in(3) ? 2 + chance.below(2) : 1;
}

std::string with_wounds(std::string bytes, Chance& chance) {
  for (std::size_t count = some(chance); count > 0 && !bytes.empty(); --count) wound(bytes, chance);
  return bytes;
}

std::string with_other_tokens(const std::string& text, Chance& chance) {
  std::vector<std::string> tokens = tokens_of(text);
  for (std::size_t count = some(chance); count > 0 && !tokens.empty(); --count) {
    std::size_t at = chance.below(tokens.size());
    if (std::isalnum(static_cast<unsigned char>(tokens[at].front())) == 0)  // most are blanks
      at = chance.below(tokens.size());
    const auto place = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    switch (chance.below(6)) {
      case 0:
        tokens[at] = strange_word(chance);
        break;
      case 1:
        tokens[at] = strange_number_text(chance);
        break;
      case 2:
        tokens[at] = chance.one_of(tokens);
        break;
      case 3:
        tokens.erase(place);
        break;
      case 4:
        std::swap(tokens[at], chance.one_of(tokens));
        break;
      default:
        tokens.insert(place, std::string(chance.one_of(tokens)));
    }
  }
  std::string changed;
  for (const std::string& token : tokens) changed += token;
  return changed;
}

std::string made_formula(Chance& chance, const std::vector<std::string>& names, int depth) {
  static const std::vector<std::string> operators{
      "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", ""};
  static const std::vector<std::string> functions{"sin",   "cos",  "tan", "asin", "acos",
                                                  "atan",  "exp",  "log", "sqrt", "abs",
                                                  "floor", "step", "-",   "!",    "nosuch"};
  const auto part = [&] { return made_formula(chance, names, depth - 1); };
  if (depth <= 0 || chance.one_in(5)) {
    if (chance.one_in(3)) return strange_number_text(chance);
    return chance.one_in(8) || names.empty() ? "pi" : chance.one_of(names);
  }
  switch (chance.below(5)) {
    case 0:
      return fmt::format("{}({})", chance.one_of(functions), part());
    case 1:
      return fmt::format("{}({}, {})", chance.one_in(2) ? "max" : "atan2", part(), part());
    case 2:
      return fmt::format("{} ? {} : {}", part(), part(), part());
    case 3:
      return fmt::format("({})", part());
    default:
      return fmt::format("{}{}{}", part(), chance.one_of(operators), part());
  }
}

}  // namespace talus::fuzz
