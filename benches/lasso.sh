#!/bin/sh
# The lasso beside scikit-learn on drawn data, one thread: seconds, ratio, gaps relative to the objective of 0, columns used.
# The interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-linear --bench lasso --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/lasso.py "$out" > "$out/sklearn"
cargo bench -q -p pellucid-linear --bench lasso -- "$out" > "$out/ours"
printf '%-8s %9s %12s %7s %9s %9s %6s %6s %14s %14s\n' set pellucid scikit-learn ratio gap sk-gap used sk-use objective sk-objective
paste -d ' ' "$out/ours" "$out/sklearn" | awk '{
    printf "%-8s %9s %12s %7.2f %9s %9s %6s %6s %14s %14s\n", $1, $2, $7, $7 / $2, $3, $8, $4, $9, $5, $10 }'
