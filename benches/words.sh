#!/bin/sh
# Words of drawn texts beside scikit-learn: seconds, ratio, the sums of all weights, memory as a multiple of the text.
# benches/words.sh [MB]; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-prepare --bench words --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/words.py draw "$out/texts" "${1:-100}"
"${PELLUCID_PYTHON:-python3}" benches/peers/words.py time "$out/texts" > "$out/sklearn"
cargo bench -q -p pellucid-prepare --bench words -- "$out/texts" > "$out/ours"
cat "$out/sklearn" "$out/sklearn" | paste -d ' ' "$out/ours" - | awk '
    BEGIN { printf "%-7s %9s %12s %6s %7s %10s %7s %7s %16s %16s\n", "threads", "pellucid", "scikit-learn", "ratio", "words", "entries", "memory", "sk-mem", "sum", "sk-sum" }
    { printf "%-7s %9s %12s %6.2f %7s %10s %7s %7s %16s %16s\n", $1, $2, $7, $7 / $2, $4, $5, $6, $11, $3, $8 }'
