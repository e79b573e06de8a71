#!/bin/sh
# Sets of thousands of labels on one tf-idf matrix: one-vs-rest (and Weston-Watkins, which takes long, with WW=1) beside Omikuji,
# napkinXC and PECOS, one thread each: seconds of the processor, seconds, model, peak memory, and what the best labels are worth.
# benches/labels.sh [SETS] [RIVALS]; the interpreter is $PELLUCID_PYTHON (python3, with the rivals that are named).
set -eu
cd "$(dirname "$0")/.."
python=${PELLUCID_PYTHON:-python3}
data=${LABELS_DATA:-target/labels}
mkdir -p "$data"
[ -e "$data/delicious/test.txt" ] || "$python" benches/peers/labels.py data "$data" "${SHARED_DATA:-../shared/data}"
cargo build -q --release -p pellucid-cli
pellucid=${CARGO_TARGET_DIR:-target}/release/pellucid
row() { printf '%-8s %-34s %8s %8s %8s %7s %7s   %s\n' "$@"; }
# Words: name of the set, name of the way, settings.
ours() {
    set_name=$1 way=$2
    shift 2
    "$python" benches/peers/labels.py run "$data/times" "$pellucid" fit linear-svm "$data/$set_name/train.txt" --format xmc \
        --prepare none --threads 1 -q -o "$data/model.pel" "$@" > "$data/fit.log"
    "$python" benches/peers/labels.py run "$data/predicting" "$pellucid" predict "$data/model.pel" "$data/$set_name/test.txt" \
        --format xmc --threads 1 -q --top 5 -o "$data/ours.csv" > "$data/predict.log"
    "$python" benches/peers/labels.py names "$data/ours.csv" "$data/ours.top"
    set -- $(cat "$data/times") $(cat "$data/predicting")
    row "$set_name" "$way" "$1" "$2" "$5" "$(du -k "$data/model.pel" | awk '{ printf "%.1f", $1 / 976.6 }')" "$3" \
        "$("$python" benches/peers/labels.py judge "$data" "$set_name" "$data/ours.top")"
}
row set way CPU-s seconds predict MB peak-MB "P@1 P@3 P@5 nDCG@5 PSP@1 PSP@3 PSP@5 macro-F1"
for set in ${1:-yso delicious}; do
    for c in 0.2 0.3 1; do
        ours "$set" "squared-hinge C=$c prune=0.05" --set loss=squared-hinge --set tolerance=0.1 --set c=$c --set prune=0.05
    done
    ours "$set" "hinge C=1 prune=0.05" --set tolerance=0.1 --set prune=0.05
    if [ -n "${WW:-}" ]; then
        ours "$set" "weston-watkins C=1" --set multiclass=weston-watkins --set tolerance=0.1
    fi
    for rival in ${2:-omikuji-parabel omikuji-bonsai napkinxc-plt pecos-xlinear}; do
        result=$("$python" benches/peers/labels.py fit "$data" "$set" "$rival" 1 2> "$data/$rival.log" | tail -1)
        row "$set" "$rival" $result "$("$python" benches/peers/labels.py judge "$data" "$set" "$data/$set/$rival.top")"
    done
done
