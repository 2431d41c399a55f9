#include "app/streams.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace talus::app {
namespace {

/// Of stdout. A buffer that was not taken is forgotten by the stream: at the end nothing is left
/// that could fail once more and say why.
std::atomic<int> first_reason{0};

void keep_reason(int reason) {
  int none = 0;
  first_reason.compare_exchange_strong(none, reason == 0 ? EIO : reason);
}

}  // namespace

void say_text(std::FILE* stream, const std::string& text) noexcept {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream) < text.size() && stream == stdout)
    keep_reason(errno);
}

int flushed_stdout() noexcept {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) keep_reason(errno);
  return first_reason;
}

void keep_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // stdout for reading only: that the results have gone nowhere still shows at the end
    const int how = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", how) < 0) return;
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace talus::app
