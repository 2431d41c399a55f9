#!/bin/bash
# All tests on a fresh Debian 12 machine: installs what is missing, builds, tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../jobs/setup.sh"

usage() {
  cat <<'USAGE'
usage: tests/run.sh [--all] [--help]

Installs missing Debian packages (as root or with sudo; says which), then builds and tests
  build/ci     release, warnings are errors: every test
  build/debug  address and undefined-behaviour sanitizers: the unit tests again, as sanitized.*
in one run of ctest, whose summary comes last.

  --all   also the tests labelled 'nightly', and build/release, in which each file is compiled by itself
  --help  this text

exit 0  all tests passed
     1  a build or a test failed
     2  usage, or packages are missing and cannot be installed from here

Problem files are looked for in $TALUS_PROBLEMS; tests that need them are reported as skipped without.
USAGE
}

selection=(-LE nightly)
for argument in "$@"; do
  case $argument in
    --all) selection=() ;;
    --help) usage; exit 0 ;;
    *) printf 'tests/run.sh: unknown argument %s\n\n' "$argument" >&2; usage >&2; exit 2 ;;
  esac
done

require_packages "${build_packages[@]}" "${test_packages[@]}"
# Half of the time is the compiler's: several files as one source, and of symbols only lines, which is what reports of
# the sanitizers print.
together=-DTALUS_FILES_PER_SOURCE=8
build_preset ci -DTALUS_BUILD_TESTS=ON "$together" || exit 1
build_preset debug -DTALUS_BUILD_TESTS=ON "$together" -DCMAKE_CXX_FLAGS_DEBUG=-g1 || exit 1
# Each file by itself: does it include what it needs, and shadow nothing?
if [[ ${#selection[@]} -eq 0 ]]; then
  build_preset release -DTALUS_BUILD_TESTS=OFF -DTALUS_FILES_PER_SOURCE=1 -DCMAKE_CXX_FLAGS=-Werror || exit 1
fi

# One run over both builds, so that there is one summary. CTest descends into any folder that such a file names.
mkdir -p "$talus_root/build/tests"
printf 'subdirs("%s" "%s")\n' "$talus_root/build/ci" "$talus_root/build/debug" \
  >"$talus_root/build/tests/CTestTestfile.cmake"

ctest --test-dir "$talus_root/build/tests" --parallel "$(nproc)" --output-on-failure --no-tests=error \
  "${selection[@]}" || exit 1
