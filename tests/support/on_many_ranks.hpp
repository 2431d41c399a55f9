#pragma once
// Runs the program under mpirun, more ranks than cores allowed.

#include "support/run_program.hpp"

#include <string>

namespace talus::support {

/// `mpirun -n RANKS talus ARGUMENTS`. What mpirun itself says of exit codes is taken out of err.
ProgramRun run_on_ranks(const Workplace& place, int ranks, const std::string& arguments,
                        const std::string& environment = "");

/// The same; the last rank alone gets SIGTERM once `text` stands in what was written to stderr.
ProgramRun run_on_ranks_and_signal(const Workplace& place, int ranks, const std::string& arguments,
                                   const std::string& text);

/// Two ranks, of which one runs in a shell that has done `prelude` before, such as "ulimit -f 4;".
ProgramRun run_on_two_ranks(const Workplace& place, int which, const std::string& prelude,
                            const std::string& arguments);

}  // namespace talus::support
