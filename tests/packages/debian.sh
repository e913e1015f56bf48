#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The Debian packages, used as a user uses them: lintian accepts them; in a bare Debian root they are installed, a man page is read there, the
# tool finds a template, and a C program is built and run by pkg-config and by CMake, shared and static; the ranks of exactncc-mpi find what the
# tool finds; then they are removed. Each package has its own files, and that of MPI is not needed by the others.
#
#   bash tests/packages/debian.sh FOLDER
#
# FOLDER has the packages (scripts/release.sh binary). The exit status is 0, 1 or, where a root cannot be made here, 77. SUITE (default: that
# of this machine) is the Debian release; ROOT a folder for the root, which is removed at the end.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$(cd "$1" && pwd)
suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
for program in mmdebstrap lintian dpkg-deb; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not here" && exit 77; }
done
[[ $(id -u) == 0 ]] || { echo "skipped: only root can make a root" && exit 77; }

started=$SECONDS
# That tag asks for a bug of Debian's own archive, to which these packages are not uploaded.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$packages"/*.deb
echo "lintian: accepted, $(stat -c '%n %s' "$packages"/*.deb | sed 's|.*/||' | paste -sd';')"

# contents PACKAGE: the programs, pages of commands and completions of a package, without their folders.
contents() {
    dpkg-deb --fsys-tarfile "$packages/$1"_*.deb | tar t | sed -n -E 's;^\./usr/(bin|share/man/man1|share/bash-completion/completions|share/zsh/site-functions|share/fish/vendor_completions.d)/(.+)$;\2;p' | sort
}
# has PACKAGE NAME...: fails if the package has others than these.
has() {
    local package=$1
    shift
    diff <(printf '%s\n' "$@" | sort) <(contents "$package") || { echo "$package has other files than it should" && exit 1; }
}
# files PROGRAM COMMAND...: what there is of a program.
files() {
    local program=$1
    shift
    printf '%s\n' "$program" "$program.1.gz" "$program" "_$program" "$program.fish"
    for command in "$@"; do printf '%s\n' "$program-$command.1.gz"; done
}
# shellcheck disable=SC2046 # lists of words
has exactncc $(files exactncc find correlate convolve track join info) $(files exactncc-bench)
mpi=
if compgen -G "$packages/exactncc-mpi_*.deb" >/dev/null; then
    mpi=exactncc-mpi
    # shellcheck disable=SC2046
    has exactncc-mpi $(files exactncc-mpi find correlate convolve)
fi
[[ -n $mpi || -z $(command -v mpicc) ]] || { echo "MPI is here, and there is no package of exactncc-mpi" && exit 1; }
echo "contents: every program with its pages and completions, $(stat -c '%n' "$packages"/*.deb | wc -l) packages"

