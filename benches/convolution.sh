#!/bin/sh
# Convolution, a block of two, and a perceptron's epoch beside torch: milliseconds (mlp: seconds), and torch's time over
# ours, so that above 1 we are ahead. Both sides run in turn for some rounds ($ROUNDS, 3) and the fastest of each is told,
# so that a busy machine slows both alike; $STEPS of the perceptron (469); $THREADS (1 and 2). The interpreter is $PELLUCID_PYTHON (python3);
# torch's side lies in ../shared/peers.
set -eu
cd "$(dirname "$0")/.."
peers=${PELLUCID_PEERS:-../shared/peers}
[ -f "$peers/i_torch.py" ] || { echo "convolution.sh: $peers/i_torch.py is not there" >&2; exit 2; }
bench() { cargo bench -q --workspace --features pellucid-cli/parquet --bench convolution "$@"; }
bench --no-run
# Nothing is left in the folder of the peers.
export PYTHONDONTWRITEBYTECODE=1
python=${PELLUCID_PYTHON:-python3}
printf '%-6s %-4s %7s %10s %10s %6s %10s %10s %6s\n' what type threads forward torch ratio backward torch ratio
for threads in ${THREADS:-1 2}; do
    for what in conv mlp; do
        steps=; [ $what = conv ] || steps=${STEPS:-469}
        for round in $(seq "${ROUNDS:-3}"); do
            bench -- $what $threads $steps
            "$python" "$peers/i_torch.py" $what $threads $steps | sed 's/[{}",:]/ /g; s/^/theirs /'
        done | awk '
            # The rival says "name value name value"; ours "what type threads forward backward".
            function least(a, b) { return a == "" || b < a ? b : a }
            $1 == "theirs" { split("", v); for (i = 2; i < NF; i += 2) v[$i] = $(i + 1)
                k = v["what"] " " (v["dtype"] ~ /64/ ? "f64" : "f32")
                f = ("seconds" in v) ? v["seconds"] + 0 : v["forward_ms"] + 0
                forward[k] = least(forward[k], f); both[k] = least(both[k], f + v["backward_ms"]); next }
            { k = $1 " " $2; if (!(k in a)) order[++n] = k
                a[k] = least(a[k], $4 + 0); b[k] = least(b[k], $4 + $5); threads = $3 }
            END { for (i = 1; i <= n; i++) { k = order[i]; split(k, name, " ")
                printf "%-6s %-4s %7s %10.2f %10.2f %6.2f", name[1], name[2], threads, a[k], forward[k], forward[k] / a[k]
                # The fastest of both ways less the fastest forward: a difference has no fastest of its own.
                ours = b[k] - a[k]; other = both[k] - forward[k]
                if (ours > 0) printf " %10.2f %10.2f %6.2f", ours, other, other / ours
                printf "\n" } }'
    done
done
