#!/usr/bin/env bash
# Four ranks that reach each other over a network only, on machines made by machines.sh. Needs root and iproute2.
#
#   tests/ranks/namespaces.sh JOB        JOB: the example "job" of crates/ranks
#
# Tried: sums, rings, bytes that went over the bridge, a killed rank, and a machine that is cut off.
set -euo pipefail

job=$1
# shellcheck source=tests/ranks/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/machines.sh"

received() { cat /sys/class/net/$name"$1"/statistics/rx_bytes; }

for task in sum rings "rings 1000"; do
    # shellcheck disable=SC2086  # a task and its size
    timeout 120 "${run[@]}" "$job" $task || die "$task fails"
done

before=$(received 1)
timeout 120 "${run[@]}" "$job" speed > "$kept/speed" || die "speed fails"
over=$(($(received 1) - before))
sent=$(sed -n 's/.* messages, \([0-9]*\) bytes sent.*/\1/p' "$kept/speed")
# Heads of TCP, IP and messages are a few in a hundred; nothing may go another way.
[ "$over" -ge "$sent" ] && [ "$over" -le $((sent + sent / 5)) ] || die "$sent bytes were sent, $over came over the bridge"
echo "speed: $sent bytes sent by rank 0, $over over the bridge"
cat "$kept/speed"

# Ends within ten seconds of what is done to rank 3.
ends() {
    timeout 60 "${run[@]}" "$job" wait > "$kept/wait" 2>&1 &
    local mpirun=$!
    for _ in $(seq 100); do
        [ "$(grep -c '^rank . is ' "$kept/wait")" = 4 ] && break
        sleep 0.1
    done
    [ "$(grep -c '^rank . is ' "$kept/wait")" = 4 ] || die "not all ranks have begun: $(cat "$kept/wait")"
    local begin rc=0
    begin=$(date +%s%N)
    "$@"
    wait $mpirun || rc=$?
    local took=$((($(date +%s%N) - begin) / 1000000))
    [ $rc != 0 ] && [ $rc != 124 ] && [ $took -lt 10000 ] || die "$*: status $rc after $took ms: $(cat "$kept/wait")"
    echo "$1: all ranks ended after $took ms with status $rc"
}
killed() { kill -9 "$(sed -n 's/^rank 3 is //p' "$kept/wait")"; }
lost_daemon() {
    for pid in $(ip netns pids ${name}4); do
        [ "$(cat "/proc/$pid/comm")" != orted ] || kill -9 "$pid"
    done
}
cut_off() { ip -n ${name}4 link set eth0 down; }
ends killed
ends lost_daemon
ends cut_off
