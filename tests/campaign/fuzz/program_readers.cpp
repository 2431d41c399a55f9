// What the program reads beside files of its own: its command line, and the folder of a run.

#include "talus/core/error.hpp"

#include "app/commands.hpp"
#include "campaign/fuzz/reader.hpp"
#include "campaign/fuzz/sound_files.hpp"
#include "io/hdf5/hdf5.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <stdexcept>
#include <sys/time.h>
#include <utility>

namespace talus::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Nothing outside the folder is written, and nothing sound is asked for that takes long.
std::string harmless(const std::string& word) {
  constexpr std::size_t most_digits = 3;
  std::size_t digits = 0, most = 0;
  for (const char c : word) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    most = std::max(most, digits);
  }
  const bool is_far = word.find('/') != std::string::npos || word.find("..") != std::string::npos;
  return is_far && word.find("checkpoints/") != 0 ? "x"
         : most > most_digits && most < 12        ? "7"
                                                  : word;
}

std::string changed_words(const std::vector<std::string>& lines, Chance& chance) {
  std::vector<std::string> words;
  std::istringstream line(chance.one_of(lines));
  for (std::string word; line >> word;) words.push_back(word);
  std::vector<std::string> others;
  std::istringstream other(chance.one_of(lines));
  for (std::string word; other >> word;) others.push_back(word);
  for (std::size_t count = some(chance); count > 0; --count) {
    const std::size_t at = chance.below(words.size() + 1);
    const auto place = words.begin() + static_cast<std::ptrdiff_t>(at);
    const bool is_end = at == words.size();
    switch (chance.below(7)) {
      case 0:
        words.insert(place, strange_word(chance));
        break;
      case 1:
        words.insert(place, strange_number_text(chance));
        break;
      case 2:
        if (!is_end) words.erase(place);
        break;
      case 3:
        words.insert(place, others.back());
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), chance.one_of(others));
        break;
      case 4:
        if (!is_end) words[at] = strange_number_text(chance);
        break;
      case 5:
        if (!is_end) words[at] = with_other_tokens(words[at], chance);
        break;
      default:
        if (!is_end) std::swap(words[at], chance.one_of(words));
    }
  }
  std::string text;
  for (std::string& word : words) {
    std::replace(word.begin(), word.end(), '\n', ' ');
    text += harmless(word) + "\n";
  }
  return text;
}

/// Ctrl-C for what goes on for long, as a user would.
void interrupt_after(int seconds) {
  const itimerval timer{{1, 0}, {seconds, 0}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  std::signal(SIGVTALRM, [](int) { std::raise(SIGINT); });
}

void require_exit_code(int code, const std::vector<std::string>& words) {
  if (code < app::exit_within_tolerance || code > app::exit_failed)
    throw std::logic_error(fmt::format("exit code {} of {}", code, fmt::join(words, " ")));
}

/// As main() does, which ends with 2 where input is wrong and with 4 where the machine is.
void run_verb(const Place& place, const std::vector<std::string>& words) {
  try {
    require_exit_code(run_program(place, words), words);
  } catch (const InputError&) {
    throw;
  } catch (const std::runtime_error&) {
  }
}

constexpr std::size_t seal_bytes = 24;

std::string without_seal(const std::string& bytes) {
  return bytes.substr(0, bytes.size() - seal_bytes);
}

/// As if the program had written it.
std::string sealed(const Place& place, const std::string& bytes) {
  const std::string path = place.write("sealed.h5", bytes);
  io::put_seal(Communicator::self(), path, path);
  return bytes_of(path);
}

std::string file_in(const std::string& input) {
  return input.substr(0, input.find('\n'));
}

}  // namespace

Reader command_reader(const Place& place) {
  make_run(place);
  sound_native_problems(place);
  const std::vector<std::string> lines = lines_of(corpus("commands.txt"));
  return {"command", ".txt", [lines](Chance& chance) { return changed_words(lines, chance); },
          [&place](const std::string& text) {
            constexpr int patience = 2;
            interrupt_after(patience);
            run_verb(place, lines_of(text));
            interrupt_after(0);
          }};
}

Reader folder_reader(const Place& place) {
  make_run(place);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place.folder() / "done"))
    if (entry.is_regular_file() && entry.path().extension() != ".html")
      files.emplace_back(std::filesystem::relative(entry.path(), place.folder()).string(),
                         bytes_of(entry.path().string()));
  std::sort(files.begin(), files.end());
  const auto make = [&place, files](Chance& chance) {
    const auto& [name, bytes] = chance.one_of(files);
    if (chance.one_in(30)) return name + "\n";
    if (name.find("checkpoints/") != std::string::npos && chance.one_in(2))
      return name + "\n" + sealed(place, with_wounds(without_seal(bytes), chance));
    return name + "\n" +
           (chance.one_in(2) ? with_other_tokens(bytes, chance) : with_wounds(bytes, chance));
  };
  return {"folder", ".txt", make, [&place, files](const std::string& input) {
            for (const auto& [name, bytes] : files) place.write(name, bytes);
            const std::string name = file_in(input);
            place.write(name, input.substr(name.size() + 1));
            bool is_refused = false;
            for (const std::vector<std::string>& words :
                 {std::vector<std::string>{"info", "done"},
                  {"plot", "done", "--report-only"},
                  {"export", "done", "--to", "fclib", "--output", "x.h5"},
                  {"run", "--resume", "done", "--steps", "12", "--quiet", "--no-report"}})
              try {
                run_verb(place, words);
              } catch (const InputError&) {
                is_refused = true;
              }
            if (is_refused) throw InputError("one of the verbs refuses it");
          }};
}

}  // namespace talus::fuzz
