#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes a release in the folder `release` (or OUT):
#
#   bash scripts/release.sh            all of it
#   bash scripts/release.sh source     the archive of the sources, exactncc-VERSION.tar.gz: the files of the commit that is checked out
#   bash scripts/release.sh binary     the installation as .tar.gz, what it is made of (.spdx.json) and, where dpkg is, the Debian packages
#
# The archives have the same bytes for the same commit, whenever and wherever they are made; for the binaries with the same compiler.
# The programs are built with the CUDA engine if there is a CUDA compiler; EXACTNCC_CUDA=OFF leaves it out. MAINTAINER ("Name <address>") is
# whom the packages name. SHA256SUMS has the sums of all files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh
what=${1:-all}
case $what in
    all | source | binary) ;;
    *)
        echo "release.sh: '$what' is neither source, binary nor all" >&2
        exit 2
        ;;
esac
out=${OUT:-release}
version=$(sed -n 's/^#define XNCC_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/exactncc/status.h | paste -sd.)
date=$(sed -n 's/^set(EXACTNCC_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)
mkdir -p "$out"

# pack FOLDER NAME FILE: a .tar.gz of FOLDER/NAME without anything that differs from one time to the next.
pack() {
    tar --create --directory "$1" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
        --mtime="$date 00:00:00 UTC" "$2" | gzip -9n >"$3"
}

make_source() {
    local work
    git diff --quiet HEAD -- || echo "release.sh: changes that are not committed are left out of the archive of the sources" >&2
    work=$(mktemp -d)
    git archive --prefix="exactncc-$version/" HEAD | tar --extract --directory "$work"
    pack "$work" "exactncc-$version" "$out/exactncc-$version.tar.gz"
    rm -rf "$work"
}

# build FOLDER CMAKE-OPTIONS...
build() {
    local folder=$1
    shift
    # No path of this machine in what is built.
    cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DEXACTNCC_BOTH=ON -DEXACTNCC_TESTS=OFF -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON \
        -DEXACTNCC_CUDA="${EXACTNCC_CUDA:-AUTO}" -DCMAKE_C_FLAGS="-ffile-prefix-map=$PWD=." "$@"
    cmake --build "$folder" --parallel "$jobs"
}

make_binary() {
    local name work
    name=exactncc-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
    build build-release
    work=$(mktemp -d)
    cmake --install build-release --prefix "$work/$name" --strip >"$work/log"
    pack "$work" "$name" "$out/$name.tar.gz"
    rm -rf "$work"
    cp build-release/exactncc.spdx.json "$out/$name.spdx.json"
    if command -v dpkg-deb >/dev/null; then
        build build-release-deb -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON ${MAINTAINER:+-DCPACK_PACKAGE_CONTACT="$MAINTAINER"}
        (cd build-release-deb && SOURCE_DATE_EPOCH=$(date -u -d "$date" +%s) cpack -G DEB -B packages)
        cp build-release-deb/packages/*.deb "$out"
    else
        echo "release.sh: no dpkg here, so no Debian packages"
    fi
}

[[ $what == source ]] || setup
rm -f "$out"/exactncc-"$version"* "$out"/*.deb "$out/SHA256SUMS"
[[ $what == binary ]] || make_source
[[ $what == source ]] || make_binary
(
    cd "$out"
    shopt -s nullglob
    sha256sum -- *.tar.gz *.deb *.spdx.json >SHA256SUMS
    ls -l
)
