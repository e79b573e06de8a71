#!/usr/bin/env bash
# The transport between ranks under mpirun: 1, 2 and 4 ranks on this machine, ranks that fail, panic, leave and are killed,
# and four ranks in network namespaces where that may be (root, iproute2). Needs Open MPI and libclang; builds what it runs.
#
#   tests/ranks/run.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { printf 'ranks: %s\n' "$*" >&2; exit 1; }
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT

cargo build --quiet -p pellucid-ranks --features mpi --example job
job=${CARGO_TARGET_DIR:-target}/debug/examples/job
run=(mpirun --oversubscribe)
[ "$(id -u)" != 0 ] || run+=(--allow-run-as-root)

for n in 1 2 4; do
    for task in sum rings "rings 1000"; do
        # shellcheck disable=SC2086  # a task and its size
        timeout 60 "${run[@]}" -n $n "$job" $task || die "$task on $n ranks: status $?"
    done
done

# Ends within ten seconds, not by itself, and says why.
fails() {
    local rc=0
    timeout 10 "${run[@]}" -n 4 "$job" "$1" > "$kept/said" 2>&1 || rc=$?
    [ $rc != 0 ] && [ $rc != 124 ] || die "$1: status $rc: $(cat "$kept/said")"
    grep -qE "$2" "$kept/said" || die "$1 does not say $2: $(cat "$kept/said")"
}
fails fail 'failed: rank 3: fails as it should'
fails panic 'of rank 3'
fails leave 'rank 3 has ended and sends nothing more|ended without receiving message'

timeout 60 "${run[@]}" -n 4 "$job" wait > "$kept/said" 2>&1 &
mpirun=$!
for _ in $(seq 100); do
    [ "$(grep -c '^rank . is ' "$kept/said")" = 4 ] && break
    sleep 0.1
done
[ "$(grep -c '^rank . is ' "$kept/said")" = 4 ] || die "not all ranks have begun: $(cat "$kept/said")"
begin=$(date +%s)
kill -9 "$(sed -n 's/^rank 2 is //p' "$kept/said")"
rc=0
wait $mpirun || rc=$?
[ $rc != 0 ] && [ $(($(date +%s) - begin)) -lt 10 ] || die "a rank was killed: status $rc after $(($(date +%s) - begin)) s"

# The program: rank 0 alone prints and writes, what fails says so once, and what cannot be shared is refused.
cargo build --quiet -p pellucid-cli --features parquet,mpi
pellucid=${CARGO_TARGET_DIR:-target}/debug/pellucid
penguins=$PWD/data/penguins.csv
"$pellucid" fit logistic "$penguins" --target species -o "$kept/alone.pel" -q > /dev/null
for n in 1 2 4; do
    timeout 60 "${run[@]}" -n $n "$pellucid" fit logistic "$penguins" --target species -o "$kept/$n.pel" > "$kept/out" 2> "$kept/said" ||
        die "fit on $n ranks: $(cat "$kept/said")"
    [ "$(grep -c 'logistic fitted on' "$kept/out")" = 1 ] || die "$n ranks print: $(cat "$kept/out")"
    cmp "$kept/alone.pel" "$kept/$n.pel" || die "$n ranks fit another model"
    [ $n = 1 ] || grep -q "logistic does not share its work: each of $n ranks has done all of it" "$kept/said" || die "$(cat "$kept/said")"
done
# Work that is shared: the same bytes on two, three and four ranks, and the optimum of one alone.
"$pellucid" generate lshtc --set rows=500 --set classes=70 --set columns=2000 -o "$kept/texts.libsvm" -q
fit=("$pellucid" fit linear-svm "$kept/texts.libsvm" --set gap=0.001)
"${fit[@]}" -o "$kept/svm1.pel" --json > "$kept/svm1.json" 2> /dev/null
for n in 2 3 4; do
    timeout 120 "${run[@]}" -n $n "${fit[@]}" -o "$kept/svm$n.pel" --json > "$kept/svm$n.json" 2> "$kept/said" ||
        die "linear-svm on $n ranks: $(cat "$kept/said")"
    cmp "$kept/svm2.pel" "$kept/svm$n.pel" || die "linear-svm: other bytes on $n ranks than on 2"
    python3 - "$kept/svm1.json" "$kept/svm$n.json" << 'PYTHON' || die "linear-svm on $n ranks ends elsewhere"
import json, sys
def objective(x):
    if isinstance(x, dict):
        return x["objective"] if isinstance(x.get("objective"), float) else next(filter(None, map(objective, x.values())), None)
