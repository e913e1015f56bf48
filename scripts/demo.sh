#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the tool and finds the four fiducials of a circuit board. Writes out/board-overlay.png (or .tif where libpng is missing).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
setup

build=build # of the preset
mkdir -p "$build" out
log=$build/demo.log
echo "building in $build ..."
# The CUDA engine is built only where there is a GPU, and for that GPU. The full list of architectures is the default of a build
# by hand. The tests are built too, so that `ctest --preset release` can follow.
cuda=(-DEXACTNCC_CUDA=OFF)
if has_gpu; then
    cuda=(-DEXACTNCC_CUDA=AUTO -DEXACTNCC_CUDA_ONE_GPU=ON)
fi
if ! { cmake --preset release "${cuda[@]}" && cmake --build --preset release --parallel "$jobs"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "the build failed; all of its output is in $log" >&2
    exit 1
fi
rm -f "$log"

tool=$build/apps/exactncc
overlay=out/board-overlay.png
rm -f out/board-overlay.png out/board-overlay.tif
find_board() {
    "$tool" find --top 4 --min-score 0.5 --overlay "$1" data/board.tif data/board-fiducial.tif
}
echo
echo "$tool find --top 4 --min-score 0.5 --overlay $overlay data/board.tif data/board-fiducial.tif"
echo
if ! find_board "$overlay" 2>out/message.txt; then
    grep -qi png out/message.txt || { cat out/message.txt >&2; exit 1; }
    overlay=out/board-overlay.tif # built without libpng
    find_board "$overlay"
fi
rm -f out/message.txt
echo
echo "The picture with the matches framed: $PWD/$overlay"
