// A scene file with anything in it is read or refused.

#include "talus/core/error.hpp"
#include "talus/io/scene_file.hpp"

#include "support/scene_folder.hpp"

#include <gtest/gtest.h>

#include <random>

namespace talus {
namespace {

using support::example_scene;
using support::SceneFolder;

/// Words, numbers, marks and the blanks between them.
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

/// Reads it; anything but InputError would end the test.
void read_any(const SceneFolder& folder, const std::string& text, int& read, int& refused) {
  const std::string path = folder.write("pile.yaml", text);
  try {
    read_scene(path);
    ++read;
  } catch (const InputError& error) {
    EXPECT_FALSE(error.messages().empty());
    EXPECT_EQ(std::string(error.what()).find("talus has a bug"), std::string::npos) << error.what();
    ++refused;
  }
}

TEST(SceneFuzz, OneTokenChanged) {
  const SceneFolder folder;
  const std::vector<std::string> tokens = tokens_of(example_scene());
  const std::vector<std::string> strange{"",     "-1", "0",  "nan", ".nan", ".inf", "1e999", "{",
                                         "}",    "[",  "]",  ":",   "*x",   "&x",   "\"",    "'",
                                         "null", "~",  "- ", "\n",  "\t",   "#",    "true",  "?",
                                         "|",    ">",  "!",  "%",   "@",    "world"};
  std::mt19937 random(11);
  int read = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::string> changed = tokens;
    const std::size_t at = random() % changed.size();
    switch (random() % 4) {
      case 0:
        changed[at] = strange[random() % strange.size()];
        break;
      case 1:
        changed[at] = tokens[random() % tokens.size()];
        break;
      case 2:
        changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default:
        changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at),
                       tokens[random() % tokens.size()]);
    }
    std::string text;
    for (const std::string& token : changed) text += token;
    read_any(folder, text, read, refused);
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 100);
}

TEST(SceneFuzz, CutOffAnywhere) {
  const SceneFolder folder;
  const std::string text = example_scene();
  int read = 0, refused = 0;
  for (std::size_t length = 0; length < text.size(); length += 37)
    read_any(folder, text.substr(0, length), read, refused);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace talus
