#!/bin/sh
# Random forests of 100 trees on ten sets beside scikit-learn: seconds, ratios, accuracy over five folds.
# forest.sh [FOLDER WITH THE CSV FILES]; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
data=${1:-../shared/data/uci}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-trees --bench forest --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/forest.py "$data" "$out" > "$out/sklearn"
cargo bench -q -p pellucid-trees --bench forest -- "$out" > "$out/ours"
printf '%-16s %7s %9s %9s %6s %9s %9s %6s %8s %8s %9s\n' set threads fit sk-fit ratio predict sk-pred ratio accuracy sk-acc deviation
while read -r name threads fit predict accuracy; do
    awk -v n="$name" -v t="$threads" -v f="$fit" -v p="$predict" -v a="$accuracy" '$1 == n && $2 == t {
        printf "%-16s %7s %9s %9s %6.2f %9s %9s %6.2f %8s %8s %9s\n", n, t, f, $3, $3 / f, p, $4, $4 / p, a, $5, $6 }' "$out/sklearn"
done < "$out/ours"
