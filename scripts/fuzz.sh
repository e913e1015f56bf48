#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the fuzz targets with clang and libFuzzer, under the address and undefined-behaviour sanitizers, and runs each of them.
#
#   bash scripts/fuzz.sh [SECONDS [TARGET...]]     SECONDS: per target, 10 by default; TARGET: text, png, ... (tests/fuzz), all by default
#
# BUILD (default: build-fuzz) is the folder of the build. What libFuzzer finds beyond the committed corpus is kept in BUILD/corpus; a finding
# is a file in BUILD/found, and the status is then 1; without clang it is 77. Afterwards
#
#   BUILD/tests/fuzz/fuzz_TARGET -merge=1 tests/fuzz/corpus/TARGET BUILD/corpus/TARGET
#
# adds to the committed corpus what reaches new code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-10}
shift || true
build=${BUILD:-build-fuzz}
command -v clang >/dev/null || { echo "fuzz.sh: no clang here" >&2; exit 77; }
mkdir -p "$build/found"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXACTNCC_CUDA=OFF -DEXACTNCC_FUZZ=ON -DCMAKE_C_COMPILER=clang \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link -DEXACTNCC_SANITIZE=address,undefined >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(cd tests/fuzz/corpus && printf '%s\n' *)
cmake --build "$build" --target "${targets[@]/#/fuzz_}"
status=0
for target in "${targets[@]}"; do
    mkdir -p "$build/corpus/$target"
    dictionary=tests/fuzz/$target.dict
    options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="$build/found/$target-")
    [[ ! -f $dictionary ]] || options+=(-dict="$dictionary")
    if "$build/tests/fuzz/fuzz_$target" "${options[@]}" "$build/corpus/$target" "tests/fuzz/corpus/$target" >"$build/$target.log" 2>&1; then
        echo "fuzz: $target: $(grep -E 'number_of_executed_units' "$build/$target.log" | grep -oE '[0-9]+$') runs, $(grep -oE 'cov: [0-9]+' "$build/$target.log" | tail -n 1)"
    else
        echo "fuzz: $target: a finding"
        tail -n 40 "$build/$target.log"
        status=1
    fi
done
exit $status
