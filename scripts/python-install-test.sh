#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs a wheel with pip in a bare Debian 12, without compiler and network, and runs five lines of Python there. Needs root, mmdebstrap
# and the wheel for Python 3.11 that scripts/wheels.sh makes; NumPy's wheel is fetched outside. Also checks what the wheel contains.
#
#   bash scripts/python-install-test.sh WHEEL
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheel=$(realpath "${1:?python-install-test.sh: name the wheel}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --only-binary :all: --python-version 3.11 --platform manylinux_2_28_x86_64 \
    --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 --dest "$work/wheels" numpy
cp "$wheel" "$work/wheels"
# A tar file, because a root in a folder may not be allowed to hold devices.
mmdebstrap --quiet --variant=minbase --include=python3-pip bookworm "$work/root.tar"
mkdir "$work/root"
tar -C "$work/root" --exclude './dev/*' -xf "$work/root.tar"
cp -r "$work/wheels" "$work/root/wheels"
if [[ -e $work/root/usr/bin/cc ]]; then
    echo "python-install-test.sh: the root has a compiler, so it is not bare" >&2
    exit 1
fi
name=$(basename "$wheel" | sed 's/-.*//; s/_/-/g')
time chroot "$work/root" pip install --quiet --break-system-packages --no-index --find-links /wheels "$name"
chroot "$work/root" python3 - <<'PYTHON' | tee "$work/output"
import exactncc, numpy as np
image = np.random.default_rng(1).integers(0, 256, (480, 640), dtype=np.uint8)
template = image[100:132, 200:240]
matches = exactncc.find(image, template, min_score=0.9)
print(matches)
PYTHON
grep -qE '^200 +100 +1 ' "$work/output"
chroot "$work/root" python3 -m pip list 2>/dev/null
echo "python-install-test.sh: $(basename "$wheel"), $(($(stat -c %s "$wheel") / 1000)) kB, installs and runs; it needs: $(unzip -p "$wheel" '*/METADATA' | sed -n 's/^Requires-Dist: //p' | grep -v extra)"
