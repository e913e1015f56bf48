# SPDX-License-Identifier: BSD-2-Clause
"""Compares NCC with scikit-image where that is right: match_template, with and without pad_input, and
the masked normalized cross-correlation of its registration (Padfield 2012). scikit-image works in
double, so the difference is our one rounding to float, 2^-25, plus a small allowance for its
transforms. Below the least overlap its maps of masked windows hold 0 where ours hold NaN, and that is
checked, too."""
import numpy as np
import scipy.signal
import skimage
from skimage.feature import match_template
from skimage.registration._masked_phase_cross_correlation import cross_correlate_masked

import library

TOLERANCE = 4e-8
PADDINGS = {"constant": "zero", "edge": "clamp", "reflect": "mirror", "wrap": "wrap"}
exactncc = library.open_cpu()
report = library.Report()
rng = np.random.default_rng(6)

for dtype, top in ((np.uint8, 256), (np.uint16, 65536), (np.int8, 128), (np.int16, 32768), (np.uint32, 2 ** 32), (np.float64, 0)):
    low = -top if np.dtype(dtype).kind == "i" else 0
    for width, height in ((5, 5), (21, 17), (20, 16), (48, 64)):
        image = (rng.random((130, 170)) if top == 0 else rng.integers(low, top, (130, 170))).astype(dtype)
        templ = image[40:40 + height, 60:60 + width].copy()
        what = "%s %dx%d" % (np.dtype(dtype).name, width, height)
        report.close(what, exactncc.map(image, templ), match_template(image, templ), TOLERANCE)
        for padding, border in PADDINGS.items():
            report.close("%s, pad_input, %s" % (what, padding), exactncc.map(image, templ, mode="same", border=border),
                         match_template(image, templ, pad_input=True, mode=padding), TOLERANCE)

compared = 0
for dtype, top in ((np.uint8, 256), (np.uint16, 65536), (np.float64, 0)):
    for width, height in ((9, 9), (20, 16), (41, 33)):
        image = (rng.random((70, 90)) if top == 0 else rng.integers(0, top, (70, 90))).astype(dtype)
        templ = image[30:30 + height, 40:40 + width].copy()
        for keep_image, keep_templ in ((1.0, 1.0), (0.9, 0.7), (0.6, 0.5)):
            mask, templ_mask = rng.random(image.shape) < keep_image, rng.random(templ.shape) < keep_templ
            for mode in ("full", "same"):
                # its least overlap is a fraction of the map's largest overlap, ours of the template's pixels
                # that count
                n = np.rint(exactncc.map(image, templ, "coverage", mode=mode, border="overlap", mask=mask, templ_mask=templ_mask) *
                            np.float64(templ_mask.sum()))
                theirs = cross_correlate_masked(image, templ, mask, templ_mask, mode=mode, axes=(0, 1), overlap_ratio=0.3)
                enough = n >= 0.3 * n.max()
                ours = exactncc.map(image, templ, mode=mode, border="overlap", mask=mask, templ_mask=templ_mask,
                                     min_valid=float(np.min(n[enough]) - 0.5) / templ_mask.sum())
                what = "masked, %s %dx%d, %s, %g of the image, %g of the template" % (np.dtype(dtype).name, width, height, mode,
                                                                                     keep_image, keep_templ)
                report.holds(bool(np.array_equal(enough, ~np.isnan(ours))), what + ": NaN exactly where too few pixels count")
                report.holds(not theirs[~enough].any(), what + ": scikit-image has 0 there")
                report.close(what, np.where(enough, ours, 0.0), theirs, TOLERANCE)
                compared += int(enough.sum())

# Plain products of integers, as scipy computes them: every bit is the same.
for dtype in (np.uint8, np.int8, np.uint16, np.int16):
    limits = np.iinfo(dtype)
    image = rng.integers(limits.min, limits.max + 1, (60, 80)).astype(dtype)
    templ = rng.integers(limits.min, limits.max + 1, (11, 15)).astype(dtype)
    for mode in ("valid", "full"):
        for boundary, border in (("fill", "zero"), ("wrap", "wrap")):
            theirs = scipy.signal.correlate2d(image.astype(np.int64), templ.astype(np.int64), mode=mode, boundary=boundary)
            ours = exactncc.map(image, templ, "ccorr", mode=mode, border=border)
            report.holds(ours.tobytes() == theirs.astype(np.float32).tobytes(),
                         "correlate2d, %s, %s, %s: every bit" % (np.dtype(dtype).name, mode, boundary))

print("scikit-image %s, scipy %s; %d masked windows" % (skimage.__version__, scipy.__version__, compared))
report.finish()
