#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds on a machine with an NVIDIA GPU and nvcc, and runs the tests that need the GPU. libtiff is not needed: without it, the tool and
# its tests are left out.
#
#   bash scripts/gpu-test.sh             the tests labelled gpu, several at a time
#   bash scripts/gpu-test.sh sanitize    compute-sanitizer's four tools over the tests labelled brief, which reach every kernel
#   bash scripts/gpu-test.sh all         both
#   bash scripts/gpu-test.sh random [SECONDS]   problems drawn at random, for 600 seconds if no number is given
#   bash scripts/gpu-test.sh coverage    the tests labelled gpu but planted bugs, in a build of its own (BUILD_DIR-coverage), and which part of the
#                                        host code of cuda/ (its .cpp files) they and faults.cuda run, by gcov; --left also prints what is left
#
# BUILD_DIR (default build-gpu) is where it builds. GPU_JOBS (default: as many as processors, at most 16) is how many tests run at a time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD_DIR:-build-gpu}
mode=${1:-test}
if [[ ! $mode =~ ^(test|sanitize|all|random|coverage)$ ]]; then
    echo "gpu-test.sh: unknown mode '$mode'; use no argument, 'sanitize', 'all', 'random [SECONDS]' or 'coverage [--left]'" >&2
    exit 2
fi
seconds=${2:-600}
if [[ $mode == random && ! $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "gpu-test.sh: '$seconds' is not a number of seconds" >&2
    exit 2
fi

for directory in /usr/local/cuda/bin /opt/cuda/bin; do
    [[ -x $directory/nvcc ]] && PATH=$PATH:$directory
done
for tool in cmake nvcc nvidia-smi; do
    if ! command -v "$tool" >/dev/null; then
        echo "gpu-test.sh: $tool is not found; this script needs CMake, the CUDA toolkit and an NVIDIA driver" >&2
        exit 1
    fi
done
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
jobs=${GPU_JOBS:-$(($(nproc) < 16 ? $(nproc) : 16))}

options=()
command -v ninja >/dev/null && options=(-G Ninja)
select=(-L '^gpu$')
if [[ $mode == coverage ]]; then
    build=$build-coverage
    options+=("-DCMAKE_CXX_FLAGS=--coverage -fprofile-update=atomic" "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")
    select+=(-E '^mutant')
fi
cmake -S . -B "$build" "${options[@]}" -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=ON -DEXACTNCC_CUDA_ONE_GPU=ON \
    -DEXACTNCC_ALL_ARITHMETICS=ON
if [[ $mode == random ]]; then
    cmake --build "$build" --parallel "$(nproc)" --target random
    # A status of 77 would mean that there is no device.
    exec "$build/tests/random/random" --device cuda --seconds "$seconds"
fi
cmake --build "$build" --parallel "$(nproc)"

if [[ $mode != sanitize ]]; then
    # A test that finds no device reports itself as skipped. Here that is a failure.
    log=$build/gpu-test.log
    start=$SECONDS
    ctest --test-dir "$build" --parallel "$jobs" "${select[@]}" --output-on-failure --no-tests=error | tee "$log"
    echo "gpu-test.sh: $((SECONDS - start)) s with $jobs tests at a time"
    # gpu.real-masked needs pictures that are not part of the project.
    if grep 'Skipped' "$log" | grep -qv gpu.real-masked; then
        echo "gpu-test.sh: tests were skipped although there is a device" >&2
        exit 1
    fi
fi

if [[ $mode == coverage ]]; then
    ctest --test-dir "$build" -R '^faults[.](cuda|team)$' --output-on-failure --no-tests=error >>"$log"
    find "$build" -path '*exactncc.dir*' -name '*.cpp.gcda' -print0 | xargs -0 gcov --json-format --stdout --branch-probabilities >"$build/coverage.json"
    python3 scripts/coverage.py "$build/coverage.json" "$build/coverage.json" "$PWD" cuda=0,0 "${@:2}"
elif [[ $mode != test ]]; then
    start=$SECONDS
    # A few cases that reach every kernel: under these tools a program runs up to a hundred times slower.
    names=$(ctest --test-dir "$build" -N -L '^brief$' | sed -n 's/^ *Test *#[0-9]*: //p')
    mkdir -p "$build/sanitize"
    # sanitize TOOL TEST: one summary per process; all must be clean.
    sanitize() {
        local log=$2/sanitize/$1-$3.log start=$SECONDS
        compute-sanitizer --tool "$1" --target-processes all --error-exitcode 9 \
            ctest --test-dir "$2" -R "^$3\$" --no-tests=error --timeout 1500 >"$log" 2>&1 &&
            grep -q 'SUMMARY' "$log" && ! grep -qE 'SUMMARY: [1-9]' "$log" &&
            echo "$1 $3: clean, $((SECONDS - start)) s" && return
        echo "gpu-test.sh: $1 found errors in $3; see $log" >&2
        tail -n 40 "$log" >&2
        return 1
    }
    export -f sanitize
    for tool in racecheck memcheck initcheck synccheck; do # the slowest first
        for name in $names; do
            printf '%s %s %s\0' "$tool" "$build" "$name"
        done
    done | xargs -0 -n 1 -P "$jobs" bash -c 'sanitize $0'
    echo "gpu-test.sh: $(grep -lE 'SUMMARY: 0' "$build"/sanitize/*.log | wc -l) runs of compute-sanitizer are clean," \
        "$((SECONDS - start)) s"
fi
