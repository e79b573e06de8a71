#!/bin/sh
# Convolution, a block of two, and a perceptron's epoch beside torch: milliseconds (mlp: seconds), and torch's time over
# ours, so that above 1 we are ahead. The interpreter is $PELLUCID_PYTHON (python3); torch's side lies in ../shared/peers.
set -eu
cd "$(dirname "$0")/.."
peers=${PELLUCID_PEERS:-../shared/peers}
[ -f "$peers/i_torch.py" ] || { echo "convolution.sh: $peers/i_torch.py is not there" >&2; exit 2; }
cargo bench -q -p pellucid-network --bench convolution --no-run
# Nothing is left in the folder of the peers.
export PYTHONDONTWRITEBYTECODE=1
python=${PELLUCID_PYTHON:-python3}
printf '%-6s %-4s %7s %10s %10s %6s %10s %10s %6s\n' what type threads forward torch ratio backward torch ratio
for threads in 1 2; do
    for what in conv mlp; do
        # One after the other, so that a busy machine slows both sides alike.
        ours=$(cargo bench -q -p pellucid-network --bench convolution -- $what $threads)
        theirs=$("$python" "$peers/i_torch.py" $what $threads | sed 's/[{}",:]/ /g')
        { echo "$theirs" | sed 's/^/theirs /'; echo "$ours"; } | awk '
            # The rival says "name value name value"; ours "what type threads forward backward".
            $1 == "theirs" { split("", v); for (i = 2; i < NF; i += 2) v[$i] = $(i + 1)
                type = v["dtype"] ~ /64/ ? "f64" : "f32"
                forward[v["what"], type] = ("seconds" in v) ? v["seconds"] : v["forward_ms"]
                backward[v["what"], type] = ("seconds" in v) ? 0 : v["backward_ms"]; next }
            ($1, $2) in forward { a = forward[$1, $2]; b = backward[$1, $2]
                printf "%-6s %-4s %7s %10.2f %10.2f %6.2f", $1, $2, $3, $4, a, a / $4
                if ($5 > 0) printf " %10.2f %10.2f %6.2f", $5, b, b / $5
                printf "\n" }'
    done
done
