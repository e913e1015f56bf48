# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2034
# Sourced by demo.sh and test.sh. Makes sure that there are a C compiler, CMake 3.22, Ninja and libtiff: with apt-get where there is one,
# with sudo for users other than root.

# Does a C program that includes the header compile and link?
has_library() {
    command -v cc >/dev/null && printf '#include <stdio.h>\n#include <%s>\nint main(void){return 0;}\n' "$1" |
        cc -x c - -o /dev/null "$2" 2>/dev/null
}

missing_packages() {
    command -v cc >/dev/null && command -v c++ >/dev/null || echo build-essential
    command -v cmake >/dev/null || echo cmake
    command -v ninja >/dev/null || echo ninja-build
    has_library tiffio.h -ltiff || echo libtiff-dev
}

# Packages that are used where they can be had: PNG, JPEG, MPI for exactncc-mpi, the fuzzer, the check of the format, and the tests in Python with their readers of pictures.
optional_packages() {
    local program
    has_library png.h -lpng || echo libpng-dev
    has_library jpeglib.h -ljpeg || echo libjpeg-dev
    [[ ${1:-} != tests ]] || has_mpi || printf '%s\n' libopenmpi-dev openmpi-bin
    [[ ${1:-} != tests ]] || command -v clang-format-14 >/dev/null || echo clang-format-14
    [[ ${1:-} != tests ]] || ! command -v clang >/dev/null || can_fuzz || echo "libclang-rt-$(clang -dumpversion | cut -d . -f 1)-dev"
    [[ ${1:-} != tests ]] || command -v python3 >/dev/null || echo python3
    [[ ${1:-} != tests ]] || python3 -c 'import numpy, PIL' 2>/dev/null || /usr/bin/python3 -c 'import numpy, PIL' 2>/dev/null ||
        printf '%s\n' python3-numpy python3-pil
    [[ ${1:-} != tests ]] || [[ -d /usr/include/opencv4/opencv2 ]] || echo libopencv-core-dev
    [[ ${1:-} != tests ]] || can_build_python || echo python3-venv python3-dev
    [[ ${1:-} != browser ]] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || echo chromium
    # several tests compile the library again
    [[ ${1:-} != tests ]] || command -v ccache >/dev/null || echo ccache
    # the man pages and the completions are tested with these
    for program in mandoc zsh fish; do
        [[ ${1:-} != tests ]] || command -v "$program" >/dev/null || echo "$program"
    done
    [[ ${1:-} != tests ]] || command -v abidiff >/dev/null || echo abigail-tools
    # the Debian packages are tested with these
    for program in lintian mmdebstrap; do
        [[ ${2:-} != full ]] || command -v "$program" >/dev/null || echo "$program"
    done
}

has_mpi() {
    command -v mpicc >/dev/null && command -v mpiexec >/dev/null
}

# Has clang the library of its fuzzer?
can_fuzz() {
    printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data && size > 9; }\n' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
}

# can_sanitize_threads COMPILER: can it build programs with its thread sanitizer?
can_sanitize_threads() {
    echo 'int main(void) { return 0; }' | "$1" -fsanitize=thread -x c - -o /dev/null 2>/dev/null
}

# Can python3 make virtual environments, and has it the headers for an extension module?
can_build_python() {
    python3 -c 'import ensurepip, os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# setup [tests [full] | browser]
setup() {
    local missing optional as_root=() package
    missing=$(missing_packages | tr '\n' ' ')
    optional=$(optional_packages "$@")
    if [[ -n $missing$optional ]] && command -v apt-get >/dev/null && { [[ $(id -u) == 0 ]] || command -v sudo >/dev/null; }; then
        [[ $(id -u) == 0 ]] || as_root=(sudo)
        echo "installing $missing$(tr '\n' ' ' <<<"$optional")"
        "${as_root[@]}" apt-get update -q
        if [[ -n $missing ]]; then
            # shellcheck disable=SC2086 # a list of names
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
        fi
        for package in $optional; do
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$package" ||
                echo "$package is not to be had here; going on without it"
        done
    elif [[ -n $missing ]]; then
        echo "missing here: a C and C++ compiler, CMake 3.22 or newer, Ninja, or libtiff with its headers (Debian's names: $missing)" >&2
        echo "install them with this system's package manager and run this again" >&2
        exit 1
    fi
    local version
    version=$(cmake --version | sed -n '1s/.* //p')
    if [[ $(printf '%s\n3.22\n' "$version" | sort -V | head -n 1) != 3.22 ]]; then
        echo "CMake $version is too old: 3.22 is needed (pip install cmake, or https://cmake.org/download)" >&2
        exit 1
    fi
}

# nvcc is often installed off the PATH.
for directory in /usr/local/cuda/bin /opt/cuda/bin; do
    if ! command -v nvcc >/dev/null && [[ -x $directory/nvcc ]]; then
        PATH=$PATH:$directory
    fi
done
jobs=$(nproc 2>/dev/null || echo 2)

# Does this processor have VNNI? If not, the kernels for it cannot run, and builds for tests alone leave them out: $vnni has the option.
vnni=()
grep -qE '\<(avx512_vnni|avx_vnni)\>' /proc/cpuinfo 2>/dev/null || vnni=(-DEXACTNCC_VNNI=OFF)

# Is there an NVIDIA GPU with its driver?
has_gpu() {
    command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}
