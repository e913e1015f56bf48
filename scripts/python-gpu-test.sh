#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs the tests of the Python package with CuPy, PyTorch and JAX on a machine with an NVIDIA GPU, which need not have a network.
#
#   bash scripts/python-gpu-test.sh fetch FOLDER    where there is a network: the wheels into FOLDER (about 4 GB with PyTorch and CuPy)
#   bash scripts/python-gpu-test.sh run FOLDER      on the machine with the GPU: installs from FOLDER alone, and runs the tests
#
# Before `fetch`, scripts/wheels.sh cuda has made the wheel. The machine needs an NVIDIA driver for CUDA 13 and python3 of the version that
# fetched. PACKAGES (default: cupy-cuda13x torch) names what is tested; add `jax[cuda13]` for JAX.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $# != 2 || ! $1 =~ ^(fetch|run)$ ]]; then
    echo "python-gpu-test.sh: give fetch FOLDER or run FOLDER" >&2
    exit 2
fi
folder=$2
read -r -a packages <<<"${PACKAGES:-cupy-cuda13x torch}"
wheel=(build-wheels/dist/exactncc_cuda13-*.whl)
if [[ $1 == fetch ]]; then
    if [[ ! -e ${wheel[0]} ]]; then
        echo "python-gpu-test.sh: no wheel in build-wheels/dist; run scripts/wheels.sh cuda first" >&2
        exit 1
    fi
    mkdir -p "$folder"
    cp "${wheel[@]}" "$folder"
    python3 -m pip download --quiet --dest "$folder" --find-links "$folder" 'exactncc-cuda13[cufft]' pytest "${packages[@]}"
    exit 0
fi
nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader
python3 -m venv --clear build-python-gpu
build-python-gpu/bin/pip install --quiet --no-index --find-links "$folder" 'exactncc-cuda13[cufft]' pytest "${packages[@]}"
log=build-python-gpu/test.log
build-python-gpu/bin/python -m pytest -rs -p no:cacheprovider --import-mode=importlib python/tests/gpu | tee "$log"
# A test that finds no device is skipped. Here that is a failure, unless its framework was not asked for.
if grep -qE 'no usable CUDA device|has no CUDA' "$log"; then
    echo "python-gpu-test.sh: tests were skipped although there is a device" >&2
    exit 1
fi
