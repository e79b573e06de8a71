#!/bin/sh
# Neighbours and chained equations that fill gaps, beside scikit-learn: seconds, ratio, largest difference.
# benches/run imputing; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-prepare --bench imputing --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/imputing.py "$out" > "$out/sklearn"
cargo bench -q -p pellucid-prepare --bench imputing -- "$out" > "$out/ours"
printf '%6s %7s %10s %13s %6s %10s\n' method threads pellucid scikit-learn ratio difference
while read -r method threads ours differ; do
    theirs=$(awk -v m="$method" -v t="$threads" '$1 == m && $2 == t { print $3 }' "$out/sklearn")
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", b / a }')
    printf '%6s %7s %10s %13s %6s %10s\n' "$method" "$threads" "$ours" "$theirs" "$ratio" "$differ"
done < "$out/ours"
