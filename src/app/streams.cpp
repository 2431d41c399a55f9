#include "app/streams.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace talus::app {

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