base=${ROOT:-$(mktemp -d)}
root=$base/root
trap 'rm -rf "$base"' EXIT
# The sources of this machine, so that a mirror that serves it serves the root, too.
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | grep '^deb ' >"$base/sources" || true
cat /etc/apt/sources.list.d/*.sources >"$base/root.sources" 2>/dev/null || true
[[ -s $base/sources || -s $base/root.sources ]] || { echo "skipped: this machine has no sources of Debian packages" && exit 77; }
[[ -s $base/sources ]] || { mv "$base/root.sources" "$base/sources"; }
mmdebstrap --quiet --mode=root --variant=minbase "$suite" "$root" "$base/sources"
echo "bare root: $suite, $(du -sm "$root" | cut -f1) MB, $((SECONDS - started)) s"

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
[[ ! -d /etc/apt/apt.conf.d ]] || cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
mkdir -p "$root/packages" "$root/try/data"
cp "$packages"/*.deb "$root/packages/"
echo 'Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf.d/99no-terminal"
cp "$source"/examples/find_c11.c "$root/try/"
cp "$source"/data/board.tif "$source"/data/board-fiducial.tif "$root/try/data/"
# A minimal root drops man pages when it installs; a user's does not.
rm -f "$root/etc/dpkg/dpkg.cfg.d/docker" "$root/etc/dpkg/dpkg.cfg.d/excludes"
started=$SECONDS
inside apt-get update -q >/dev/null
inside sh -c 'apt-get install -y -q --no-install-recommends /packages/exactncc_*.deb /packages/libexactncc1_*.deb' >"$base/install.log" ||
    { cat "$base/install.log" && exit 1; }
inside sh -c 'cd /try && exactncc find --quiet --top 1 data/board.tif data/board-fiducial.tif && exactncc --version'
echo "tool: installed and used with its library alone, $((SECONDS - started)) s, $(inside dpkg-query -W -f '${Package} ${Installed-Size} KB\n' exactncc libexactncc1 | paste -sd,)"

openmpi=$(inside dpkg-query -W -f '${Package} ' 'libopenmpi*' 'openmpi*' 2>/dev/null || true)
[[ -z $openmpi ]] || { echo "the tool brings MPI: $openmpi" && exit 1; }

inside apt-get install -y -q --no-install-recommends man-db >"$base/man.log" || { cat "$base/man.log" && exit 1; }
if [[ -n $mpi ]]; then
    started=$SECONDS
    inside sh -c 'apt-get install -y -q --no-install-recommends /packages/exactncc-mpi_*.deb' >"$base/mpi.log" || { cat "$base/mpi.log" && exit 1; }
    # The ranks of one machine; Open MPI asks root for its word.
    inside sh -c 'cd /try && exactncc find --quiet --device cpu -o one.csv data/board.tif data/board-fiducial.tif &&
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm=isolated &&
        mpirun -n 2 exactncc-mpi find --quiet --device cpu -o ranks.csv data/board.tif data/board-fiducial.tif && cmp one.csv ranks.csv'
    echo "exactncc-mpi: installed, 2 ranks find the same, $((SECONDS - started)) s, $(inside dpkg-query -W -f '${Package} ${Installed-Size} KB' exactncc-mpi)"
fi
for page in exactncc exactncc-find exactncc-bench ${mpi:+exactncc-mpi exactncc-mpi-find}; do
    inside sh -c "MANWIDTH=80 man $page" >"$base/page"
    grep -q '^NAME' "$base/page" && grep -q "$page" "$base/page" || { echo "man $page says:" && cat "$base/page" && exit 1; }
done
echo "man exactncc-find: $(inside sh -c 'MANWIDTH=80 man exactncc-find' | wc -l) lines"

inside sh -c 'apt-get install -y -q --no-install-recommends /packages/libexactncc-dev_*.deb gcc libc6-dev pkg-config cmake make' \
    >"$base/dev.log" || { cat "$base/dev.log" && exit 1; }
inside sh -c 'MANWIDTH=80 man 3 exactncc' | grep -q xncc_find_batch || { echo "man 3 exactncc lacks xncc_find_batch" && exit 1; }
cat >"$root/try/build.sh" <<'SCRIPT'
set -e
cd /try
gcc find_c11.c $(pkg-config --cflags --libs exactncc) -o by_pkg_config
gcc find_c11.c -static $(pkg-config --static --cflags --libs exactncc) -o by_pkg_config_static
mkdir -p project
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(find LANGUAGES C)
find_package(exactncc 1.0 REQUIRED)
add_executable(by_cmake ../find_c11.c)
target_link_libraries(by_cmake PRIVATE exactncc::exactncc)
add_executable(by_cmake_static ../find_c11.c)
target_link_libraries(by_cmake_static PRIVATE exactncc::exactncc_static)
CMAKE
cmake -S project -B project/build >/dev/null
cmake --build project/build >/dev/null
for program in by_pkg_config by_pkg_config_static project/build/by_cmake project/build/by_cmake_static; do
    case $program in
        *_static) ! readelf -d $program | grep -q 'NEEDED.*libexactncc' ;;
        *) readelf -d $program | grep -q 'NEEDED.*libexactncc.so.1' ;;
    esac || { echo "$program is linked with the wrong library" && exit 1; }
    ./$program >result
    printf 'exactncc %s\n30 20 1\n90 60 1\n' "$(pkg-config --modversion exactncc)" | cmp - result
    echo "$program: $(stat -c %s $program) bytes, finds both"
done
SCRIPT
inside sh /try/build.sh

# shellcheck disable=SC2086 # no word where there is no MPI
inside apt-get purge -y -q exactncc libexactncc1 libexactncc-dev $mpi >"$base/purge.log" || { cat "$base/purge.log" && exit 1; }
left=$(find "$root/usr" "$root/etc" -name '*exactncc*')
[[ -z $left ]] || { echo "left after purge: $left" && exit 1; }
echo "removed; nothing is left"
