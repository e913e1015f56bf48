#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds with warnings as errors and runs all tests; then again under the address and undefined-behaviour sanitizers, and under the thread
# sanitizer, with clang where there is one. About half an hour on two cores.
#
#   bash scripts/test.sh           all of it
#   bash scripts/test.sh quick     the first part only
#   bash scripts/test.sh full      after all of it, three hours more: the planted bugs and the cases that the first part leaves out; ten
#                                  minutes each of attacks on bounds and of problems drawn at random; half an hour of mixed calls from
#                                  eight threads; small worlds with every case of them; pictures larger than memory; every failing call
#                                  of the tool; coverage; a build with -march=native; other processors and compilers (scripts/port.sh, an
#                                  hour); a shared library; a release made twice and its Debian packages in a bare root; the wheels; the
#                                  oldest CMake that is promised; reports in a browser; a build for all GPUs with its limits of size
#
# BUILD_ROOT (default: build-test) holds the builds. EXACTNCC_CUDA_ARCHITECTURES is what the CUDA engine is built for where nvcc is found:
# by default the GPU that is here, or 90 (the one with kernels of its own) where there is none, so that the code is at least compiled, and 75,
# the oldest one, too in `full`; `default` is the project's full list, which takes several times longer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
setup tests "${1:-}"
root=${BUILD_ROOT:-build-test}
architectures=${EXACTNCC_CUDA_ARCHITECTURES:-}
if [[ -z $architectures ]]; then
    architectures=90
    [[ ${1:-} != full ]] || architectures="75;90"
    ! has_gpu || architectures=one
fi
mkdir -p "$root"
report=$root/summary.txt
: >"$report"

# The Python package and several tests compile the library again with the same flags.
if command -v ccache >/dev/null; then
    export CCACHE_DIR=${CCACHE_DIR:-$(realpath "$root")/ccache} CCACHE_NOHASHDIR=1
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

note() {
    printf '%s\n' "$*" >>"$report"
}

# build NAME CMAKE-OPTIONS...
build() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name: build"
    cmake -S . -B "$root/$name" -G Ninja -DEXACTNCC_WERROR=ON "$@"
    cmake --build "$root/$name" --parallel "$jobs"
    note "$name: built in $((SECONDS - start)) s"
}

# All but `full` leaves cases out: see kit_short in tests/kit/kit.h.
short=1
all_of=(--label-exclude '^full$')
[[ ${1:-} != full ]] || short= all_of=()
export EXACTNCC_TEST_SHORT=$short

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
    case $architectures in
        default) ;;
        one) cuda=(-DEXACTNCC_CUDA_ONE_GPU=ON -DEXACTNCC_ALL_ARITHMETICS=ON) ;;
        *) cuda=(-DCMAKE_CUDA_ARCHITECTURES="$architectures") ;;
    esac
    # Code that no GPU here runs need not be fast. It takes a fraction of the time to compile then.
    if ! has_gpu && [[ $(nvcc --help) == *Ofast-compile* ]]; then
        cuda+=("-DCMAKE_CUDA_FLAGS=-Ofc max")
    fi
else
    note "no nvcc here: the CUDA engine is not built"
fi
# The tests of the Python package use one core, so the library is built beside them. The tests of the release use its packages.
echo "== python: build and tests, beside the next build"
bash scripts/python-test.sh "$root/python" >"$root/python.log" 2>&1 &
python=$! start=$SECONDS
build release -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_EXAMPLE_PYTHON="$PWD/$root/python/venv/bin/python" "${cuda[@]}"
if ! wait "$python"; then
    cat "$root/python.log"
    note "python: failed"
    finish
    exit 1
fi
note "python: $(tail -n 1 "$root/python.log"), $((SECONDS - start)) s with the build beside it"
run release "${all_of[@]}"

if [[ ${1:-} == quick ]]; then
    finish
    exit 0
fi

# step NAME COMMAND...: runs it with its output in NAME.log. A failure ends the script.
step() {
    local name=$1 status=0
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$root/$name.log" || status=$?
    if [[ $status != 0 ]]; then
        note "$name: failed"
        finish
        exit 1
    fi
}

# may_lack COMMAND...: a status of 77, for what cannot be had here, is no failure. The last line says what it is.
may_lack() {
    local status=0
    "$@" || status=$?
    [[ $status == 77 ]] || return "$status"
}

# Lines are enough to read a report, and take less time to compile than all that a debugger wants.
lines=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1")
build asan "${lines[@]}" "${vnni[@]}" -DEXACTNCC_CUDA=OFF -DEXACTNCC_SANITIZE=address,undefined
run asan --label-exclude 'gpu|slow|lint|mutant'

# By clang where there is one: with its thread sanitizer tests take a third of the time of gcc's, and its warnings are errors here.
compilers=()
if can_sanitize_threads clang; then
    compilers=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
