# shellcheck shell=bash
# To be sourced: four machines that reach each other over a network only, each a network namespace with an address and a host name
# of its own on one bridge. ${run[@]} starts a rank on each; mpirun starts its daemons by `ip netns exec` in place of
# ssh. All is taken down at the end. Needs root and iproute2.
net=10.77.18
name=pelrank
kept=$(mktemp -d)
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

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
