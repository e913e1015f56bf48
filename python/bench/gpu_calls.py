#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what a call on a GPU array costs in Python: the time until the call returns, without the work on the GPU.

    gpu_calls.py

Per framework that is installed: the library's own part (a plan's call on views that are made already), what
`Plan.correlate` takes with and without `out`, and what `correlate` takes with a `Template`. Microseconds, the
smallest mean of 15 rounds of 200 calls on an image of 64 x 64 pixels.
"""

import importlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import exactncc
from exactncc import _device, _frameworks, _operands

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
CALLS, ROUNDS = 200, 15


def mean(call: Callable[[], object], wait: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        wait()
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, (time.perf_counter() - begin) / CALLS)
        wait()
    return best * 1e6


def frameworks() -> dict[str, tuple[Callable[[Any], Any], Callable[[], object]]]:
    """Return how each framework puts an array on the GPU, and how it waits."""
    found: dict[str, tuple[Callable[[Any], Any], Callable[[], object]]] = {}

    def add(name: str, make: Callable[[Any], tuple[Callable[[Any], Any], Callable[[], object]]]) -> None:
        try:
            found[name] = make(importlib.import_module(name))
        except ImportError as error:
            print(f"not here: {name} ({error})")

    add("cupy", lambda m: (m.asarray, m.cuda.Device().synchronize))
    add("torch", lambda m: (lambda a: m.as_tensor(a, device="cuda"), m.cuda.synchronize))
    add("jax", lambda m: (m.device_put, lambda: None))
    return found


def main() -> None:
    rng = np.random.default_rng(1)
    host = rng.integers(0, 256, (64, 64), dtype=np.uint8)
    print("| framework | library, us | Plan with out | Plan | correlate with Template |\n|---|---|---|---|---|")
    for name, (put, wait) in frameworks().items():
        image, template = put(host), exactncc.Template(host[20:28, 20:28])
        plan = exactncc.Plan(image, template)
        out = plan.correlate(image)
        cells = []
        if name != "jax":
            view = _operands.image_view(image, template, None, None, None)
            source = _device.source_of(view)
            target = _frameworks.map_for(source.framework.layout(out), plan.shape)
            stream = source.stream()
            cells.append(mean(lambda: plan._core.correlate(view, template._core, target, stream, None), wait))
            cells.append(mean(lambda: plan.correlate(image, out=out), wait))
        cells.append(mean(lambda: plan.correlate(image), wait))
        cells.append(mean(lambda: exactncc.correlate(image, template), wait))
        texts = ["-"] * (4 - len(cells)) + [f"{c:.1f}" for c in cells]
        print(f"| {name} | " + " | ".join(texts) + " |")


main()
