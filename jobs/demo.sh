#!/bin/bash
# talus on a fresh Debian 12 machine: installs what is missing, builds, lets a dam of spheres break, draws it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

bodies=1000
ranks=2
open=0.6
flow=0.7

usage() {
  cat <<USAGE
usage: jobs/demo.sh [--bodies N] [--ranks N] [--open T] [--flow T] [--help]

Installs missing Debian packages (as root or with sudo; says which), builds the program in build/release, and
simulates jobs/scenes/dam.yaml: spheres settle in a box of 0.2 m, its front wall goes, they run out into a
channel. Every step is solved to a stated error. There are two runs on two ranks of MPI, with the same bits as far
as they go together: until the wall goes, and to the end. Their folders and the picture dam.png stay in build/demo.
The default takes about a minute on two cores.

  --bodies N  how many spheres; their diameter is such that they fill the box as 8000 of 1 cm do (default $bodies)
  --ranks N   how many ranks share the spheres, with the same bits for any number of them (default $ranks)
  --open T    when the wall goes, s (default $open)
  --flow T    for how long they run, s (default $flow)
  --help      this text

exit 0  the runs are there, whether or not every step reached the tolerance: the summary says how many did not,
        and whether the run holds
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
    --bodies | --ranks | --open | --flow)
      [ $# -ge 2 ] || refuse "$1 needs a value"
      case $1 in
        --bodies) [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || refuse "--bodies $2: give a whole number above 0"; bodies=$2 ;;
        --ranks) [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--ranks $2: give a whole number above 0"; ranks=$2 ;;
        --open) open=$2 ;;
        --flow) flow=$2 ;;
      esac
      shift 2
      ;;
    *) refuse "unknown argument $1" ;;
  esac
done

require_packages "${build_packages[@]}" "${picture_packages[@]}"
# The demo needs no GoogleTest, and compiles eight files as one, in half of the time; a folder that was configured
# otherwise stays so.
configure=()
[ -f "$talus_root/build/release/CMakeCache.txt" ] || configure=(-DTALUS_BUILD_TESTS=OFF -DTALUS_FILES_PER_SOURCE=8)
build_preset release "${configure[@]}" -- --target talus_app || exit 1
talus=$talus_root/build/release/talus
folder=$talus_root/build/demo
cd "$talus_root"  # scenes are then named as from there
mkdir -p "$folder"
rm -f "$folder/dam.png"

# Diameter, and the height of as many layers of the lattice as the spheres need.
read -r diameter fill < <(awk -v n="$bodies" 'BEGIN {
  d = 0.01 * (8000 / n) ^ (1 / 3); row = int(0.2 / (1.1 * d) + 1e-9); if (row < 1) { row = 1; d = 0.18 }
  layers = int((n + row * row - 1) / (row * row)); printf "%.9g %.9g\n", d, (layers + 0.01) * 1.1 * d }')

# The cores are shared out (setup.sh lets ranks that wait yield).
cores=$(nproc)
threads=$((ranks < cores ? cores / ranks : 1))
launch=()
[ "$ranks" = 1 ] || launch=(mpirun -n "$ranks" --bind-to none)

# run NAME options...: exit status 1 of talus means that the verdict does not hold, as where a step is above the tolerance:
# a result here.
run() {
  local name=$1 status=0
  shift
  say "$name: $bodies spheres of $diameter m, $ranks ranks of $threads threads"
  "${launch[@]}" "$talus" run jobs/scenes/dam.yaml --output "$folder/$name" --overwrite --threads "$threads" \
    -s "count=$bodies" -s "d=$diameter" -s "fill=$fill" -s "open=$open" -s "flow=$flow" \
    -s "output.log.columns=[step, time, contacts, iterations, error, overlap, kinetic]" "$@" || status=$?
  [ "$status" -le 1 ] || exit "$status"
  printf '\n'
}

run before --until "$open"
run after
# Debian's own Python: the one that its packages belong to.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
if "$python" "$talus_root/jobs/plot_scene.py" "$folder/before" "$folder/after" --output "$folder/dam.png"; then
  say "the picture is build/demo/dam.png; the runs are in build/demo/before and build/demo/after"
else
  say "no picture was made; the runs are in build/demo/before and build/demo/after"
fi
