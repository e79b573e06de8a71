#!/usr/bin/env bash
# How long a fit takes on four machines with a network of some rate, and what goes over it: the numbers of docs/src/scaling.md.
# Needs root, iproute2 and a program with the feature mpi.
#
#   tests/ranks/scaling.sh PELLUCID DATA [RATE ...]      RATE: as tc writes it, such as 1gbit; none: as fast as it goes
set -euo pipefail

pellucid=$1
data=$2
shift 2
# shellcheck source=tests/ranks/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/machines.sh"

for rate in none "$@"; do
    for i in 1 2 3 4; do
        tc -n $name$i qdisc del dev eth0 root 2> /dev/null || true
        [ "$rate" = none ] || tc -n $name$i qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 400ms
    done
    for steps in 1 6; do
        "${run[@]}" "$pellucid" fit linear-svm "$data" --set intercept=false --set tolerance=1e-4 --set steps=$steps \
            --threads 1 --json -q > "$kept/$steps.json"
    done
    python3 - "$rate" "$kept/1.json" "$kept/6.json" << 'PYTHON'
import json, sys
one, six = (json.load(open(f)) for f in sys.argv[2:])
of = lambda key: (six["ranks"][key] - one["ranks"][key]) / 5
print(f"rate {sys.argv[1]}: {(six['seconds'] - one['seconds']) / 5:.2f} s an epoch; rank 0 sends {of('sent') / 1e6:.1f} MB of "
      f"{of('sent_dense') / 1e6:.1f} in {of('messages'):.0f} messages")
PYTHON
done
