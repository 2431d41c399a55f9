#include "support/on_many_ranks.hpp"

#include "support/places.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/wait.h>

namespace talus::support {
namespace {

/// mpirun frames its own remarks in dashes, and sets them among the lines of the ranks. Of them
/// only that a signal has ended a rank is kept.
std::string without_remarks_of_mpirun(const std::string& text) {
  std::string kept;
  bool inside = false;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    from = to + 1;
    if (line.rfind("-----", 0) == 0)
      inside = !inside;
    else if (!inside || line.find("exited on signal") != std::string::npos)
      kept += line + "\n";
  }
  return kept;
}

}  // namespace

namespace {

/// What every run on more ranks than cores needs.
std::string launch(const Workplace& place, const std::string& environment) {
  return fmt::format(
      "cd {} && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
      "OMPI_MCA_hwloc_base_binding_policy=none OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0 "
      "OMPI_MCA_odls_base_sigkill_timeout=1 ASAN_OPTIONS=detect_leaks=0 {} timeout 120 mpirun",
      place.path("").string(), environment);
}

ProgramRun outcome_of(const Workplace& place, const std::string& command) {
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), place.read(".stdout"),
          without_remarks_of_mpirun(place.read(".stderr"))};
}

}  // namespace

ProgramRun run_on_ranks(const Workplace& place, int ranks, const std::string& arguments,
                        const std::string& environment) {
  return outcome_of(place, fmt::format("{} -n {} {} {} > .stdout 2> .stderr < /dev/null",
                                       launch(place, environment), ranks, program(), arguments));
}

ProgramRun run_on_two_ranks(const Workplace& place, int which, const std::string& prelude,
                            const std::string& arguments) {
  const std::string plain = fmt::format("-n 1 {} {}", program(), arguments);
  const std::string other =
      fmt::format("-n 1 sh -c '{} exec {} {}'", prelude, program(), arguments);
  return outcome_of(place,
                    fmt::format("{} {} : {} > .stdout 2> .stderr < /dev/null", launch(place, ""),
                                which == 0 ? other : plain, which == 0 ? plain : other));
}

ProgramRun run_on_ranks_and_signal(const Workplace& place, int ranks, const std::string& arguments,
                                   const std::string& text) {
  return outcome_of(
      place, fmt::format("{0} -n {1} {2} {3} : -n 1 sh -c 'echo $$ > .pid; exec {2} {3}' "
                         "> .stdout 2> .stderr < /dev/null & "
                         "while kill -0 $! && ! grep -q '{4}' {5}/.stderr; do sleep 0.02; done; "
                         "kill -TERM $(cat {5}/.pid); wait $!",
                         launch(place, ""), ranks - 1, program(), arguments, text,
                         place.path("").string()));
}

}  // namespace talus::support
