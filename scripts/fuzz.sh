#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the fuzz targets with clang and libFuzzer, under the address and undefined-behaviour sanitizers, and runs each of them.
#
#   bash scripts/fuzz.sh [SECONDS [TARGET...]]     SECONDS: per target, 10 by default; TARGET: text, png, ... (tests/fuzz), all by default
#
# BUILD (default: build-fuzz) is the folder of the build, JOBS (default: 1) how many targets run at a time, and SEED what libFuzzer draws its
# inputs from: the same seed gives the same inputs as long as the targets and the corpus are the same (default: 0, another one each time).
# What is found beyond the committed corpus is kept in BUILD/corpus; a finding is a file in BUILD/found, and the status is then 1; without
# clang and libFuzzer it is 77. Afterwards
#
#   BUILD/tests/fuzz/fuzz_TARGET -merge=1 tests/fuzz/corpus/TARGET BUILD/corpus/TARGET
#
# adds to the committed corpus what reaches new code.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-10}
shift || true
build=${BUILD:-build-fuzz}
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
can_fuzz || { echo "fuzz.sh: no clang with libFuzzer here (Debian's packages clang and libclang-rt-14-dev)" >&2; exit 77; }
mkdir -p "$build/found"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXACTNCC_WERROR=ON "${vnni[@]}" -DEXACTNCC_CUDA=OFF -DEXACTNCC_FUZZ=ON -DCMAKE_C_COMPILER=clang \
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link -DEXACTNCC_SANITIZE=address,undefined >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || mapfile -t targets < <(cd tests/fuzz/corpus && printf '%s\n' *)
cmake --build "$build" --target "${targets[@]/#/fuzz_}"

# fuzz TARGET: one line with its runs and its seconds of processor time, or the end of its log. What libFuzzer limits is time that passes, and on a
# busy machine a call can take a hundred times its processor time.
fuzz() {
    local target=$1 dictionary=tests/fuzz/$1.dict log=$build/$1.log status=0 TIMEFORMAT='%U %S' took
    local options=(-max_total_time="$seconds" -timeout=120 -seed="${SEED:-0}" -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="$build/found/$target-")
    mkdir -p "$build/corpus/$target"
    [[ ! -f $dictionary ]] || options+=(-dict="$dictionary")
    took=$({ time "$build/tests/fuzz/fuzz_$target" "${options[@]}" "$build/corpus/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1; } 2>&1) || status=1
    if [[ $status != 0 ]]; then
        echo "fuzz: $target: a finding"
        tail -n 40 "$log"
        return 1
    fi
    echo "fuzz: $target: $(grep -E 'number_of_executed_units' "$log" | grep -oE '[0-9]+$') runs, $(grep -oE 'cov: [0-9]+' "$log" | tail -n 1), $(awk '{ print $1 + $2 }' <<<"$took") s"
}
export -f fuzz
export build seconds
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "${JOBS:-1}" bash -c 'fuzz "$0"' || exit 1
