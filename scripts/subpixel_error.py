#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures the errors of xncc_refine for known shifts: the table and the plot of docs/subpixel.md.

    subpixel_error.py BRIDGE PLOT.png PICTURE.tif...

BRIDGE is the module that the build makes from tests/peers/bridge.c, for example
build/tests/peers/libpeers_bridge.so. Pictures are 8-bit or 16-bit grey. Needs numpy, matplotlib and
tifffile.
"""
import os
import sys

import numpy as np
import tifffile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'peers'))
from library import Library  # noqa: E402

SHIFTS, SIDE, MARGIN, REACH = 1000, 40, 16, 8  # REACH: pixels searched around the true place
library = Library(sys.argv[1])
library.check(library.status)


def locate(scene, templ):
    """Returns the best NCC match and its refined position."""
    x, y, _ = library.find(scene, templ)[0]
    return (x, y) + library.refine(scene, templ, x, y)[:2]


def measure(picture, cell):
    """Returns rows of: true shift, error of the fit, error of the whole-pixel position, each as x, y.

    A pixel of the scene is the mean of cell x cell pixels of the picture."""
    top = np.iinfo(picture.dtype).max
    height, width = (n // cell * cell for n in picture.shape)
    fine = np.fft.rfft2(picture[:height, :width].astype(float))
    fy, fx = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]

    def sample(dx, dy):
        a = np.fft.irfft2(fine * np.exp(-2j * np.pi * cell * (fx * dx + fy * dy)), s=(height, width))
        a = a.reshape(height // cell, cell, width // cell, cell).mean(axis=(1, 3))
        return np.ascontiguousarray(np.clip(np.rint(a), 0, top).astype(picture.dtype))

    base, rows, random = sample(0, 0), [], np.random.default_rng(7)
    while len(rows) < SHIFTS:
        dx, dy = random.uniform(-0.5, 0.5, 2)
        moved = sample(dx, dy)
        while True:  # a place that is not nearly flat
            x, y = (int(random.integers(MARGIN, n - SIDE - MARGIN)) for n in base.shape[::-1])
            templ = np.ascontiguousarray(base[y:y + SIDE, x:x + SIDE])
            if templ.std() >= base.std() / 2:
                break
        scene = np.ascontiguousarray(moved[y - REACH:y + SIDE + REACH, x - REACH:x + SIDE + REACH])
        mx, my, rx, ry = np.array(locate(scene, templ)) - REACH
        rows.append((dx, dy, rx - dx, ry - dy, mx - dx, my - dy))
    return np.array(rows)


def bias(rows):
    """Returns the mean error along an axis for each twentieth of a pixel of the true fraction, x and y together."""
    middle = np.linspace(-0.475, 0.475, 20)
    truth, error = rows[:, :2].ravel(), rows[:, 2:4].ravel()
    return middle, np.array([error[np.abs(truth - c) <= 0.025].mean() for c in middle])


def main():
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    print('| picture | shifted by | mean | 95 % | worst | bias | whole pixel: mean | elsewhere |\n|---|---|---|---|---|---|---|---|')
    for path in sys.argv[3:]:
        name = os.path.splitext(os.path.basename(path))[0]
        for axis, cell, kind in zip(axes, (1, 2), ('Fourier', 'Fourier, then 2 x 2 means')):
            rows = measure(tifffile.imread(path), cell)
            elsewhere = (np.abs(rows[:, 4:]) > 1).any(axis=1)
            rows = rows[~elsewhere]
            error, whole = np.hypot(rows[:, 2], rows[:, 3]), np.hypot(rows[:, 4], rows[:, 5])
            middle, mean = bias(rows)
            print('| %s | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %d |' % (
                name, kind, error.mean(), np.percentile(error, 95), error.max(), np.abs(mean).max(), whole.mean(), elsewhere.sum()),
                flush=True)
            axis.plot(middle, mean, label=name, lw=1.3)
            axis.set_title('shifted by ' + kind, fontsize=10)
    for axis in axes:
        axis.axhline(0, color='k', lw=0.5)
        axis.grid(alpha=0.3)
        axis.set_xlabel('true fraction of the position, pixels')
    axes[0].set_ylabel('mean error along the axis, pixels')
    axes[0].legend(fontsize=7, ncol=2)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=90)


main()