one, many = (objective(json.load(open(f))) for f in sys.argv[1:])
sys.exit(not (one and many and abs(one - many) <= 2e-3 * one))
PYTHON
done
# A rank that is killed ends the job and leaves the last checkpoint whole; any number of processes goes on from it and ends in the
# same bytes. So does a fit that ran out of time.
"$pellucid" generate lshtc --set rows=3000 --set classes=300 --set columns=9000 -o "$kept/more.libsvm" -q
more=("$pellucid" fit linear-svm "$kept/more.libsvm" --set gap=1e-9 --set steps=20)
timeout 300 "${run[@]}" -n 2 "${more[@]}" -o "$kept/whole.pel" --json > "$kept/whole.json" 2> "$kept/said" || die "linear-svm: $(cat "$kept/said")"
python3 - "$kept/whole.json" << 'PYTHON' || die "no traffic is told: $(cat "$kept/whole.json")"
import json, sys
ranks = json.load(open(sys.argv[1]))["ranks"]
sys.exit(not (ranks["count"] == 2 and 0 < ranks["sent"] < ranks["sent_dense"] / 2))
PYTHON
"${run[@]}" -n 4 "${more[@]}" --checkpoint "$kept/svm.ckpt" --checkpoint-every 500ms -o "$kept/dead.pel" > /dev/null 2> "$kept/said" &
mpirun=$!
for _ in $(seq 300); do
    [ -e "$kept/svm.ckpt" ] && break
    sleep 0.1
done
[ -e "$kept/svm.ckpt" ] || die "no checkpoint has come: $(cat "$kept/said")"
sleep 1
begin=$(date +%s)
kill -9 "$(pgrep -P $mpirun -x pellucid | sed -n 3p)" || die "the job had ended before a rank could be killed"
rc=0
wait $mpirun || rc=$?
[ $rc != 0 ] && [ $(($(date +%s) - begin)) -lt 10 ] && [ ! -e "$kept/dead.pel" ] ||
    die "a rank was killed: status $rc after $(($(date +%s) - begin)) s"
for n in 1 2 3 4; do
    go=("${run[@]}" -n $n)
    [ $n != 1 ] || go=()
    timeout 300 "${go[@]}" "${more[@]}" --resume "$kept/svm.ckpt" -o "$kept/again$n.pel" > /dev/null 2> "$kept/said" ||
        die "$n processes do not go on: $(cat "$kept/said")"
    cmp "$kept/whole.pel" "$kept/again$n.pel" || die "$n processes that go on end in other bytes"
done
timeout 60 "${run[@]}" -n 3 "${more[@]}" --time 1s --checkpoint "$kept/time.ckpt" -o "$kept/time.pel" > "$kept/out" 2> "$kept/said" ||
    die "a fit with a limit of time: $(cat "$kept/said")"
grep -q 'interrupted' "$kept/out" "$kept/said" || die "the time was not too short: $(cat "$kept/out" "$kept/said")"
timeout 300 "${run[@]}" -n 2 "${more[@]}" --resume "$kept/time.ckpt" -o "$kept/again.pel" > /dev/null 2> "$kept/said" ||
    die "does not go on after its time: $(cat "$kept/said")"
cmp "$kept/whole.pel" "$kept/again.pel" || die "a fit that ran out of time goes on to other bytes"
rm "$kept"/svm.ckpt.*.2
! timeout 60 "${run[@]}" -n 2 "${more[@]}" --resume "$kept/svm.ckpt" > /dev/null 2> "$kept/said" && grep -q 'svm.ckpt.*does not exist' "$kept/said" ||
    die "a part that is lost: $(cat "$kept/said")"
# Folds and grids: one fit after the other, on all ranks the same.
timeout 120 "${run[@]}" -n 2 "$pellucid" fit linear-svm "$kept/texts.libsvm" --set tolerance=0.5 --set steps=4 \
    --grid c=0.1,1 --grid-folds 2 --nested 2 --threads 2 -o "$kept/grid.pel" > "$kept/out" 2> "$kept/said" ||
    die "a grid on two ranks: $(cat "$kept/said")"

says() {
    local rc=0
    timeout 10 "${run[@]}" -n 4 "$pellucid" "${@:2}" > "$kept/said" 2>&1 || rc=$?
    [ $rc = 2 ] && [ "$(grep -c "^error: " "$kept/said")" = 1 ] && grep -qF "$1" "$kept/said" || die "status $rc: $(cat "$kept/said")"
}
says 'not supported by 4 processes of mpirun' predict "$kept/alone.pel" "$penguins"
says 'column "nothing": does not exist' fit logistic "$penguins" --target nothing
says 'memory = much' fit logistic "$penguins" --memory much

if [ "$(id -u)" = 0 ] && ip netns add pelprobe 2> /dev/null; then
    ip netns del pelprobe
    tests/ranks/namespaces.sh "$job"
else
    echo "ranks in network namespaces: not tried, needs root and iproute2"
fi
