#pragma once
// Texts on stdout and stderr. What a stream does not take is lost and nothing else: a terminal that
// was closed, a full disk behind stderr or a reader that has gone must not end a run. main() looks
// at stdout at the end.

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace talus::app {

void say_text(std::FILE* stream, const std::string& text) noexcept;

template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> form, Values&&... values) {
  say_text(stream, fmt::format(form, std::forward<Values>(values)...));
}

/// On stdout.
template <class... Values>
void say(fmt::format_string<Values...> form, Values&&... values) {
  say_text(stdout, fmt::format(form, std::forward<Values>(values)...));
}

/// Writes what stdout still holds. The reason (errno) of the first text that it did not take, then
/// or before; 0 where it took all.
int flushed_stdout() noexcept;

/// A descriptor that the caller has closed would be the next file's: what is said would be written
/// into it. Once, at the start.
void keep_standard_streams();

}  // namespace talus::app
