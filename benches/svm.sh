#!/bin/sh
# Support vector machines beside scikit-learn (LIBSVM with a cache of 2,000 MB): fit and predict, 1 and 2 threads of ours.
# benches/run svm [NAME ...]: bin_20000_50 bin_10000_784 oc_30000_147 mnist_60000 a9a w8a; all if none is named.
set -eu
folder=$PWD/target/svm-data
[ -f "$folder/oc_30000_147/meta.txt" ] || "$PELLUCID_PYTHON" benches/peers/svm.py data "$folder" "${PELLUCID_SHARED:-$PWD/../shared/data}"
cargo bench -q -p pellucid-kernels --bench svm --no-run
ours() { cargo bench -q -p pellucid-kernels --bench svm -- "$@"; }
[ $# -gt 0 ] || set -- bin_20000_50 bin_10000_784 oc_30000_147 mnist_60000 a9a w8a
for name in "$@"; do
    [ -d "$folder/$name" ] || { echo "$name: no data"; continue; }
    kind=svc c=1
    case $name in
        bin_20000_50) gamma=0.02 ;;
        bin_10000_784) gamma=0.0012755102040816326 ;;
        oc_*) gamma=0.006802721088435374 kind=one-class-svm ;;
        mnist_*) gamma=0.02 c=5 ;;
        a9a | w8a) gamma=0.05 ;;
    esac
    extra="c=$c"
    [ $kind = svc ] || extra="nu=0.05"
    one=$(ours fit $kind "$folder/$name" 1 gamma=$gamma $extra)
    rival=$("$PELLUCID_PYTHON" benches/peers/svm.py fit $kind "$folder/$name" $c $gamma)
    two=$(ours fit $kind "$folder/$name" 2 gamma=$gamma $extra)
    gap=
    if [ -f "$folder/$name/rival.support" ]; then
        offset=$("$PELLUCID_PYTHON" -c 'import json,sys; print(json.loads(sys.argv[1])["offset"])' "$rival")
        gap=$(ours gap "$folder/$name" $c $gamma "$folder/$name/rival.support" "$folder/$name/rival.coefficients" "$offset")
    fi
    "$PELLUCID_PYTHON" - "$name" "$one" "$two" "$rival" "$gap" <<'PY'
import json, sys
name, one, two, rival = sys.argv[1], *map(json.loads, sys.argv[2:5])
print(name)
print(f"  theirs: fit {rival['fit']:.2f} s, predict {rival['predict']:.2f} s, accuracy {rival['accuracy']:.4f}, "
      f"support {rival['support']}" + (f", {json.loads(sys.argv[5])}" if sys.argv[5] else ""))
for threads, ours in ((1, one), (2, two)):
    print(f"  ours, {threads} thread(s): fit {ours['fit']:.2f} s ({rival['fit'] / ours['fit']:.1f}x), predict "
          f"{ours['predict']:.3f} s ({rival['predict'] / ours['predict']:.1f}x), accuracy {ours['accuracy']:.4f}, support "
          f"{ours['support']}, relative gap {ours['relative_gap']:.1e}, peak {ours['peak']:.0f} MB, "
          f"{ours['products']:.0f} GFLOP of products at {ours['products'] / ours['fit']:.0f} a second")
PY
done
