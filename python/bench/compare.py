#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares exactncc with OpenCV, scikit-image, SciPy and, where there is a GPU, cuCIM: the same arrays, one run.

    compare.py [--size 1920x1080] [--template 8,16,32,64,128] [--rounds 5] [--threads 0]

Prints Markdown: the median time of the NCC map in milliseconds, and the largest difference from the
map of exactncc. The libraries take turns, so that a machine that changes its speed is fair to all. SciPy
has no NCC; its row is the bare product by FFT (fftconvolve in float64). On the GPU the arrays are there before
the clock starts, and the map stays there. A library that is not installed is left out, with a line that says so.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import exactncc

Run = Callable[[], Any]


def runs(image: Any, templ: Any, threads: int) -> tuple[dict[str, Run], list[str]]:
    """Return a function per library, and what is missing."""
    context = exactncc.Context("cpu", threads=threads)
    prepared = exactncc.Template(templ, context=context)
    found: dict[str, Run] = {f"exactncc {exactncc.__version__}": lambda: exactncc.correlate(image, prepared)}
    missing = []

    def add(module: str, make: Callable[[Any], tuple[str, Run]]) -> None:
        try:
            name, run = make(importlib.import_module(module))
        except ImportError as error:
            missing.append(f"{module} ({error})")
        else:
            found[name] = run

    def opencv(cv2: Any) -> tuple[str, Run]:
        cv2.setNumThreads(threads if threads else cv2.getNumberOfCPUs())
        a, t = (x if x.dtype in (np.uint8, np.float32) else x.astype(np.float32) for x in (image, templ))
        return f"OpenCV {cv2.__version__}", lambda: cv2.matchTemplate(a, t, cv2.TM_CCOEFF_NORMED)

    def scikit_image(feature: Any) -> tuple[str, Run]:
        version = importlib.import_module("skimage").__version__
        return f"scikit-image {version}", lambda: feature.match_template(image, templ)

    def scipy(signal: Any) -> tuple[str, Run]:
        version = importlib.import_module("scipy").__version__
        a, t = image.astype(np.float64), templ[::-1, ::-1].astype(np.float64)
        return f"SciPy {version}, product only", lambda: signal.fftconvolve(a, t, "valid")

    def cucim(feature: Any) -> tuple[str, Run]:
        cupy = importlib.import_module("cupy")
        version = importlib.import_module("cucim").__version__
        a, t = cupy.asarray(image), cupy.asarray(templ)

        def run() -> Any:
            scores = feature.match_template(a, t)
            cupy.cuda.get_current_stream().synchronize()
            return scores

        return f"cuCIM {version}, GPU", run

    def on_gpu(cupy: Any) -> tuple[str, Run]:
        a = cupy.asarray(image)
        kept = exactncc.Template(templ)

        def run() -> Any:
            scores = exactncc.correlate(a, kept)
            cupy.cuda.get_current_stream().synchronize()
            return scores

        return f"exactncc {exactncc.__version__}, GPU", run

    add("cv2", opencv)
    add("skimage.feature", scikit_image)
    add("scipy.signal", scipy)
    add("cucim.skimage.feature", cucim)
    if any(d["device"] == "cuda" and d["usable"] for d in exactncc.devices()):
        add("cupy", on_gpu)
    return found, missing


def measure(image: Any, templ: Any, rounds: int, threads: int) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """Return time in milliseconds and largest difference from the exact map, for each library."""
    found, missing = runs(image, templ, threads)
    exact = next(iter(found.values()))()
    differences = {}
    times: dict[str, list[float]] = {name: [] for name in found}
    for name, run in found.items():  # also the warm-up
        scores = run()
        scores = scores.get() if hasattr(scores, "get") else np.asarray(scores)
        plain = "product only" in name
        differences[name] = np.nan if plain else float(np.abs(scores - exact).max())
    for _ in range(rounds):
        for name, run in found.items():
            begin = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - begin) * 1e3)
    return {n: (statistics.median(t), differences[n]) for n, t in times.items()}, missing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--template", default="8,16,32,64,128")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="0: one per processor")
    arguments = parser.parse_args()
    width, height = (int(n) for n in arguments.size.split("x"))
    sides = [int(n) for n in arguments.template.split(",")]
    rng = np.random.default_rng(1)
    cpu = exactncc.devices()[0]
    print(f"{width} x {height}, {cpu['name']}, {arguments.threads or cpu['processors']} threads, {cpu['text']}")
    for device in exactncc.devices()[1:]:
        if device["usable"]:
            print(f"GPU: {device['name']}")
    for kind, low, dtype in (("uint8", 0, np.uint8), ("uint16, low contrast", 60000, np.uint16), ("float32", 0, np.float32)):
        image = (low + rng.integers(0, 256, (height, width))).astype(dtype)
        columns = {}
        for n in sides:
            templ = image[100 : 100 + n, 200 : 200 + n].copy()
            columns[n], missing = measure(image, templ, arguments.rounds, arguments.threads)
        print(f"\n| {kind}, ms (largest difference) | " + " | ".join(f"n = {n}" for n in sides) + " |")
        print("|---" * (len(sides) + 1) + "|")
        for name in columns[sides[0]]:
            cells = []
            for n in sides:
                ms, difference = columns[n][name]
                cells.append(f"{ms:.3g}" + ("" if np.isnan(difference) else f" ({difference:.1g})"))
            print(f"| {name} | " + " | ".join(cells) + " |")
    for name in missing:
        print(f"\nnot here: {name}")


if __name__ == "__main__":
    main()
