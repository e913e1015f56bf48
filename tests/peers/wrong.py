# SPDX-License-Identifier: BSD-2-Clause
"""Shows where peers are wrong: the exact score from Python's integers and fractions (exact.py), our score,
and the peer's.

Our score must be the exact score rounded once to float at every place that is checked (for float
images: within 2e-7). The peer's score is printed. A peer that is right (a newer version may be) is
reported as such, and nothing fails. docs/features.md shows the rows."""
import warnings
from fractions import Fraction

import cv2
import numpy as np
import skimage
from skimage.feature import match_template
from skimage.registration._masked_phase_cross_correlation import cross_correlate_masked

import exact
import library

CV = {"sqdiff": cv2.TM_SQDIFF, "sqdiff_normed": cv2.TM_SQDIFF_NORMED, "ccorr": cv2.TM_CCORR, "ccorr_normed": cv2.TM_CCORR_NORMED,
      "ccoeff": cv2.TM_CCOEFF, "ccoeff_normed": cv2.TM_CCOEFF_NORMED}
ENOUGH = 2e-6  # a peer that computes in float is right if it is this close (relative for methods not normed)
warnings.simplefilter("ignore")
exactncc = library.open_cpu()
report = library.Report()
rng = np.random.default_rng(8)
wrong = 0


def opencv(image, templ, method, mask=None):
    """Returns OpenCV's map. OpenCV takes only 8 bits and floats, so other types are converted to floats
    (all values are integers below 2^24)."""
    if image.dtype != np.uint8:
        image, templ, mask = (None if a is None else a.astype(np.float32) for a in (image, templ, mask))
    return cv2.matchTemplate(image, templ, CV[method], **({} if mask is None else {"mask": mask}))


def worst_place(ours, theirs):
    """Returns where a peer differs most from ours. A NaN or an infinity counts as the largest difference."""
    difference = np.abs(ours.astype(np.float64) - theirs)
    difference[np.isnan(theirs)] = np.inf
    return np.unravel_index(np.argmax(difference), difference.shape)


def truth(method, image, templ, x, y, templ_mask):
    height, width = templ.shape[:2]
    window = image[y:y + height, x:x + width].tolist()
    templ = templ.tolist()
    if image.dtype.kind == "f":
        window, templ = ([[Fraction(v) for v in row] for row in rows] for rows in (window, templ))
    return exact.window_score(method, window, templ, 0, 0, templ_mask=templ_mask)


def ours_holds(what, method, image, templ, ours, x, y, templ_mask):
    """Checks that our score at a place is the exact one, and returns that."""
    true, mine = truth(method, image, templ, x, y, templ_mask), float(ours[y, x])
    report.holds(mine == true,
                 "%s: ours at (%d, %d) is %r, the truth %r" % (what, x, y, mine, true))
    return true


def show(what, peer, method, image, templ, ours, theirs, templ_mask=None, at=None):
    """Prints a row for the given place, or for the place where the peer differs most, and checks ours there."""
    global wrong
    y, x = worst_place(ours, theirs) if at is None else at
    true = ours_holds(what, method, image, templ, ours, int(x), int(y), templ_mask)
    mine, other = float(ours[y, x]), float(theirs[y, x])
    for _ in range(5):  # and at random places
        v, u = (int(rng.integers(0, extent)) for extent in ours.shape)
        ours_holds(what, method, image, templ, ours, u, v, templ_mask)
    scale = 1.0 if method.endswith("normed") else max(abs(true), 1.0)
    right = abs(other - true) <= ENOUGH * scale
    wrong += not right
    bad = int(np.count_nonzero(~(np.abs(ours.astype(np.float64) - theirs) <= 1e-3 * scale)))
    print("| %s | %s | %s | %.9g | %.9g | %.9g | %d of %d |%s" % (what, method, peer, true, mine, other, bad, ours.size,
                                                             " right" if right else ""))


def noise(low, high, shape, dtype):
    return rng.integers(low, high, shape).astype(dtype)


OCV = "OpenCV " + cv2.__version__
SKI = "scikit-image " + skimage.__version__
print("| case | method | peer | exact | ours | theirs | theirs off by more than 0.001 |")

