#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the library and the tool for other processors, another C library and other compilers, and runs tests of each, other processors'
# programs in an emulator. For a Debian machine (x86-64): what is missing is installed, and libraries of other processors go into folders.
#
#   bash scripts/port.sh [TARGET ...]      default: all of them
#
#   aarch64     64-bit ARM: kernels of NEON, with and without dot products
#   s390x       big-endian
#   i686        32 bits; the tool is left out there
#   musl        another C library, on this processor; the tool is left out, since Debian has no libtiff for it
#   gcc-11 ...  any compiler of Debian's by the name of its package: gcc-N or clang-N
#   trixie ...  any release of Debian by its name, with its own gcc, its C library and libtiff; `sid:clang-23` is one with that compiler
#
# It prints a line for each target. One whose packages cannot be had is skipped, and the line says so. The exit status is 0, 1 if a target
# failed, or 77 if all were skipped. BUILD_ROOT (default: build-port) holds the builds and the folders. With two cores it takes an hour.
#
# An emulator is 10 to 50 times slower than a processor, so this is a selection of tests: the parts, one group of maps per type of pixel,
# statements about floats, the readers and writers of TIFF with both orders of bytes, and damaged files. Left out are what asks for time or
# memory (cancelling, threads, hostile floats, the larger maps), tests in Python and what is not a matter of the processor. Beyond that,
# `digest --kernels common` hashes results of some 900 calls; all targets must print the number of this machine's own build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
base=${BUILD_ROOT:-build-port}
mkdir -p "$base"
base=$(cd "$base" && pwd)
summary=$base/summary.txt
: >"$summary"
failed=0
passed=0

note() {
    printf '%s\n' "$*" | tee -a "$summary"
}

