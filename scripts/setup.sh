# shellcheck shell=bash disable=SC2034
# Sourced by demo.sh and test.sh: sees to a C compiler, CMake 3.25 and libtiff, by apt-get where there is one, with sudo if not root.

# Does a C program that includes the header compile and link?
has_library() {
    command -v cc >/dev/null && printf '#include <stdio.h>\n#include <%s>\nint main(void){return 0;}\n' "$1" |
        cc -x c - -o /dev/null "$2" 2>/dev/null
}

missing_packages() {
    command -v cc >/dev/null && command -v c++ >/dev/null && command -v make >/dev/null || echo build-essential
    command -v cmake >/dev/null || echo cmake
    has_library tiffio.h -ltiff || echo libtiff-dev
}

setup() {
    local missing optional=() as_root=()
    missing=$(missing_packages | tr '\n' ' ')
    has_library png.h -lpng || optional=(libpng-dev)
    if [[ -n $missing ]]; then
        if ! command -v apt-get >/dev/null; then
            echo "missing here: a C and C++ compiler, make, CMake 3.25 or newer, or libtiff with its headers (Debian's names: $missing)" >&2
            echo "install them with this system's package manager and run this again" >&2
            exit 1
        fi
        if [[ $(id -u) != 0 ]]; then
            command -v sudo >/dev/null || { echo "not root and no sudo: have an administrator install $missing" >&2; exit 1; }
            as_root=(sudo)
        fi
        echo "installing $missing${optional[*]}"
        "${as_root[@]}" apt-get update -q
        # shellcheck disable=SC2086 # a list of names
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing "${optional[@]}"
    fi
    local version
    version=$(cmake --version | sed -n '1s/.* //p')
    if [[ $(printf '%s\n3.25\n' "$version" | sort -V | head -n 1) != 3.25 ]]; then
        echo "CMake $version is too old: 3.25 is needed (pip install cmake, or https://cmake.org/download)" >&2
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

# Is there an NVIDIA GPU with its driver?
has_gpu() {
    command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}
