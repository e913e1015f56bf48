#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures what a call from Python adds to the same call from C, on small arrays.

    overhead.py LIBRARY.a

LIBRARY.a is the static library of a build (build/libexactncc.a). The C calls are compiled with cc.
Both sides run in one thread, in turn; times are processor time. The median of the differences is
printed. Exit status 1: it is 5 microseconds or more.
"""

import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import exactncc

LIMIT = 5.0  # microseconds
CALLS, ROUNDS = 500, 61
HERE = pathlib.Path(__file__).resolve().parent


def c_calls(library: str, folder: str) -> ctypes.CDLL:
    target = str(pathlib.Path(folder) / "calls.so")
    include = str(HERE.parents[1] / "include")
    sources = ["-I", include, str(HERE / "calls.c"), library]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", target, *sources, "-lm", "-lpthread"], check=True)
    calls = ctypes.CDLL(target)
    calls.bench_calls.restype = ctypes.c_double
    return calls


def main() -> None:
    context = exactncc.Context("cpu", threads=1)
    rng = np.random.default_rng(1)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        calls = c_calls(sys.argv[1], folder)
        print("| call | image | template | C, us | Python, us | difference, us |\n|---|---|---|---|---|---|")
        for name, search in (("correlate", 0), ("find", 1)):
            function = getattr(exactncc, name)
            for side, small in ((16, 8), (32, 8)):
                image = rng.integers(0, 256, (side, side), dtype=np.uint8)
                templ = rng.integers(0, 256, (small, small), dtype=np.uint8)
                c, python = [], []
                for _ in range(ROUNDS):
                    arguments = image.ctypes.data, side, templ.ctypes.data, small
                    seconds = calls.bench_calls(
                        *(ctypes.c_void_p(a) if i % 2 == 0 else a for i, a in enumerate(arguments)), search, CALLS
                    )
                    if seconds < 0:
                        sys.exit("the C calls failed")
                    c.append(seconds * 1e6)
                    begin = time.thread_time()
                    for _ in range(CALLS):
                        function(image, templ, context=context)
                    python.append((time.thread_time() - begin) / CALLS * 1e6)
                difference = statistics.median(p - q for p, q in zip(python, c))
                worst = max(worst, difference)
                print(
                    f"| {name} | {side} x {side} | {small} x {small} | {statistics.median(c):.2f} "
                    f"| {statistics.median(python):.2f} | {difference:.2f} |"
                )
    if worst >= LIMIT:
        sys.exit(f"a call costs {worst:.2f} us more from Python; the limit is {LIMIT} us")


main()
