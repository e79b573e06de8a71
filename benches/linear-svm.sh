#!/bin/sh
# Linear support vector machines beside LIBLINEAR, one thread against one, the same tolerance, C from 0.01 to 100: seconds of the
# processor, ratio, the ratio of the seconds to LIBLINEAR's objective, objectives reached, test errors. On the text of 1,000 classes also Weston-Watkins on one thread and two.
# The interpreter is $PELLUCID_PYTHON (with liblinear-official, scikit-learn, pandas); sets are named as arguments.
set -eu
cd "$(dirname "$0")/.."
python=${PELLUCID_PYTHON:-python3}
data=${LINEAR_SVM_DATA:-target/linear-svm}
mkdir -p "$data"
data=$(cd "$data" && pwd)
[ -e "$data/mnist/meta.txt" ] || (cd benches/peers && "$python" linear_svm.py data "$data" "${SHARED_DATA:-../../../shared/data}")
cargo bench -q -p pellucid-linear --bench svm --no-run
ours() { cargo bench -q -p pellucid-linear --bench svm -- "$data" "$@"; }
theirs() { (cd benches/peers && "$python" linear_svm.py fit "$data" "$@"); }
printf '%-10s %6s %-14s %9s %9s %6s %6s %14s %14s %7s %7s\n' set C way pellucid liblinear ratio equal objective their-objective error their-er
for set in ${*:-sms davidson reuters a9a w8a letter kdd mnist text1000}; do
    for c in 0.01 1 100; do
        for way in "3 one-vs-rest hinge" "1 one-vs-rest squared-hinge" "7 one-vs-rest logistic" "4 crammer-singer hinge"; do
            # Words of the way: LIBLINEAR's number, multiclass, loss.
            set -- $way
            b=$(theirs "$set" "$1" "$c" 0.1)
            # LIBLINEAR stops after 300 epochs, converged or not: its objective is what the second ratio is about.
            objective=${b#* }
            a=$(ours "$set" "$2" "$3" "$c" 0.1 1 "${objective%% *}")
            echo "$set $c s$1 $a $b" | awk '{ at = $4 > 0.0001 ? $4 : 0.0001; equal = $11 > 0.0001 ? $11 : 0.0001
                printf "%-10s %6s %-14s %9s %9s %6.2f %6.2f %14s %14s %7s %7s\n", $1, $2, $3, $4, $12, $12 / at, $12 / equal, $6, $13, $7, $14 }'
        done
    done
done
echo "text1000 weston-watkins, tolerance 0.1: seconds of all processors, seconds, objective, error, epochs, gap, density"
ours text1000 weston-watkins hinge 1 0.1 1
ours text1000 weston-watkins hinge 1 0.1 2