# A flat template has no correlation (opencv 5688)
image = noise(0, 256, (120, 150), np.uint8)
templ = np.full((16, 16), 64, np.uint8)
show("flat template (opencv 5688)", OCV, "ccoeff_normed", image, templ, exactncc.map(image, templ), opencv(image, templ, "ccoeff_normed"))
show("flat template", SKI, "ccoeff_normed", image, templ, exactncc.map(image, templ), match_template(image, templ))
colours = noise(0, 256, (60, 70, 3), np.uint8)
templ = np.tile(np.array([10, 200, 90], np.uint8), (9, 9, 1))
show("flat RGB template", OCV, "ccoeff_normed", colours, templ, exactncc.map(colours, templ), opencv(colours, templ, "ccoeff_normed"))

# Templates that are flat under their mask (opencv 20557, 23257)
templ = noise(0, 256, (16, 16), np.uint8)
templ[8:] = 77
mask = np.zeros((16, 16), np.uint8)
mask[8:] = 1
show("template flat under its mask (opencv 20557, 23257)", OCV, "ccoeff_normed", image, templ,
     exactncc.map(image, templ, templ_mask=mask, min_valid=1e-9), opencv(image, templ, "ccoeff_normed", mask), mask)

# Windows that are flat, or flat except for one pixel, in an image that has both
for value, side in ((100, 52), (255, 100)):
    image = noise(0, 256, (400, 400), np.uint8)
    image[100:300, 100:300] = value
    templ = noise(0, 256, (side, side), np.uint8)
    mask = (rng.random(templ.shape) > 0.3).astype(np.uint8)
    ours = exactncc.map(image, templ, templ_mask=mask)
    show("flat window under a mask, all %d (opencv 23257, 20557)" % value, OCV, "ccoeff_normed", image, templ, ours,
         opencv(image, templ, "ccoeff_normed", mask), mask, at=(100, 100))
    image[200, 200] -= 1
    ours = exactncc.map(image, templ)
    near = (slice(101, 200),) * 2 if side == 100 else (slice(149, 200),) * 2
    local = image[near[0].start:near[0].stop + side - 1, near[1].start:near[1].stop + side - 1]
    what = "one pixel off flat, %dx%d" % (side, side)
    show(what, OCV, "ccoeff_normed", local, templ, ours[near], opencv(image, templ, "ccoeff_normed")[near])
    show(what, SKI, "ccoeff_normed", local, templ, ours[near], match_template(image, templ)[near])
    ours = exactncc.map(image, templ, templ_mask=mask)
    show(what + ", masked", OCV, "ccoeff_normed", local, templ, ours[near], opencv(image, templ, "ccoeff_normed", mask)[near], mask)

# A copy of the template scores exactly 1
image = noise(200, 256, (300, 400), np.uint8)
low = 1.0, None
for _ in range(20):
    side = int(rng.integers(8, 129))
    y, x = int(rng.integers(0, 300 - side)), int(rng.integers(0, 400 - side))
    templ = image[y:y + side, x:x + side].copy()
    ours, theirs = exactncc.map(image, templ), opencv(image, templ, "ccoeff_normed")
    report.holds(float(ours[y, x]) == 1.0, "a copy scores %r" % float(ours[y, x]))
    if theirs[y, x] <= low[0]:
        low = float(theirs[y, x]), (templ, ours, theirs, (y, x))
show("an exact copy, the worst of 20", OCV, "ccoeff_normed", image, *low[1][:3], at=low[1][3])

# 16 bits: low contrast on a large offset
for offset in (30000, 65000):
    image = noise(offset, offset + 200, (300, 400), np.uint16)
    templ = image[30:62, 40:72].copy()
    ours = exactncc.map(image, templ)
    what = "16 bits, %d + (0..199), 32x32" % offset
    show(what + ", as float32", OCV, "ccoeff_normed", image, templ, ours, opencv(image, templ, "ccoeff_normed"))
    show(what, SKI, "ccoeff_normed", image, templ, ours, match_template(image, templ))
    show(what + ", as float32 (skimage 1712)", SKI, "ccoeff_normed", image, templ, ours,
         match_template(image.astype(np.float32), templ.astype(np.float32)))
    mask = (rng.random(templ.shape) > 0.3).astype(np.uint8)
    ours = exactncc.map(image, templ, templ_mask=mask)
    show(what + ", masked, as float32", OCV, "ccoeff_normed", image, templ, ours, opencv(image, templ, "ccoeff_normed", mask),
         mask)
    everywhere = np.ones(image.shape, bool)
    for dtype in (np.float64, np.float32):
        theirs = cross_correlate_masked(image.astype(dtype), templ.astype(dtype), everywhere, mask.astype(bool), axes=(0, 1),
                                        overlap_ratio=0.3)[31:-31, 31:-31]
        show("%s, masked registration, as %s" % (what, np.dtype(dtype).name), SKI, "ccoeff_normed", image, templ, ours, theirs, mask)

