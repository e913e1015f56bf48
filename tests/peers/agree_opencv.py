# SPDX-License-Identifier: BSD-2-Clause
"""Compares all methods with OpenCV's matchTemplate on noise, where OpenCV is right up to float errors
(its sums are floats).

Tolerances. OpenCV computes the products with a discrete Fourier transform in float. Its error is a
few units in the last place of the largest sum, n * max^2. The tolerance is 2e-6 of the largest value
of OpenCV's own map of plain products for the methods that are not normed. It is 1e-5 for the normed
ones, whose denominators (for noise) are near n * max^2.

Normed scores of windows three quarters of which are zeros of the border are not compared, because
OpenCV's floats are not precise enough there. Without a mask, OpenCV clips sqdiff_normed at 1 (its
issue 15215; see wrong.py)."""
import cv2
import numpy as np

import library

CV = {"sqdiff": cv2.TM_SQDIFF, "sqdiff_normed": cv2.TM_SQDIFF_NORMED, "ccorr": cv2.TM_CCORR, "ccorr_normed": cv2.TM_CCORR_NORMED,
      "ccoeff": cv2.TM_CCOEFF, "ccoeff_normed": cv2.TM_CCOEFF_NORMED}
BORDERS = {"clamp": cv2.BORDER_REPLICATE, "zero": cv2.BORDER_CONSTANT, "mirror": cv2.BORDER_REFLECT_101, "wrap": cv2.BORDER_WRAP}
exactncc = library.open_cpu()
report = library.Report()
rng = np.random.default_rng(5)
worst = {}


def agree(what, method, ours, image, templ, mask=None, where=True):
    """Compares our map with OpenCV's map of the given pixels."""
    arguments = {} if mask is None else {"mask": mask}
    theirs = cv2.matchTemplate(image, templ, CV[method], **arguments).astype(np.float64)
    if method == "sqdiff_normed" and mask is None:
        ours = np.minimum(ours, np.float32(1))
    if where is not True and method.endswith("normed"):
        ours, theirs = np.where(where, ours, 0.0), np.where(where, theirs, 0.0)
    scale = 1.0 if method.endswith("normed") else float(np.max(cv2.matchTemplate(image, templ, cv2.TM_CCORR)))
    tolerance = 1e-5 if method.endswith("normed") else 2e-6
    difference = report.close(what + ", " + method, ours / np.float64(scale), theirs / scale, tolerance)
    worst[method] = max(worst.get(method, 0.0), difference)


def noise(height, width, dtype, channels=1):
    shape = (height, width) if channels == 1 else (height, width, channels)
    if np.dtype(dtype).kind == "f":
        return rng.random(shape).astype(dtype)
    # u32: 24 bits, which fit OpenCV's floats. Signed types: no negative values, because the tolerance
    # is relative to the plain products.
    top = 2 ** 24 if dtype == np.uint32 else np.iinfo(dtype).max + 1
    return rng.integers(0, top, shape).astype(dtype)


def as_opencv(pixels):
    """Converts pixels for OpenCV, which takes only 8 bits and float."""
    return pixels if pixels.dtype == np.uint8 else pixels.astype(np.float32)


for dtype in (np.uint8, np.uint16, np.float32, np.int8, np.int16, np.uint32, np.float64):
    for width, height in ((5, 5), (21, 17), (48, 64), (90, 33)):
        image = noise(130, 170, dtype)
        y, x = rng.integers(0, 130 - height), rng.integers(0, 170 - width)
        templ = image[y:y + height, x:x + width].copy()
        mask = (rng.random(templ.shape) > 0.3).astype(np.uint8)
        what = "%s %dx%d" % (np.dtype(dtype).name, width, height)
        cv_mask = mask if dtype == np.uint8 else mask.astype(np.float32)
        for method in CV:
            agree(what, method, exactncc.map(image, templ, method), as_opencv(image), as_opencv(templ))
            agree(what + " masked", method, exactncc.map(image, templ, method, templ_mask=mask, min_valid=1e-9), as_opencv(image),
                  as_opencv(templ), cv_mask)

for channels in (2, 3, 4):
    for dtype in (np.uint8, np.float32):
        image = noise(80, 90, dtype, channels)
        templ = image[30:41, 50:65].copy()
        mask = (rng.random((11, 15)) > 0.3).astype(np.uint8)
        what = "%s, %d channels" % (np.dtype(dtype).name, channels)
        for method in CV:
            agree(what, method, exactncc.map(image, templ, method), image, templ)
            agree(what + " masked", method, exactncc.map(image, templ, method, templ_mask=mask, min_valid=1e-9), image, templ,
                  mask.astype(dtype))

# Modes and borders: OpenCV pads the image with its own border, then computes its valid map.
for width, height in ((9, 7), (12, 10)):
    image = noise(60, 80, np.uint8)
    templ = noise(height, width, np.uint8)
    for mode, left, top in (("same", width // 2, height // 2), ("full", width - 1, height - 1)):
        for border, constant in BORDERS.items():
            padded = cv2.copyMakeBorder(image, top, height - 1 if mode == "full" else height - 1 - top, left,
                                        width - 1 if mode == "full" else width - 1 - left, constant, value=0)
            inside = exactncc.map(image, templ, "coverage", mode=mode, border="overlap")
            for method in CV:
                agree("%s, %s, %dx%d" % (mode, border, width, height), method,
                      exactncc.map(image, templ, method, mode=mode, border=border), padded, templ,
                      where=inside >= 0.25 if border == "zero" else True)

# The best match is where OpenCV's best score is.
for method in CV:
    image = noise(200, 300, np.uint8)
    templ = image[77:77 + 24, 121:121 + 32].copy()
    low, high, low_at, high_at = cv2.minMaxLoc(cv2.matchTemplate(image, templ, CV[method]))
    x, y, score = exactncc.find(image, templ, method)[0]
    report.holds((x, y) == (low_at if method.startswith("sqdiff") else high_at), "find and minMaxLoc, " + method)

print("OpenCV", cv2.__version__, "largest differences:", ", ".join("%s %.1e" % item for item in sorted(worst.items())))
report.finish()
