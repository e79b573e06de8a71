#!/bin/sh
# Tree, lasso, K-means and Gaussian mixture on ten sets beside scikit-learn: seconds, ratios, results.
# everyday.sh [FOLDER WITH THE CSV FILES]; the interpreter is $PELLUCID_PYTHON (python3).
set -eu
cd "$(dirname "$0")/.."
data=${1:-../shared/data/uci}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo bench -q -p pellucid --bench everyday --no-run
"${PELLUCID_PYTHON:-python3}" benches/peers/everyday.py "$data" "$out" > "$out/sklearn"
cargo bench -q -p pellucid --bench everyday -- "$out" > "$out/ours"
printf '%-16s %-7s %7s %10s %12s %6s %16s %16s %9s\n' set machine threads pellucid scikit-learn ratio result theirs deviation
while read -r name machine threads seconds result; do
    awk -v n="$name" -v m="$machine" -v t="$threads" -v s="$seconds" -v r="$result" '$1 == n && $2 == m && $3 == t {
        printf "%-16s %-7s %7s %10s %12s %6.2f %16s %16s %9s\n", n, m, t, s, $4, $4 / s, r, $5, $6 }' "$out/sklearn"
done < "$out/ours"
