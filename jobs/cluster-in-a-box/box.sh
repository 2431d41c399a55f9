#!/bin/bash
# A cluster of two nodes on one machine: each node is a network namespace with a host name of its own, and what ranks on
# different nodes send each other goes through TCP over a bridge. For tests of correctness over a network, and to count
# what latency costs; no measure of speed. Needs root and iproute2; touches only what it has made itself.
set -euo pipefail

usage() {
  cat <<'USAGE'
usage: box.sh up [DELAY [RATE]]       make the nodes; DELAY (such as 0.5ms) and RATE (such as 1gbit) for each of them
       box.sh run N PROGRAM [ARG...]  mpirun of N ranks, by turns on the nodes
       box.sh down                    remove the nodes

exit 2: usage, or no right to make network namespaces
USAGE
}

bridge=talusbr0
network=10.93.7
nodes=(talus1 talus2)

require_rights() {
  if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null || ! command -v unshare >/dev/null; then
    echo "box.sh: needs root, ip (Debian: iproute2) and unshare (util-linux)" >&2
    exit 2
  fi
}

down() {
  local node
  for node in "${nodes[@]}"; do
    ip netns del "$node" 2>/dev/null || true
  done
  ip link del "$bridge" 2>/dev/null || true
}

up() {
  local delay=${1:-} rate=${2:-} number=0 node
  down
  ip link add "$bridge" type bridge || { echo "box.sh: no right to make network devices here" >&2; exit 2; }
  trap down ERR
  ip link set "$bridge" up
  for node in "${nodes[@]}"; do
    number=$((number + 1))
    ip netns add "$node"
    ip link add "tv$number" type veth peer name eth0 netns "$node"
    ip link set "tv$number" master "$bridge" up
    ip -n "$node" address add "$network.$number/24" dev eth0
    ip -n "$node" link set eth0 up
    ip -n "$node" link set lo up
    if [ -n "$delay" ]; then
      # shellcheck disable=SC2086  # an empty rate is no word
      ip netns exec "$node" tc qdisc add dev eth0 root netem delay "$delay" ${rate:+rate $rate} limit 100000
    fi
  done
}

# What Open MPI calls in the place of ssh: HOST COMMAND...
agent() {
  local node=$1
  shift
  exec ip netns exec "$node" unshare --uts /bin/sh -c "hostname $node; $*"
}

run() {
  local ranks=$1 self
  shift
  self=$(realpath "${BASH_SOURCE[0]}")
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
  export OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0
  local first="${nodes[0]}" hosts
  hosts=$(printf '%s:16,' "${nodes[@]}")
  exec ip netns exec "$first" unshare --uts /bin/sh -c 'hostname "$0"; exec "$@"' "$first" \
    mpirun -n "$ranks" --host "${hosts%,}" --map-by node --bind-to none \
    --mca plm rsh --mca plm_rsh_agent "$self agent" --mca plm_rsh_no_tree_spawn 1 \
    --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include "$network.0/24" \
    --mca oob_tcp_if_include "$network.0/24" \
    -x OMP_WAIT_POLICY -x GOMP_SPINCOUNT -x OMPI_MCA_mpi_yield_when_idle "$@"
}

case ${1:-} in
  up) require_rights; shift; up "$@" ;;
  down) require_rights; down ;;
  agent) shift; agent "$@" ;;
  run)
    [ $# -ge 3 ] || { usage >&2; exit 2; }
    require_rights; shift; run "$@" ;;
  --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
