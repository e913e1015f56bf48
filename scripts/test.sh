#!/usr/bin/env bash
# Builds with warnings as errors and runs all tests; then again under the address and undefined-behaviour sanitizers, under the thread
# sanitizer, and with clang where there is one. About a quarter of an hour on two cores, less without nvcc.
#
#   bash scripts/test.sh           all of it
#   bash scripts/test.sh quick     the first part only
#
# BUILD_ROOT (default: build-test) holds the builds. EXACTNCC_CUDA_ARCHITECTURES is what the CUDA engine is built for where nvcc is found:
# by default the GPU that is here, or 75 and 90 (the oldest, and the one with kernels of its own) where there is none, so that the code is at
# least compiled; `default` is the project's full list, which takes several times longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
setup
root=${BUILD_ROOT:-build-test}
architectures=${EXACTNCC_CUDA_ARCHITECTURES:-}
[[ -n $architectures ]] || { has_gpu && architectures=native || architectures="75;90"; }
mkdir -p "$root"
report=$root/summary.txt
: >"$report"

note() {
    printf '%s\n' "$*" >>"$report"
}

# build NAME CMAKE-OPTIONS...
build() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name: build"
    cmake -S . -B "$root/$name" -DEXACTNCC_WERROR=ON "$@"
    cmake --build "$root/$name" --parallel "$jobs"
    note "$name: built in $((SECONDS - start)) s"
}

# run NAME CTEST-OPTIONS...
run() {
    local name=$1 start=$SECONDS status=0 log=$root/$1.log
    shift
    echo "== $name: tests"
    "${launcher[@]}" ctest --test-dir "$root/$name" --parallel "$jobs" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log" || status=1
    note "$name: $(grep -E 'tests passed' "$log" || echo 'no result'), $((SECONDS - start)) s$(skipped "$log")"
    if [[ $status != 0 ]]; then
        finish
        exit 1
    fi
}

skipped() {
    local count
    count=$(grep -c '\*\*\*Skipped' "$1" || true)
    [[ $count == 0 ]] || printf ', %s skipped (no GPU here, or instructions that this processor lacks)' "$count"
}

finish() {
    echo
    echo "== summary"
    cat "$report"
}

launcher=()
cuda=()
if command -v nvcc >/dev/null; then
    [[ $architectures == default ]] || cuda=(-DCMAKE_CUDA_ARCHITECTURES="$architectures")
else
    note "no nvcc here: the CUDA engine is not built"
fi
build release -DCMAKE_BUILD_TYPE=Release "${cuda[@]}"
run release
if [[ ${1:-} == quick ]]; then
    finish
    exit 0
fi

build asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXACTNCC_CUDA=OFF -DEXACTNCC_SANITIZE=address,undefined
run asan --label-exclude 'gpu|slow|lint|mutant'

build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXACTNCC_CUDA=OFF -DEXACTNCC_APPS=OFF -DEXACTNCC_SANITIZE=thread
# Older thread sanitizers do not start where addresses are randomized widely.
setarch "$(uname -m)" -R true 2>/dev/null && launcher=(setarch "$(uname -m)" -R)
run tsan --label-regex '^threads$'
launcher=()

if command -v clang >/dev/null; then
    build clang -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DCMAKE_C_COMPILER=clang
    run clang --label-regex 'threads|lint'
else
    note "no clang here: its warnings were not looked at"
fi
finish
