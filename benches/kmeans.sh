#!/bin/sh
# K-means beside scikit-learn from the same centres for the same steps: seconds, ratio, and what both reached.
# kmeans.sh [FOLDER WITH MNIST'S IDX FILES]; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
data=${1:-../shared/data/mnist}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid-distance --bench kmeans --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/kmeans.py "$data" "$out" 2> "$out/noise" > "$out/sklearn"
cargo bench -q -p pellucid-distance --bench kmeans -- "$out" > "$out/ours"
printf '%7s %4s %7s %9s %13s %6s %6s %6s %13s %13s %s\n' data k threads pellucid scikit-learn ratio steps theirs 2H inertia by
paste -d' ' "$out/ours" "$out/sklearn" | while read -r name k threads ours steps sum _ _ _ theirs their_steps inertia by; do
    ratio=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { printf "%.2f", b / a }')
    printf '%7s %4s %7s %9s %13s %6s %6s %6s %13s %13s %s\n' "$name" "$k" "$threads" "$ours" "$theirs" "$ratio" "$steps" "$their_steps" "$sum" "$inertia" "$by"
done
