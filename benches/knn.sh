#!/bin/sh
# k nearest neighbours on MNIST beside scikit-learn: seconds, ratio, labels that differ.
# benches/run knn [FOLDER WITH THE FOUR IDX FILES]; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
data=${1:-../shared/data/mnist}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-distance --bench knn --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/knn.py "$data" "$out" > "$out/sklearn"
cargo bench -q -p pellucid-distance --bench knn -- "$out" > "$out/ours"
printf '%7s %10s %13s %6s %7s\n' threads pellucid scikit-learn ratio differ
while read -r threads ours differ; do
    theirs=$(awk -v t="$threads" '$1 == t { print $2 }' "$out/sklearn")
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", b / a }')
    printf '%7s %10s %13s %6s %7s\n' "$threads" "$ours" "$theirs" "$ratio" "$differ"
done < "$out/ours"
