#!/bin/sh
# Reading text: ours beside pandas and scikit-learn, on the same bytes, in one run; prints times and ratios.
# The Python interpreter with the rivals comes from $PELLUCID_PYTHON (default python3).
set -eu
cd "$(dirname "$0")/.."
python=${PELLUCID_PYTHON:-python3}
data=target/bench-data
"$python" benches/peers/reading.py make "$data" ../shared/data
cargo bench -q -p pellucid-files --bench reading --no-run
lines=$(
  for file in "$data"/*.csv "$data"/*.libsvm; do
    # One file after the other, so that a busy machine slows both sides alike.
    item="${file##*.}=$PWD/$file"
    cargo bench -q -p pellucid-files --bench reading -- "$item"
    "$python" benches/peers/reading.py time "$item"
  done
)
echo "$lines"
echo "$lines" | awk '
  $1 == "pellucid" { ours[$3, $2] = $4; names[$3] = 1 }
  $1 == "pandas" || $1 == "sklearn" { theirs[$3] = $4; peer[$3] = $1 }
  END { for (n in names) if (n in theirs)
    printf "%-16s against %-7s %5.1f x at 1 thread, %5.1f x at 2\n", n, peer[n], theirs[n] / ours[n, 1], theirs[n] / ours[n, 2] }' | sort
