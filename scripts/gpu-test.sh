#!/usr/bin/env bash
# Builds on a machine with an NVIDIA GPU and nvcc, and runs the tests that need the GPU. libtiff is not needed: without it the tool and its
# tests are left out.
#
#   bash scripts/gpu-test.sh             the tests labelled gpu
#   bash scripts/gpu-test.sh sanitize    after them, compute-sanitizer's four tools over the tests labelled brief, which reach every kernel
#
# BUILD_DIR (default build-gpu) is where it builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD_DIR:-build-gpu}
mode=${1:-test}
if [[ $mode != test && $mode != sanitize ]]; then
    echo "gpu-test.sh: unknown mode '$mode'; use no argument or 'sanitize'" >&2
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

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=native -DEXACTNCC_CUDA=ON
cmake --build "$build" --parallel "$(nproc)"

# A test that finds no device reports itself as skipped; here that is a failure.
log=$build/gpu-test.log
ctest --test-dir "$build" -L '^gpu$' --output-on-failure --no-tests=error | tee "$log"
if grep -q 'Skipped' "$log"; then
    echo "gpu-test.sh: tests were skipped although there is a device" >&2
    exit 1
fi

if [[ $mode == sanitize ]]; then
    for tool in memcheck racecheck initcheck synccheck; do
        echo "== compute-sanitizer --tool $tool"
        log=$build/sanitize-$tool.log
        # a few cases that reach every kernel: under these tools a program runs up to a hundred times slower
        compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 \
            ctest --test-dir "$build" -L '^brief$' --no-tests=error --timeout 1500 >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
        grep 'SUMMARY' "$log"
        # one summary a process: all have to be clean
        if grep -qE 'SUMMARY: [1-9]' "$log"; then
            echo "gpu-test.sh: $tool found errors; see $log" >&2
            exit 1
        fi
    done
fi
