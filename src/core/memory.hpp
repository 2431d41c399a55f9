#pragma once
// How much memory this program may have at all: what is made is priced before it is made.

namespace talus {

/// Bytes: the least of what the machine has and what limits leave (ulimit -v, -d, a control group).
double most_memory_allowed();

}  // namespace talus
