# Sourced by jobs/demo.sh and tests/run.sh: what a fresh Debian 12 machine lacks, and the environment of a run.

talus_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Everything that a build of the library and the program needs.
build_packages=(g++ cmake make pkg-config libopenmpi-dev openmpi-bin libeigen3-dev libmetis-dev
  libhdf5-openmpi-dev libyaml-cpp-dev libmuparser-dev libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev librandom123-dev
  libpng-dev python3)
# What draws pictures of runs.
picture_packages=(python3-h5py python3-numpy python3-matplotlib)
# What the tests need on top: GoogleTest, the checkers, and readers of our files that are not ours.
test_packages=(git libgtest-dev libgmock-dev clang-format clang-tidy
  python3-h5py python3-numpy python3-scipy python3-matplotlib)

# OpenMPI refuses root, more ranks than cores, and by default spins while it waits: none of that suits a
# container or a two-core machine. Values of the user win.
export OMPI_ALLOW_RUN_AS_ROOT=${OMPI_ALLOW_RUN_AS_ROOT:-1}
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-1}
export OMPI_MCA_rmaps_base_oversubscribe=${OMPI_MCA_rmaps_base_oversubscribe:-1}
export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
# A spinning OpenMP thread takes its core from the thread it waits for when the machine is shared: on a loaded
# two-core machine small problems ran twenty times longer.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

say() { printf '== %s\n' "$*"; }

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      printf '%s\n' "$package"
  done
}

# Prints how this user becomes root: nothing for root, "sudo", or fails where there is no way.
root_command() {
  if [ "$(id -u)" = 0 ]; then return 0; fi
  command -v sudo >/dev/null || return 1
  # A password can only be asked for on a terminal.
  if sudo -n true 2>/dev/null || [ -t 0 ]; then echo sudo; else return 1; fi
}

# Installs what is missing of its arguments, or says how to and ends with status 2.
require_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: please see to it that these are there: $*"
    return 0
  fi
  local missing=() as_root
  mapfile -t missing < <(missing_packages "$@")
  if [ "${#missing[@]}" = 0 ]; then
    say "all ${#} packages are installed"
    return 0
  fi
  local command="apt-get install -y --no-install-recommends ${missing[*]}"
  if ! as_root=$(root_command); then
    say "missing, and there is neither root nor sudo here to install them. As root, run:" >&2
    printf 'apt-get update && %s\n' "$command" >&2
    exit 2
  fi
  say "installing ${missing[*]}"
  # shellcheck disable=SC2086  # $as_root is empty or one word
  if ! $as_root apt-get update -qq ||
    ! $as_root env DEBIAN_FRONTEND=noninteractive $command; then
    say "installation failed. When the network is back, run as root:" >&2
    printf 'apt-get update && %s\n' "$command" >&2
    exit 2
  fi
}

# build_preset PRESET [CMake arguments...] [-- build arguments...]: configures and builds in build/PRESET.
build_preset() {
  local preset=$1 configure=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    configure+=("$1")
    shift
  done
  if [ "${1:-}" = -- ]; then shift; fi
  if [ ! -f "$talus_root/build/$preset/CMakeCache.txt" ] && command -v ccache >/dev/null; then
    configure+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  say "building preset '$preset' in build/$preset"
  (cd "$talus_root" && cmake --preset "$preset" "${configure[@]}" &&
    cmake --build --preset "$preset" --parallel "$(nproc)" "$@")
}
