#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Counts the kernel instances of the CUDA engine, and those that the tests labelled gpu run. Needs nvcc, and no GPU: the programs are
# linked with a CUDA runtime without a device (tests/pretend), which lists the instances and notes each that is launched. What the
# tests compare is wrong there, so their results are ignored. Without nvcc the status is 77.
#
#   bash scripts/instances.sh            counts, and fails if an instance is launched by no test and is not in tests/pretend/unreached.txt
#   bash scripts/instances.sh --list     also names them, with the tests that launch each
#
# BUILD (default: build-instances) is the folder of the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
build=${BUILD:-build-instances}
command -v nvcc >/dev/null || { echo "instances.sh: no nvcc here" >&2; exit 77; }
mkdir -p "$build/launches"
# Machine code is not needed, so the code of the device is compiled to PTX only, and not optimized.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90-virtual -DCMAKE_CUDA_FLAGS=-G \
    -DEXACTNCC_ALL_ARITHMETICS=ON -DEXACTNCC_APPS=OFF -DEXACTNCC_PRETEND_GPU=ON >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --target check batch unit_batch unit_images unit_refine unit_pose unit_kernels unit_chips float_split float_sums \
    float_hostile
rm -f "$build"/launches/*
# The tests of these programs; those for sanitizers are parts of the others, and gpu.device.threads has none of its own.
names=$(ctest --test-dir "$build" -N -L '^gpu$' | sed -n 's/^ *Test *#[0-9]*: \(gpu\.[^ ]*\).*/\1/p' |
    grep -E '^gpu\.(match|find|scan|general|convolve|shapes|filters|slow|device|images|batch|batch_units|refine|poses|kernels|track|props\.(float_(split|sums)|floats\.hostile))(\.|$)' |
    grep -vE '\.brief\.|^gpu\.device\.threads$')
run() {
    EXACTNCC_LAUNCHES=$1/launches/$2 ctest --test-dir "$1" -R "^$2\$" --timeout 600 >"$1/launches/.$2.log" 2>&1 || true
    [[ -s $1/launches/$2 ]] || { echo "instances.sh: $2 did not end; see $1/launches/.$2.log" >&2; return 1; }
}
export -f run
build=$PWD/$build
printf '%s\0' $names | xargs -0 -n 1 -P "$jobs" bash -c 'run "$0" "$1"' "$build"
python3 scripts/instances.py "$build/launches" tests/pretend/unreached.txt "$@"
