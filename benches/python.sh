#!/bin/sh
# What Python adds to the command line's own time: fit and predict on MNIST, the same machine and rows.
# benches/run python [FOLDER WITH THE FOUR IDX FILES]; $PELLUCID_PYTHON must have the package, $PELLUCID be the program
# (target/release/pellucid) of the same build.
set -eu
cd "$(dirname "$0")/.."
exec "$PELLUCID_PYTHON" benches/peers/python.py "${PELLUCID:-target/release/pellucid}" "${1:-../shared/data/mnist}"
