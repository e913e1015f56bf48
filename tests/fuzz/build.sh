#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the fuzz targets as OSS-Fuzz asks for it: with CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE, into OUT, each with its corpus
# and dictionary. The sanitizer's options are in CFLAGS. libtiff, libpng and libjpeg-turbo are those of the system.
set -euo pipefail
: "${CC:?}" "${CXX:?}" "${OUT:?}" "${LIB_FUZZING_ENGINE:?}"
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${WORK:-/tmp}/exactncc-fuzz
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=None -DEXACTNCC_CUDA=OFF -DEXACTNCC_FUZZ=ON -DEXACTNCC_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="${CFLAGS:-}" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}"
for folder in "$root"/tests/fuzz/corpus/*/; do
    target=$(basename "$folder")
    cmake --build "$build" --parallel "$(nproc)" --target "fuzz_$target"
    cp "$build/tests/fuzz/fuzz_$target" "$OUT/exactncc_$target"
    (cd "$folder" && python3 -m zipfile -c "$OUT/exactncc_${target}_seed_corpus.zip" .)
    [[ ! -f $root/tests/fuzz/$target.dict ]] || cp "$root/tests/fuzz/$target.dict" "$OUT/exactncc_$target.dict"
done
