#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Builds the Python package, installs it into a virtual environment, and runs its tests and the checks of its types.
#
#   bash scripts/python-test.sh [FOLDER]    FOLDER (default build-python/test) holds the environment and the build
#
# Needs a C and C++ compiler, Python 3.10 or newer with its headers and venv, and pip must reach an index of packages.
# EXACTNCC_PYTHON names the Python (default python3).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build-python/test}
python=${EXACTNCC_PYTHON:-python3}
mkdir -p "$folder"
log=$folder/python-test.log

# must WHAT COMMAND...: runs a command; if it fails, prints the end of its output and says what failed.
must() {
    local what=$1
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 40 "$log" >&2
    echo "python-test.sh: $what" >&2
    exit 1
}

must "$python cannot make a virtual environment (Debian: python3-venv)" "$python" -m venv --clear "$folder/venv"
venv=$PWD/$folder/venv/bin
must "pip cannot reach its index of packages, or the packages that the tests need are not there" \
    "$venv/pip" install --quiet scikit-build-core nanobind cmake ninja numpy pytest mypy matplotlib pandas \
    scikit-image opencv-python-headless 'dask[array,distributed]' xarray
must "the package does not build" "$venv/pip" install --verbose --no-build-isolation --no-deps \
    --config-settings cmake.define.EXACTNCC_WERROR=ON --config-settings build-dir="$PWD/$folder/build" .
"$venv/python" -m pytest -q -p no:cacheprovider python/tests