else
    note "no clang with a thread sanitizer here: its warnings are not checked"
fi
build tsan "${lines[@]}" "${vnni[@]}" -DEXACTNCC_CUDA=OFF -DEXACTNCC_APPS=OFF -DEXACTNCC_SANITIZE=thread "${compilers[@]}"
# Older thread sanitizers do not start where addresses are randomized widely.
fixed_addresses=()
setarch "$(uname -m)" -R true 2>/dev/null && fixed_addresses=(setarch "$(uname -m)" -R)
launcher=("${fixed_addresses[@]}")
run tsan --label-regex 'clang|threads'
launcher=()

# Every fuzz target for ten seconds, from one seed: what fails here after a change did not fail before it.
start=$SECONDS
step fuzz may_lack env "BUILD=$root/fuzz" "JOBS=$jobs" SEED=1 bash scripts/fuzz.sh 10
note "fuzzing: $(grep -c '^fuzz: .* runs' "$root/fuzz.log" || true) targets without a finding, $((SECONDS - start)) s"
unset EXACTNCC_TEST_SHORT

# Everything below takes long, or needs packages from PyPI.

at_most() {
    local what=$1 file=$2 limit=$3 size
    size=$(stat -c %s "$file")
    note "$what: $((size / 1000000)) MB (at most $limit)"
    if ((size > limit * 1000000)); then
        finish
        echo "test.sh: $file is larger than $limit MB" >&2
        exit 1
    fi
}

