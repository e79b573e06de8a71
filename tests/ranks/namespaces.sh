#!/usr/bin/env bash
# Four ranks that reach each other over a network only: each in a network namespace of its own, with its own address and
# host name, on one bridge; mpirun starts its daemons by `ip netns exec` in place of ssh. Needs root and iproute2.
#
#   tests/ranks/namespaces.sh JOB        JOB: the example "job" of crates/ranks
#
# Tried: sums, rings, bytes that went over the bridge, a killed rank, and a machine that is cut off.
set -euo pipefail

job=$1
net=10.77.18
name=pelrank
kept=$(mktemp -d)
die() { printf 'ranks in namespaces: %s\n' "$*" >&2; exit 1; }

clean() {
    for i in 1 2 3 4; do
        ip netns pids $name$i 2> /dev/null | xargs -r kill -9 2> /dev/null || true
        # A namespace lives on while its sockets wait; the pair of interfaces goes at once.
        ip link del $name$i 2> /dev/null || true
        ip netns del $name$i 2> /dev/null || true
    done
    ip link del $name-br 2> /dev/null || true
    rm -rf "$kept"
}
trap clean EXIT
clean 2> /dev/null
mkdir -p "$kept"
[ "$(id -u)" = 0 ] || die "needs root"

ip link add $name-br type bridge
ip addr add $net.254/24 dev $name-br
ip link set $name-br up
for i in 1 2 3 4; do
    ip netns add $name$i
    ip link add $name$i type veth peer name eth0 netns $name$i
    ip link set $name$i master $name-br up
    ip -n $name$i addr add $net.$i/24 dev eth0
    ip -n $name$i link set eth0 up
    ip -n $name$i link set lo up
done

# What mpirun calls in place of ssh: the address, then a command line.
cat > "$kept/agent" <<AGENT
#!/usr/bin/env bash
machine=$name\${1##*.}
shift
exec ip netns exec "\$machine" unshare --uts sh -c "hostname \$machine; \$*"
AGENT
chmod +x "$kept/agent"

# Only TCP between the machines, and only the bridge.
run=(mpirun --allow-run-as-root -n 4 -host "$net.1:1,$net.2:1,$net.3:1,$net.4:1"
    --mca plm_rsh_agent "$kept/agent" --mca btl tcp,self --mca pml ob1
    --mca oob_tcp_if_include $net.0/24 --mca btl_tcp_if_include $net.0/24
    --mca oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3)

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
