#!/bin/sh
# Vision models beside onnxruntime: milliseconds of a forward pass, onnxruntime's time over ours (above 1 we are ahead)
# and the largest difference of the outputs. The interpreter is $PELLUCID_PYTHON (python3) with onnxruntime; the models
# lie in ../shared/data/models or the folder given. With `nodes MODEL.onnx [BATCH [THREADS]]` the milliseconds of each node.
set -eu
cd "$(dirname "$0")/.."
folder=$(cd ../shared/data/models 2> /dev/null && pwd || true)
case ${1:-} in nodes | '') ;; *) folder=$(cd "$1" && pwd); shift ;; esac
[ -n "$folder" ] || { echo "models.sh: name the folder of the models" >&2; exit 2; }
export PELLUCID_MODELS="$folder" PELLUCID_PEER="$PWD/benches/peers/models.py" PYTHONDONTWRITEBYTECODE=1
exec cargo bench -q --workspace --features pellucid-cli/parquet --bench models -- "$@"
