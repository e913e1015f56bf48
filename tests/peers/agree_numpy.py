# SPDX-License-Identifier: BSD-2-Clause
"""Compares every method, mode, border and mask with a few lines of numpy that any user could write:
numpy.pad, sliding windows, sums in int64, the formula of template.h in double, one rounding. The
pixels are integers, so every bit must be the same."""
import os

import numpy as np

import library

PADDINGS = {"clamp": "edge", "zero": "constant", "mirror": "reflect", "wrap": "wrap", "overlap": "constant"}
exactncc = library.open_cpu()
report = library.Report()
rng = np.random.default_rng(7)
SIZES = ((7, 5),) if os.environ.get("EXACTNCC_TEST_SHORT") else ((7, 5), (8, 12))


def windows(image, mask, templ, mode, border):
    """The windows of image and mask in int64, [y, x, row, column, channel]."""
    height, width = templ.shape[:2]
    x0, y0 = {"valid": (0, 0), "same": (width // 2, height // 2), "full": (width - 1, height - 1)}[mode]
    x1, y1 = {"valid": (0, 0), "same": (width - 1 - x0, height - 1 - y0), "full": (x0, y0)}[mode]
    pads = ((y0, y1), (x0, x1))
    pixels = np.pad(image.astype(np.int64), pads + ((0, 0),), mode=PADDINGS[border])
    # zeros outside count, except with the overlap border
    outside = {"constant_values": border == "zero"} if PADDINGS[border] == "constant" else {}
    counts = np.pad(mask, pads, mode=PADDINGS[border], **outside)
    view = np.lib.stride_tricks.sliding_window_view
    return np.moveaxis(view(pixels, (height, width), axis=(0, 1)), 2, -1), view(counts, (height, width))


def truth(method, image, mask, templ, templ_mask, mode, border, least):
    pixels, counts = windows(image, mask, templ, mode, border)
    both = counts & templ_mask
    n = both.sum((2, 3))
    if method == "coverage":
        return (n / np.float64(templ_mask.sum())).astype(np.float32)
    w = both[..., None].astype(np.int64)
    T = templ.astype(np.int64)
    axes = (2, 3)
    S, Q, X = (w * pixels).sum(axes), (w * pixels * pixels).sum(axes), (w * pixels * T).sum(axes)
    sumT, sumT2 = (w * T).sum(axes), (w * T * T).sum(axes)
    m = n[..., None]
    num, var, templ_var = (m * X - S * sumT).sum(-1), (m * Q - S * S).sum(-1), (m * sumT2 - sumT * sumT).sum(-1)
    X, Q, sumT2 = X.sum(-1), Q.sum(-1), sumT2.sum(-1)
    d = Q - 2 * X + sumT2
    with np.errstate(divide="ignore", invalid="ignore"):
        f = {"ccoeff_normed": lambda: np.where((var > 0) & (templ_var > 0), num / (np.sqrt(var) * np.sqrt(templ_var)), 0.0),
             "ccoeff": lambda: num / n, "ccorr": lambda: X.astype(np.float64),
             "ccorr_normed": lambda: np.where((Q > 0) & (sumT2 > 0), X / (np.sqrt(Q) * np.sqrt(sumT2)), 0.0),
             "sqdiff": lambda: d.astype(np.float64),
             "sqdiff_normed": lambda: np.where((Q > 0) & (sumT2 > 0), d / (np.sqrt(Q) * np.sqrt(sumT2)), np.where(d == 0, 0.0, 1.0))}
        scores = f[method]().astype(np.float32)
    scores[(n < least) | (n == 0)] = np.nan
    return scores


def same_bits(ours, theirs):
    nan = np.isnan(theirs)
    return ours.shape == theirs.shape and np.array_equal(np.isnan(ours), nan) and ours[~nan].tobytes() == theirs[~nan].tobytes()


for dtype in (np.uint8, np.uint16, np.int8, np.int16):
    limits = np.iinfo(dtype)
    for channels in (1, 3):
        for width, height in SIZES:
            image = rng.integers(limits.min, limits.max + 1, (23, 29, channels)).astype(dtype)
            image[5:15, 8:20] = 7  # flat windows, and one pixel off flat
            image[9, 13, 0] = 8
            templ = rng.integers(limits.min, limits.max + 1, (height, width, channels)).astype(dtype)
            holes, templ_holes = rng.random((23, 29)) < 0.8, rng.random((height, width)) < 0.7
            whole, templ_whole = np.ones_like(holes), np.ones_like(templ_holes)
            for mask, templ_mask in ((whole, templ_whole), (whole, templ_holes), (holes, templ_whole), (holes, templ_holes)):
                for mode in library.MODES:
                    for border in library.BORDERS if mode != "valid" else ("clamp",):
                        for method in library.METHODS:
                            theirs = truth(method, image, mask, templ, templ_mask, mode, border, np.ceil(0.4 * templ_mask.sum() - 1e-9))
                            ours = exactncc.map(image if channels > 1 else image[..., 0], templ if channels > 1 else templ[..., 0], method,
                                                 mode=mode, border=border, min_valid=0.4, mask=None if mask.all() else mask,
                                                 templ_mask=None if templ_mask.all() else templ_mask)
                            report.holds(same_bits(ours, theirs), "%s, %d channels, %dx%d, %s, %s, %s, masked %d %d" % (
                                np.dtype(dtype).name, channels, width, height, mode, border, method, mask is holes, templ_mask is templ_holes))


def check_refined(image, templ):
    """Checks the refined position against the peak of refine.h's surface through nine scores, the
    middle one being the best score of the map, and not at its edge."""
    scores = exactncc.map(image, templ).astype(np.float64)
    y, x = np.unravel_index(scores.argmax(), scores.shape)
    (a, b, c), (d, e, f), (g, h, i) = scores[y - 1:y + 2, x - 1:x + 2]
    slope, bend = np.array([f - d, h - b]) / 2, np.array([[f - 2 * e + d, (i - g - c + a) / 4], [(i - g - c + a) / 4, h - 2 * e + b]])
    offset = -np.linalg.solve(bend, slope)
    found = exactncc.refine(image, templ, int(x), int(y))
    report.holds(np.linalg.det(bend) > 0 and np.abs(offset).max() <= 1 and np.allclose(found[:2], (x, y) + offset, rtol=0, atol=1e-9),
                 "refined to %r, where the surface has its peak at %r" % (found[:2], (x, y) + offset))


for turn in range(20):
    smooth = np.kron(rng.random((9, 9)), np.ones((5, 5)))
    for axis in (0, 1, 0, 1):
        smooth = (np.roll(smooth, 1, axis) + smooth + np.roll(smooth, -1, axis)) / 3
    blurred = np.rint(200 * smooth).astype(np.uint8)
    moved = np.rint(100 * smooth + 100 * np.roll(smooth, 1, turn % 2)).astype(np.uint8)  # by half a pixel
    check_refined(moved, np.ascontiguousarray(blurred[12:27, 14:30]))

print("numpy", np.__version__)
report.finish()
