#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Mixed calls of the library from many threads for a long time; every result is compared with that of one thread alone, and memory,
# descriptors and threads of the process have to stay as they are (tests/soak/soak.c says how that is judged).
#
#   bash scripts/soak.sh [SECONDS [THREADS [cuda]]]     1800 seconds, 8 threads, on the CPU; cuda: on a GPU
#
# BUILD (default: build-soak) is the folder of the build. The status is 77 if there is no GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
build=${BUILD:-build-soak}
device=${3:-cpu}
cuda=(-DEXACTNCC_CUDA=OFF)
[[ $device != cuda ]] || cuda=(-DEXACTNCC_CUDA=ON -DEXACTNCC_CUDA_ONE_GPU=ON)
setup
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_APPS=OFF "${cuda[@]}"
cmake --build "$build" --parallel "$jobs" --target soak
exec "$build/tests/soak/soak" --seconds "${1:-1800}" --threads "${2:-8}" --device "$device"
