#!/bin/bash
# talus on a fresh Debian 12 machine: installs what is missing, builds, solves two problems with every method.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

bodies=200
tolerance=1e-3
max_iterations=10000
methods=(jacobi psor pspgfb apgd)

usage() {
  cat <<USAGE
usage: jobs/demo.sh [--bodies N] [--tolerance E] [--max-iterations N] [--help]

Installs missing Debian packages (as root or with sudo; says which), builds the program in build/release, makes
a wall and a packing, solves each with ${methods[*]} (friction law: associated) and prints a table
of iterations, errors and times. Problems, solutions and reports stay in build/demo.

  --bodies N          size of each problem (default $bodies)
  --tolerance E       on the natural residual relative to the start from zero (default $tolerance)
  --max-iterations N  where a method gives up (default $max_iterations); the table says so
  --help              this text

exit 0  the table was made, whether or not every method reached the tolerance
     1  a build or a run failed
     2  usage, or packages are missing and cannot be installed from here
USAGE
}

refuse() {
  printf 'jobs/demo.sh: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --bodies | --tolerance | --max-iterations)
      [ $# -ge 2 ] || refuse "$1 needs a value"
      case $1 in
        --bodies) bodies=$2 ;;
        --tolerance) tolerance=$2 ;;
        --max-iterations) max_iterations=$2 ;;
      esac
      shift 2
      ;;
    *) refuse "unknown argument $1" ;;
  esac
done

require_packages "${build_packages[@]}"
# The demo needs no GoogleTest; a folder that was configured for tests keeps them.
configure=()
[ -f "$talus_root/build/release/CMakeCache.txt" ] || configure=(-DTALUS_BUILD_TESTS=OFF)
build_preset release "${configure[@]}" -- --target talus_app || exit 1
talus=$talus_root/build/release/talus
folder=$talus_root/build/demo
mkdir -p "$folder"

# solve PROBLEM METHOD: exit status 1 of talus means "above the tolerance", which is a result here.
solve() {
  local status=0
  "$talus" solve "$folder/$1.h5" --method "$2" --law associated --tolerance "$tolerance" \
    --max-iterations "$max_iterations" --output "$folder/$1-$2.h5" --report "$folder/$1-$2.json" \
    >"$folder/$1-$2.txt" || status=$?
  [ "$status" -le 1 ] || exit 1
}

for problem in wall packing; do
  rm -f "$folder/$problem"*
  say "a $problem of $bodies bodies"
  "$talus" generate "$problem" --bodies "$bodies" --output "$folder/$problem.h5" || exit 1
  "$talus" info "$folder/$problem.h5" || exit 1
  reports=()
  for method in "${methods[@]}"; do
    say "$problem: $method"
    solve "$problem" "$method"
    reports+=("$folder/$problem-$method.json")
  done
  printf '\n%s, %s bodies, law associated, tolerance %s:\n' "$problem" "$bodies" "$tolerance"
  python3 "$talus_root/jobs/table.py" "${reports[@]}"
  printf '\n'
done
say "problems, solutions and reports are in build/demo"
