# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share."""

import os
import pathlib
import sys

import numpy as np
import pytest

import exactncc

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The scores in Python's own integers (exact.py), which share nothing with the library.
sys.path.insert(0, str(ROOT / "tests" / "peers"))

LIMITS = {
    "bool": (0, 2),
    "uint8": (0, 256),
    "int8": (-128, 128),
    "uint16": (0, 65536),
    "int16": (-32768, 32768),
    "uint32": (0, 2**32),
}


@pytest.fixture(autouse=True)
def _no_gpu_context(monkeypatch):
    """The tests of this folder are for the CPU, also where there is a GPU."""
    monkeypatch.setattr(exactncc._context, "_defaults", {0: CPU})


CPU = exactncc.Context("cpu")


@pytest.fixture
def rng():
    seed = int(os.environ.get("EXACTNCC_SEED", "7"))
    print("EXACTNCC_SEED =", seed)
    return np.random.default_rng(seed)


@pytest.fixture
def draw(rng):
    """draw(shape, dtype): noise over the whole range of an integer type."""

    def noise(shape, dtype="uint8"):
        low, high = LIMITS[dtype]
        return rng.integers(low, high, shape, dtype=np.int64).astype(dtype)

    return noise
