#!/bin/sh
# Matrix products beside NumPy: a table of GFLOP/s and the ratio. The interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-numeric --bench product --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/product.py "$@" > "$out/numpy"
cargo bench -q -p pellucid-numeric --bench product -- "$@" > "$out/ours"
printf '%-9s %6s %7s %10s %10s %6s\n' precision size threads pellucid numpy ratio
grep -v bench "$out/ours" | while read -r kind size threads ours; do
    theirs=$(awk -v k="$kind" -v s="$size" -v t="$threads" '$1 == k && $2 == s && $3 == t { print $4 }' "$out/numpy")
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", a / b }')
    printf '%-9s %6s %7s %10s %10s %6s\n' "$kind" "$size" "$threads" "$ours" "$theirs" "$ratio"
done
