#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A release is the same to the byte when it is made again: from another folder, with another umask, time zone and language.
#
#   bash tests/packages/reproducible.sh WORK source|all
#
# WORK is a folder for both. Their SHA256SUMS are compared; WORK/first/release has the files. The exit status is 0, 1 or, where the sources are
# not in git, 77.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1
what=$2
rm -rf "$work"
mkdir -p "$work"
git -C "$source" rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "skipped: the sources are not in git" && exit 77; }
for copy in first second-with-a-longer-name; do
    git clone -q "$source" "$work/$copy"
done
started=$SECONDS
(cd "$work/first" && bash scripts/release.sh "$what" >../first.log 2>&1) || { tail -n 30 "$work/first.log" && exit 1; }
echo "a release ($what): $((SECONDS - started)) s"
(cd "$work/second-with-a-longer-name" && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 bash scripts/release.sh "$what" >../second.log 2>&1) ||
    { tail -n 30 "$work/second.log" && exit 1; }
cat "$work/first/release/SHA256SUMS"
diff "$work/first/release/SHA256SUMS" "$work/second-with-a-longer-name/release/SHA256SUMS" || { echo "the second release differs" && exit 1; }
[[ $(wc -l <"$work/first/release/SHA256SUMS") -gt 0 ]] || { echo "nothing was made" && exit 1; }
archive=$(find "$work/first/release" -name 'exactncc-*.tar.gz' ! -name 'exactncc-*-*')
# The archive has the files of the commit, all of them.
diff <(git -C "$source" ls-tree -r --name-only HEAD | sort) \
    <(tar tzf "$archive" | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' | sort) || { echo "the archive has other files" && exit 1; }
echo "twice the same"
