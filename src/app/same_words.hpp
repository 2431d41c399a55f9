#pragma once
// What all ranks must have in common before they begin.

#include "talus/parallel/communicator.hpp"

namespace talus::app {

/// Throws AgreedInputError where a rank was started with another command line than the first: it
/// would take another way, and the others would wait for it. Collective.
void require_same_words(const Communicator& comm, int argc, char** argv);

}  // namespace talus::app
