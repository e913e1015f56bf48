#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds for coverage with clang, runs the tests, and prints which part of the lines and branches of src/ and apps/ they run, per file
# and per folder. Needs clang and LLVM's tools of the same version; without them the status is 77.
#
#   bash scripts/coverage.sh             src/ and apps/, without CUDA
#   bash scripts/coverage.sh --report    the report again, of the tests that have run
#   ... --left                           also each line and each direction of a branch that is left
#
# `bash scripts/gpu-test.sh coverage` is for the host code of cuda/, on a machine with a GPU.
#
# BUILD (default: build-coverage) is the folder of the build; BUILD/html/index.html is the report with the sources. The status is 1 if a
# test fails or if a folder is below its limit: 95 % of the lines and 90 % of the branches of src/, and 90 % of the lines of apps/.
#
# Clang counts the branches of the source, so conditions that the compiler adds or decides by itself are not among them. The build is
# a release build: assertions are left out, as their failing branches cannot run. Not run are planted bugs and lints, which run no code of
# their own; the tests of the interface, the packages and the peers (abi.*, install.*, peers.*, float_env.hosts), which build the library
# another way or again; and unit.cancel.worst and robust.cost, which measure times. Threads share the counters of coverage: on 2026-11-27 a
# command of robust.cost took 1.0 s of processor time with one thread and 10 to 14 s with two, and 0.4 s without coverage with either.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
report=
left=()
for word in "$@"; do
    case $word in
        --report) report=1 ;;
        --left) left=(--left) ;;
        *)
            echo "coverage.sh: unknown word '$word'; use --report, --left or none" >&2
            exit 2
            ;;
    esac
done
build=${BUILD:-build-coverage}

# The tools of the clang that compiles.
for tool in profdata cov; do
    path=$(clang "-print-prog-name=llvm-$tool" 2>/dev/null || true)
    command -v "${path:-none}" >/dev/null || { echo "coverage.sh: there is no clang here, or no llvm-$tool for it" >&2; exit 77; }
    declare "$tool=$path"
done

mkdir -p "$build/profiles"
if [[ -z $report ]]; then
    flags='-fprofile-instr-generate -fcoverage-mapping'
    unset CCACHE_BASEDIR # with it ccache makes paths relative, and the report finds sources by whole ones
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" -DEXACTNCC_CUDA=OFF >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
    cmake --build "$build"
    # Programs add what they ran to one of a few files each. Some tests run them as another user.
    rm -f "$build"/profiles/*
    chmod 777 "$build/profiles"
    (
        umask 0
        LLVM_PROFILE_FILE=$PWD/$build/profiles/%4m.profraw ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure \
            --no-tests=error --label-exclude 'gpu|lint|mutant' --exclude-regex '^(abi|install|peers)\.|^float_env\.hosts$|^unit\.cancel\.worst$|^robust\.cost$'
    )
fi

# All programs that were run; of a library in several programs, one copy counts.
programs=()
while IFS= read -r file; do
    [[ $(head -c 4 "$file") != $'\x7fELF' ]] || programs+=(-object "$file")
done < <(find "$build/apps" "$build/tests" "$build/mpi" "$build/examples" -type f -perm -u+x -not -name '*.so*' 2>/dev/null | sort)
programs=("${programs[@]:1}") # the first one is named without the option
# shellcheck disable=SC2154 # profdata and cov are declared above
"$profdata" merge -sparse -o "$build/all.profdata" "$build"/profiles/*.profraw
sources=("$PWD/src" "$PWD/apps")
export_as() {
    "$cov" export "-format=$1" "-instr-profile=$build/all.profdata" "${programs[@]}" "${sources[@]}" 2>"$build/export.log" ||
        { cat "$build/export.log" >&2; return 1; }
}
export_as lcov >"$build/coverage.lcov"
export_as text >"$build/coverage.json"
rm -rf "$build/html"
"$cov" show -format=html "-output-dir=$build/html" -show-branches=count "-instr-profile=$build/all.profdata" "${programs[@]}" "${sources[@]}" \
    2>>"$build/export.log"
python3 scripts/coverage.py "$build/coverage.lcov" "$build/coverage.json" "$PWD" src=95,90 apps=90,0 "${left[@]}"