# Floats: low contrast on a large offset
image = (rng.random((200, 300)) + 4096).astype(np.float32)
templ = image[30:62, 40:72].copy()
ours = exactncc.map(image, templ)
show("float32, 4096 + (0 .. 1), 32x32", OCV, "ccoeff_normed", image, templ, ours, opencv(image, templ, "ccoeff_normed"))
show("float32, 4096 + (0 .. 1), 32x32 (skimage 1712)", SKI, "ccoeff_normed", image, templ, ours, match_template(image, templ))

# One NaN pixel: it does not affect the scores of windows that do not contain it
image = rng.random((120, 150)).astype(np.float32)
templ = image[10:22, 10:25].copy()
with_nan = image.copy()
with_nan[100, 120] = np.nan
touched = np.zeros((109, 136), bool)
touched[100 - 11:100 + 1, 120 - 14:120 + 1] = True
ours = exactncc.map(with_nan, templ)
report.holds(bool(np.array_equal(np.isnan(ours), touched)), "a NaN is in the scores of its windows and of no others")
ours = np.where(touched, exactncc.map(image, templ), ours)  # the windows that contain it are not compared
for peer, theirs in ((OCV, opencv(with_nan, templ, "ccoeff_normed")), (SKI, match_template(with_nan, templ))):
    show("windows without the image's one NaN", peer, "ccoeff_normed", image, templ, ours, np.where(touched, ours, theirs))

# A mask over dark pixels (opencv 15768)
image = noise(0, 256, (80, 90), np.uint8)
image[20:60, 20:70] = 0
templ = noise(0, 256, (12, 12), np.uint8)
mask = (rng.random(templ.shape) > 0.3).astype(np.uint8)
show("black windows under a mask (opencv 15768, opencvsharp 1669)", OCV, "ccorr_normed", image, templ,
     exactncc.map(image, templ, "ccorr_normed", templ_mask=mask), opencv(image, templ, "ccorr_normed", mask), mask)

# 32 bits: 128-bit products
image = noise(4294000000, 4294000200, (120, 150), np.uint32)
templ = image[30:62, 40:72].copy()
show("32 bits, 4294000000 + (0..199), 32x32", SKI, "ccoeff_normed", image, templ, exactncc.map(image, templ), match_template(image, templ))

# Sums beyond 2^24
image, templ = np.full((100, 100), 255, np.uint8), np.full((25, 25), 255, np.uint8)
show("255 on 255 (opencv 21786)", OCV, "sqdiff", image, templ, exactncc.map(image, templ, "sqdiff"), opencv(image, templ, "sqdiff"))
image = noise(250, 256, (300, 400), np.uint8)
templ = image[30:158, 40:168].copy()
for method in ("sqdiff", "ccoeff", "ccorr"):
    show("bright, 128x128", OCV, method, image, templ, exactncc.map(image, templ, method), opencv(image, templ, method))
image, templ = noise(0, 20, (60, 70), np.uint8), noise(200, 256, (9, 9), np.uint8)
show("bright on dark (opencv 15215)", OCV, "sqdiff_normed", image, templ, exactncc.map(image, templ, "sqdiff_normed"),
     opencv(image, templ, "sqdiff_normed"))

# The map of a crop is the crop of the map
image = noise(60000, 60200, (400, 500), np.uint16)
templ = image[200:216, 300:316].copy()
crop = image[150:260, 250:380]
inside = (slice(150, 150 + 95), slice(250, 250 + 115))
for name, function, pixels, pattern in (("ours", exactncc.map, image, templ),
                                       (OCV, lambda a, b: opencv(a, b, "ccoeff_normed"), image, templ),
                                       (SKI + ", float32", match_template, image.astype(np.float32), templ.astype(np.float32))):
    moved = float(np.max(np.abs(function(pixels, pattern)[inside] - function(pixels[150:260, 250:380], pattern))))
    print("cropping the image moves scores by up to %.9g: %s" % (moved, name))
    if name == "ours":
        report.holds(moved == 0.0, "ours is moved by a crop")

print("%d rows with a peer that is wrong there" % wrong)
report.finish()
