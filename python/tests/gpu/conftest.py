# SPDX-License-Identifier: BSD-2-Clause
"""What the tests with a GPU share."""

import os

import pytest

# JAX would otherwise take most of the device memory, which CuPy, PyTorch and the library need too.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


@pytest.fixture(autouse=True)
def _no_gpu_context():
    """Here, the default context is that of the GPU."""
