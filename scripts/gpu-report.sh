#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes every GPU figure of docs/performance.md in one call, on a machine with an NVIDIA GPU and nvcc: builds for that GPU, times every
# table with random data, checks every timed result, and writes Markdown. libtiff is not needed.
#
#   bash scripts/gpu-report.sh [FILE]    writes FILE (default: out/gpu-report.md) and prints it
#
# BUILD_DIR (default build-report) is where it builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD_DIR:-build-report}
report=${1:-out/gpu-report.md}
for directory in /usr/local/cuda/bin /opt/cuda/bin; do
    [[ -x $directory/nvcc ]] && PATH=$PATH:$directory
done
for tool in cmake nvcc nvidia-smi; do
    if ! command -v "$tool" >/dev/null; then
        echo "gpu-report.sh: $tool is not found; this script needs CMake, the CUDA toolkit and an NVIDIA driver" >&2
        exit 1
    fi
done

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=ON -DEXACTNCC_CUDA_ONE_GPU=ON -DEXACTNCC_TESTS=OFF
cmake --build "$build" --parallel "$(nproc)"
bench=$build/apps/bench/exactncc-bench
mkdir -p "$(dirname "$report")"

# tables TITLE OPTIONS...
tables() {
    local title=$1
    shift
    printf '\n## %s\n\n' "$title"
    "$bench" --device cuda --format markdown "$@"
}

{
    printf '# Measured by scripts/gpu-report.sh\n\n'
    nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
    git rev-parse --short HEAD 2>/dev/null || true
    # Sides of square templates.
    tables 'Maps of 8192 x 8192, u8' --table sizes --size 8192x8192 \
        --template 3x3,8x8,16x16,24x24,32x32,48x48,57x57,64x64,80x80,96x96,128x128,256x256,512x512
    tables 'Pixel types, channels, masks, borders and methods, 4096 x 4096' --table kinds --size 4096x4096 \
        --template 8x8,16x16,32x32,64x64,128x128
    tables 'Convolution, 1920 x 1080' --table filters --size 1920x1080
    tables 'Search' --table find,batch,mixed --size 1920x1080,8192x8192 --template 32x32,64x64
    tables 'Many templates' --table batch --size 1920x1080 --template 64x64
} | tee "$report"
