#!/bin/sh
# Explanation methods beside zennit and captum: milliseconds an image with the run of the network, eight images at once,
# and our time over theirs, so that below 1 we are ahead. Both sides run in turn for some rounds ($ROUNDS, 1) and the
# fastest of each is told. $NETS (cnn vgg), $THREADS (1 2), $STEPS of integrated gradients and SmoothGrad (32; 2 for vgg,
# which the rivals' script repeats as often). With $IMAGES (512) set, our set-up, time and memory for so many images. The interpreter is $PELLUCID_PYTHON; the rivals' side lies in ../shared/peers.
set -eu
cd "$(dirname "$0")/.."
peers=${PELLUCID_PEERS:-../shared/peers}
[ -f "$peers/f_explain.py" ] || { echo "explain.sh: $peers/f_explain.py is not there" >&2; exit 2; }
bench() { cargo bench -q --workspace --features pellucid-cli/parquet --bench methods "$@"; }
bench --no-run
if [ -n "${IMAGES:-}" ]; then
    for net in ${NETS:-cnn vgg}; do for threads in ${THREADS:-1 2}; do bench -- "$net" "$threads"; done; done
    exit
fi
export PYTHONDONTWRITEBYTECODE=1
python=${PELLUCID_PYTHON:-python3}
printf '%-4s %-28s %7s %9s %8s %9s %6s %9s %6s\n' net method threads ours set-up zennit ratio captum ratio
for net in ${NETS:-cnn vgg}; do
    steps=${STEPS:-32}; [ "$net" = cnn ] || steps=${STEPS:-2}
    for threads in ${THREADS:-1 2}; do
        for round in $(seq "${ROUNDS:-1}"); do
            bench -- "$net" "$threads" "$steps" | sed 's/^/ours /'
            for lib in zennit captum; do
                STEPS=$steps "$python" "$peers/f_explain.py" "$net" $lib 8 "$threads" | sed "s/[{}\",:]/ /g; s/^/$lib /"
            done
        done | awk '
            function least(a, b) { return a == "" || b < a ? b : a }
            $1 == "ours" { k = $3; if (!(k in a)) order[++n] = k; a[k] = least(a[k], $5 + 0); made[k] = $6; net = $2; t = $4; next }
            { m = ""; v = ""; for (i = 2; i < NF; i++) { if ($i == "method") m = $(i + 1); if ($i == "ms_per_image") v = $(i + 1) }
                if (m == "saliency") m = "gradient"
                if (v != "") other[$1 " " m] = least(other[$1 " " m], v + 0) }
            END { for (i = 1; i <= n; i++) { k = order[i]
                printf "%-4s %-28s %7s %9.2f %8.1f", net, k, t, a[k], made[k]
                for (j = 1; j <= 2; j++) { l = j == 1 ? "zennit" : "captum"; o = other[l " " k]
                    if (o == "") printf " %9s %6s", "-", "-"; else printf " %9.2f %6.2f", o, a[k] / o }
                printf "\n" } }'
    done
done