# packages NAME...: installs those that are missing. Returns 1 if one cannot be had.
packages() {
    local package missing=() as_root=()
    for package; do
        [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == *' installed' ]] || missing+=("$package")
    done
    [[ ${#missing[@]} != 0 ]] || return 0
    [[ $(id -u) == 0 ]] || { command -v sudo >/dev/null && as_root=(sudo); } || return 1
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >"$base/packages.log" 2>&1
}

# root FOLDER SUITE ARCHITECTURE VARIANT PACKAGES: a folder with a release of Debian and these packages. A mirror may be weeks old, which the
# lists of a release in the making do not allow by themselves; signatures are checked as always.
root() {
    [[ ! -f $1.complete ]] || return 0
    packages mmdebstrap && rm -rf "$1" &&
        mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' --variant="$4" --architectures="$3" --include="$5" "$2" "$1" >"$1.log" 2>&1 && touch "$1.complete"
}

# own_root FOLDER TRIPLE: a folder with the C library that comes with a cross compiler. It serves where the tool is left out.
own_root() {
    mkdir -p "$1/usr" && ln -sfn "/usr/$2" "$1/usr/$2" && ln -sfn "$2/include" "$1/usr/include" && ln -sfn "$2/lib" "$1/usr/lib" &&
        ln -sfn usr/lib "$1/lib"
}

libraries=libc6-dev,libtiff-dev,libpng-dev,libjpeg62-turbo-dev,zlib1g-dev

# Tests that every target runs, those of 64 bits and those of the tool.
units='basics|interface|join|decide|steps|kernels|filters|refine|nms|float_float|exact|words|bounds'
units_64='options|arithmetic|recipe|track|peaks'
tool='flavours-pixels|refused|draw|parts|reader|bands-parts|formats-bytes|formats-stored|formats-pages|many-parts|flavours|maps|golden'
common="unit\.($units|$units_64)|check\.match\.(u8|u16|f32)\.tiny|check\.general\.(s16|f64)\.tiny|props\.floats\.(integers|statements)|float_env\.modes"
selection="^($common|cli-($tool)|robust-tiff-truncated)$"

# What is built: no examples and no tests of packages.
parts=(exactncc exactncc_bench tests/{unit,digest}/all)
with_oracles=(tests/{check,props,float_env,mutants}/all)
with_tool=(exactncc_tool tests/{cli,robust}/all)

# build NAME TARGETS... -- CMAKE-OPTIONS...
build() {
    local name=$1 targets=()
    shift
    while [[ $1 != -- ]]; do
        targets+=("$1")
        shift
    done
    shift
    cmake -S . -B "$base/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DEXACTNCC_WERROR=ON "$@" &&
        cmake --build "$base/$name" --parallel "$jobs" --target "${targets[@]}"
} >"$base/$1.log" 2>&1

# digest NAME [COMMAND...]: the number that the build of a target prints, run by the command if there is one.
digest() {
    local name=$1
    shift
    "$@" "$base/$name/tests/digest/digest" --every 40 --kernels common 2>>"$base/$name.log" | sed -n 's/^digest //p'
}

this_digest() {
    if [[ ! -s $base/digest.txt ]]; then
        build host tests/digest/all -- && digest host >"$base/digest.txt"
    fi
    cat "$base/digest.txt"
}

# report NAME WHAT REGEX [COMMAND...]: runs the tests of a build, by the command if there is one, compares its digest, and prints its line.
report() {
    local name=$1 what=$2 regex=$3 log=$base/$1.tests start=$SECONDS status=0 number
    shift 3
    "$@" ctest --test-dir "$base/$name" --parallel "$jobs" --output-on-failure --no-tests=error --timeout 7200 -R "$regex" >"$log" 2>&1 || status=1
    number=$(digest "$name" "$@")
    if [[ $status != 0 || -z $number || $number != "$(this_digest)" ]]; then
        grep -E '\*\*\*(Failed|Timeout|Exception)|^FAIL' "$log" || true
        note "$name: FAILED: $what: $(grep 'tests passed' "$log" || echo 'no tests ran'), digest $number, here $(this_digest); see $log"
        failed=1
        return 0
    fi
    passed=$((passed + 1))
    note "$name: $what: $(sed -n 's/.* 0 tests failed out of \([0-9]*\)/\1 tests passed/p' "$log"), digest as here, $((SECONDS - start)) s"
}

skip() {
    note "$1: skipped: $2"
}

fail() {
    tail -n 20 "$base/$1.log"
    note "$1: FAILED: $2; see $base/$1.log"
    failed=1
}

version() {
    "$1" -dumpfullversion 2>/dev/null || "$1" -dumpversion
}

# cross NAME TRIPLE ARCHITECTURE PROCESSOR QEMU
cross() {
    local name=$1 triple=$2 architecture=$3 folder=$base/root-$3 emulator=$5 targets=("${parts[@]}") suite
    suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    packages "gcc-$triple" "g++-$triple" qemu-user-static || { skip "$name" 'its compiler or emulator cannot be installed here' && return; }
    if [[ $name == i686 ]]; then
        own_root "$folder" "$triple"
    else
        root "$folder" "$suite" "$architecture" extract "$libraries" || { skip "$name" 'its libraries cannot be had here' && return; }
        targets+=("${with_oracles[@]}" "${with_tool[@]}")
    fi
    local runs_in loader=$folder/lib/ld-linux.so.2
    runs_in=$("$emulator" --version | sed -n '1s/.*version \([0-9.]*\).*/qemu \1/p')
    emulator="$emulator -L $folder"
    if [[ -x $loader ]] && "$loader" --version >/dev/null 2>&1; then # an i686 that this processor is, too
        emulator="$loader --library-path $folder/lib"
        runs_in='this processor'
    fi
    build "$name" "${targets[@]}" -- --toolchain "$PWD/cmake/DebianCross.cmake" -DCROSS_TARGET="$triple" -DCROSS_PROCESSOR="$4" \
        -DCROSS_ROOT="$folder" -DCROSS_EMULATOR="$emulator" || { fail "$name" 'the build' && return; }
    report "$name" "gcc $(version "$triple-gcc"), $runs_in" "$selection${6:+|$6}"
}

target_aarch64() {
    cross aarch64 aarch64-linux-gnu arm64 aarch64 qemu-aarch64-static '^mutant\.(direct|reals|convolve)-(neon|dotprod)'
    # A processor without dot products.
    [[ -x $base/aarch64/tests/check/check ]] || return 0
    ln -sfn aarch64 "$base/aarch64-neon"
    QEMU_CPU=cortex-a72 report aarch64-neon 'the same on a Cortex-A72, which has no dot products' '^(unit\.kernels|check\.match\.u8\.tiny)$'
}

target_s390x() {
    cross s390x s390x-linux-gnu s390x s390x qemu-s390x-static
}

target_i686() {
    cross i686 i686-linux-gnu i386 i686 qemu-i386-static
}

target_musl() {
    packages musl-tools || { skip musl 'musl-tools cannot be installed here' && return; }
    build musl "${parts[@]}" "${with_oracles[@]}" -- -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_CXX_COMPILER=NOTFOUND \
        -DCMAKE_DISABLE_FIND_PACKAGE_TIFF=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON || { fail musl 'the build' && return; }
    report musl "musl $(dpkg-query -W -f '${Version}' musl), gcc $(version gcc)" "$selection"
}

# A compiler of this release, by the name of its package.
target_compiler() {
    packages "$1" || { skip "$1" 'it cannot be installed here' && return; }
    build "$1" "${parts[@]}" "${with_oracles[@]}" "${with_tool[@]}" -- -DCMAKE_C_COMPILER="$1" -DCMAKE_CXX_COMPILER=NOTFOUND || { fail "$1" 'the build' && return; }
    report "$1" "$(version "$1")" "$selection"
}

# A release of Debian, with its own compiler or with one that is named, in a folder that the builds see as the root.
target_release() {
    local release=${1%%:*} name=${1/:/-} compiler=gcc folder
    [[ $1 != *:* ]] || compiler=${1#*:}
    folder=$base/root-$name
    root "$folder" "$release" amd64 apt "$compiler,cmake,ninja-build,$libraries" || { skip "$name" 'it cannot be had here' && return; }
    mkdir -p "$folder$PWD" "$folder$base"
    cat >"$base/inside-$name" <<END
#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$PWD" "$folder$PWD" && mount --bind "$base" "$folder$base" && exec chroot "$folder" sh -c "cd \\"$PWD\\" && exec \\"\\\$@\\"" sh "\$@"' sh "\$@"
END
    chmod +x "$base/inside-$name"
    "$base/inside-$name" true 2>/dev/null || { skip "$name" 'only root can work in its folder' && return; }
    {
        "$base/inside-$name" cmake -S . -B "$base/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DEXACTNCC_CUDA=OFF -DEXACTNCC_WERROR=ON \
            -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER=NOTFOUND &&
            "$base/inside-$name" cmake --build "$base/$name" --parallel "$jobs" --target "${parts[@]}" "${with_oracles[@]}" "${with_tool[@]}"
    } >"$base/$name.log" 2>&1 || { fail "$name" 'the build' && return; }
    report "$name" "$compiler $("$base/inside-$name" "$compiler" -dumpfullversion 2>/dev/null || "$base/inside-$name" "$compiler" -dumpversion)" \
        "$selection" "$base/inside-$name"
}

command -v apt-get >/dev/null || { echo 'skipped: this is not a Debian machine' && exit 77; }
[[ $# != 0 ]] || set -- aarch64 s390x i686 musl gcc-11 clang-13 clang-22 trixie sid:gcc-16 sid:clang-23
for target; do
    case $target in
        aarch64 | s390x | i686 | musl) "target_$target" ;;
        gcc-* | clang-*) target_compiler "$target" ;;
        *) target_release "$target" ;;
    esac
done
echo
cat "$summary"
[[ $failed == 0 ]] || exit 1
((passed > 0)) || exit 77