if [[ ${1:-} == full ]]; then
    # The bounds of floats attacked, and random problems, for ten minutes each; mixed calls from eight threads for half an hour; small
    # worlds, every case of them; every call of the tool that can fail, once and from then on.
    step attack "$root/release/tests/unit/unit_attack" --seconds 600
    note "attack: $(grep -c 'of its bound' "$root/attack.log") bounds hold"
    step random "$root/release/tests/random/random" --seconds 600
    note "random: $(grep 'problems,' "$root/random.log")"
    step soak "$root/release/tests/soak/soak" --seconds 1800
    note "soak: $(head -n 1 "$root/soak.log")"
    step exhaustive "$root/release/tests/unit/unit_exhaustive" --full
    note "$(tail -n 1 "$root/exhaustive.log")"
    step faults python3 tests/faults/faults.py --lasting "$root/release/tests/faults/faulty_tool" data
    note "faults: $(tail -n 1 "$root/faults.log")"
    if [[ -x $root/release/tests/faults/faulty_cuda ]]; then
        step faults-cuda "$root/release/tests/faults/faulty_cuda"
        note "faults of CUDA: $(grep 'failed once' "$root/faults-cuda.log")"
        step faults-cuda-tool python3 tests/faults/faults.py --lasting --device cuda "$root/release/tests/faults/faulty_cuda_tool" data
        note "faults of CUDA in the tool: $(tail -n 1 "$root/faults-cuda-tool.log")"
    fi

    # The lines and branches that the tests run.
    step coverage may_lack env "BUILD=$root/coverage" bash scripts/coverage.sh
    note "coverage: $(awk '$9 == "src" || $9 == "apps" {print $9, $3 " % of the lines,", $7 " % of the branches"}' "$root/coverage.log" | paste -sd ';')"

    # The kernel instances that the tests for GPUs launch; no GPU is needed to count them.
    step instances may_lack env "BUILD=$root/instances" bash scripts/instances.sh
    note "$(tail -n 1 "$root/instances.log")"

    # Pictures larger than memory, and work that is killed and goes on.
    built=$PWD/$root/release
    for test in cli/huge.py "cli/killed.py 4000 50" "mpi/ranks.py 8 20"; do
        [[ $test != mpi/* || -x $built/mpi/exactncc-mpi ]] || continue # no MPI here
        echo "== scale: $test"
        # shellcheck disable=SC2086 # a command line
        if ! EXACTNCC=$built/apps/exactncc EXACTNCC_MPI=$built/mpi/exactncc-mpi MPIEXEC=mpiexec SHIM=$built/tests/cli/libdisk_shim.so \
            HELPERS=$built/tests/cli python3 tests/$test 2>&1 | tee "$root/scale.log"; then
            finish
            exit 1
        fi
        note "scale: $test: $(tail -n 1 "$root/scale.log")"
    done

    # Races by the other compiler, and clang's optimizations.
    if can_sanitize_threads clang; then
        build tsan-gcc "${lines[@]}" "${vnni[@]}" -DEXACTNCC_CUDA=OFF -DEXACTNCC_APPS=OFF -DEXACTNCC_SANITIZE=thread
        launcher=("${fixed_addresses[@]}")
        run tsan-gcc --label-regex '^threads$'
        launcher=()
        build clang -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DCMAKE_C_COMPILER=clang
        run clang --label-regex 'clang|threads'
    fi

    # All instructions of this processor in all files: no result may change.
    build native -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DEXACTNCC_APPS=OFF -DCMAKE_C_FLAGS=-march=native
    run native --label-regex cpu --exclude-regex '^(abi|install|example)[.]'

    build shared -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DBUILD_SHARED_LIBS=ON
    run shared --label-exclude 'gpu|slow|mutant'

    # A release is the same when it is made twice, and its Debian packages work in a bare Debian root.
    for test in "reproducible.sh $root/release-twice all" "debian.sh $root/release-twice/first/release"; do
        # shellcheck disable=SC2086 # a command line
        step packages may_lack env EXACTNCC_CUDA=OFF bash tests/packages/$test
        note "packages: $(tail -n 1 "$root/packages.log")"
    done

    # The lists of what builds are made of, by the validator of SPDX.
    python3 -m venv "$root/spdx"
    "$root/spdx/bin/pip" install --quiet spdx-tools
    for list in "$root/release/exactncc.spdx.json" "$root"/release-twice/first/release/*.spdx.json; do
        [[ -e $list ]] || continue # no release was made
        step spdx-check "$root/spdx/bin/pyspdxtools" --infile "$list"
        note "$(basename "$list"): valid SPDX"
    done

    # What a call from Python costs, and the wheels: one of them in a bare Debian 12, whose Python is 3.11.
    echo "== python: overhead and wheels"
    if ! { "$root/python/venv/bin/python" python/bench/overhead.py "$root/python/build/exactncc/libexactncc.a" &&
        OUT=$root/wheels bash scripts/wheels.sh; } 2>&1 | tee "$root/wheels.log"; then
        finish
        exit 1
    fi
    note "python: $(tail -n 1 "$root/wheels.log")"
    wheel=$(find "$root/wheels/dist" -name 'exactncc-*-cp311-*.whl' | head -n 1)
    if [[ -n $wheel && $(id -u) == 0 ]] && command -v mmdebstrap >/dev/null; then
        step install bash scripts/python-install-test.sh "$wheel"
        note "$(tail -n 1 "$root/install.log" | grep -o 'exactncc.*' || true)"
    else
        note "python: no bare Debian was tried (it needs root, mmdebstrap and Python 3.11)"
    fi

    # Other processors in emulators, another C library and other compilers.
    step port may_lack env "BUILD_ROOT=$root/port" bash scripts/port.sh
    while read -r line; do note "$line"; done <"$root/port/summary.txt"

    python3 -m venv "$root/cmake-3.22"
    "$root/cmake-3.22/bin/pip" install --quiet 'cmake==3.22.*'
    (PATH=$PWD/$root/cmake-3.22/bin:$PATH && cmake --version | head -n 1 && build oldest-cmake -DCMAKE_BUILD_TYPE=Release "${cuda[@]}" &&
        run oldest-cmake --label-regex '^lint$')

    # Poses against the exhaustive search and beside other packages, a part of the study in docs/poses.md.
    "$root/python/venv/bin/pip" install --quiet corrmatch Multi-Template-Matching opencv-python-headless
    pictures=(data)
    [[ ! -d ../shared/data/real ]] || pictures+=(../shared/data/real)
    step poses "$root/python/venv/bin/python" tests/peers/poses.py --pictures "${pictures[@]}" --size 256x256 --side 48x48 --scenes 24 \
        --exhaustive --peers 2 --require 1
    note "poses: $(tail -n 1 "$root/poses.log")"

    # Ground coordinates beside GDAL's, as rasterio has them.
    python3 -m venv "$root/rasterio"
    "$root/rasterio/bin/pip" install --quiet rasterio tifffile
    step geo "$root/rasterio/bin/python" -W ignore tests/peers/geo.py "$root/release/apps/exactncc"
    note "$(tail -n 1 "$root/geo.log")"

    # Reports in a browser, driven by a package from PyPI.
    setup browser
    chromium=$(command -v chromium || command -v chromium-browser || true)
    if [[ -n $chromium ]]; then
        python3 -m venv "$root/browser"
        "$root/browser/bin/pip" install --quiet playwright
        step browser "$root/browser/bin/python" tests/browser/report.py "$PWD/$root/release/apps/exactncc" data "$chromium"
        note "browser: $(tail -n 1 "$root/browser.log"); $(grep 'interactive' "$root/browser.log")"
    else
        note "no Chromium here: reports are not tried in a browser"
    fi

    if command -v nvcc >/dev/null; then
        build all-gpus -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_TESTS=OFF
        at_most "archive for all GPUs" "$root/all-gpus/libexactncc.a" 40
        at_most "tool for all GPUs" "$root/all-gpus/apps/exactncc" 30
    fi
fi
finish
