# SPDX-License-Identifier: BSD-2-Clause
"""Checks every window of the masked cases of real_masked.py that have noisy templates: the whole map
must have the bits of a map computed from numpy's int64 sums. So the match that find reports is the
best one."""
import os
import random
import sys

import numpy as np

import library
import real_masked


def exact_map(scene, counts, templ, templ_counts, least):
    """NCC from integers (16 bits: n^2 times the largest square is below 2^63) with one rounding; NaN where
    fewer than `least` pixels count."""
    height, width = templ.shape
    extent = scene.shape[0] - height + 1, scene.shape[1] - width + 1
    n, S, Q, X, T, T2 = (np.zeros(extent, np.int64) for _ in range(6))
    inside = scene * counts
    square = inside * inside
    for y, x in zip(*np.nonzero(templ_counts)):
        t = int(templ[y, x])
        at = slice(y, y + extent[0]), slice(x, x + extent[1])
        n += counts[at]
        S += inside[at]
        Q += square[at]
        X += t * inside[at]
        T += t * counts[at]
        T2 += t * t * counts[at]
    var, templ_var = n * Q - S * S, n * T2 - T * T
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where((var > 0) & (templ_var > 0), (n * X - S * T) / (np.sqrt(var) * np.sqrt(templ_var)), 0.0)
    scores[n < least] = np.nan
    return scores.astype(np.float32)


def main():
    folder = real_masked.folder()
    exactncc = library.open_cpu()
    report = library.Report()
    rng = random.Random(31)
    rows = [row for row in real_masked.rows(folder) if "noisy" in row[1]]
    for row, way in zip(rows, ("mask", "no-data", "both") * len(rows)):
        pictures = [real_masked.Picture.read(os.path.join(folder, name)) for name in row[:2]]
        case = real_masked.Case(*pictures, (int(row[7]), int(row[8])), way, rng)
        scene, counts, templ, templ_counts = (
            np.array(values, np.int64).reshape(p.height, p.width) for values, p in
            ((case.scene.pixels, case.scene), (case.counts, case.scene), (case.templ.pixels, case.templ), (case.templ_counts, case.templ)))
        dtype = np.uint8 if case.scene.bits == 8 else np.uint16
        ours = exactncc.map(scene.astype(dtype), templ.astype(dtype), mask=counts, templ_mask=templ_counts)
        theirs = exact_map(scene, counts, templ, templ_counts, -(-templ_counts.sum() // 2))
        same = np.isnan(ours) == np.isnan(theirs)
        same &= np.isnan(ours) | (ours.view(np.int32) == theirs.view(np.int32))
        report.holds(bool(same.all()), "%s, %s: %d of %d windows differ" % (row[0], way, np.count_nonzero(~same), same.size))
        y, x = np.unravel_index(np.nanargmax(theirs), theirs.shape)
        report.holds(case.by_library(exactncc) == (x, y, float(theirs[y, x])), "%s, %s: the best is at (%d, %d)" % (row[0], way, x, y))
        print("%s, %s: %d windows, the best %r at (%d, %d)" % (row[0], way, same.size, float(theirs[y, x]), x, y))
    report.finish()


if __name__ == "__main__":
    main()
