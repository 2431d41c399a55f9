#!/bin/bash
# Draws docs/figures/compare_b1.png to compare_b4.png: every method on the benchmarks, as Figs. 3 to 6 of [Tasora13].
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: jobs/figures/compare.sh TALUS FOLDER [OUTPUT]

Runs `TALUS compare` on B1.h5 to B4.h5 of FOLDER (law associated, error natural_tau, one thread, at low priority; three
minutes), prints the tables and draws OUTPUT/compare_b1.png, ... (docs/figures where not given).

exit 0  all four were drawn, whether or not every method reached the least tolerance
     1  a run failed
     2  usage
USAGE
}

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  usage >&2
  exit 2
fi
talus=$1 folder=$2
output=${3:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/figures}

# compare NAME MAX_ITERATIONS: exit status 1 of talus means that a method stopped above the tolerance, a result here.
compare() {
  local status=0
  nice "$talus" compare "$folder/$1.h5" --law associated --measure natural_tau --tolerances 1e-1,1e-2,1e-3,1e-4,1e-6 \
    --max-iterations "$2" --time-limit 30 --threads 1 --quiet --plot "$output/compare_${1,,}.png" || status=$?
  [ "$status" -le 1 ] || exit 1
  printf '\n'
}

compare B1 10000
compare B2 20000
compare B3 200000
compare B4 20000
