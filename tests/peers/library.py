# SPDX-License-Identifier: BSD-2-Clause
"""exactncc through ctypes: images as arrays in, maps out. Also the report that every comparison prints.
Only View.of_bytes, find_views and Report.holds work without numpy."""
import ctypes
import os
import sys

try:
    import numpy as np
except ImportError:
    np = None

METHODS = ("ccoeff_normed", "ccoeff", "ccorr", "ccorr_normed", "sqdiff", "sqdiff_normed", "coverage")
MODES = ("valid", "same", "full")
BORDERS = ("clamp", "zero", "mirror", "wrap", "overlap")
PIXELS = {"uint8": 0, "uint16": 1, "float32": 2, "int8": 3, "int16": 4, "uint32": 5, "float64": 6}


class View(ctypes.Structure):  # xncc_image
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int32), ("height", ctypes.c_int32), ("pitch", ctypes.c_int64),
                ("pixel", ctypes.c_int), ("memory", ctypes.c_int), ("channels", ctypes.c_int32), ("mask", ctypes.c_void_p),
                ("mask_pitch", ctypes.c_int64), ("has_no_data", ctypes.c_int32), ("no_data", ctypes.c_double)]

    @classmethod
    def of_bytes(cls, data, width, height, pixel, mask=None, no_data=None):
        """Returns a view of tightly packed rows in a bytes object, which must outlive the view."""
        view = cls(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value, width, height, 0, PIXELS[pixel], 0, 1)
        if mask is not None:
            view.mask = ctypes.cast(ctypes.c_char_p(mask), ctypes.c_void_p).value
        if no_data is not None:
            view.has_no_data, view.no_data = 1, no_data
        return view


class Map(ctypes.Structure):  # xncc_map
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int32), ("height", ctypes.c_int32), ("pitch", ctypes.c_int64),
                ("memory", ctypes.c_int)]


class Options(ctypes.Structure):  # kit_options (tests/kit/short.h)
    _fields_ = [("method", ctypes.c_int), ("mode", ctypes.c_int), ("border", ctypes.c_int), ("flat", ctypes.c_int),
                ("min_valid", ctypes.c_double), ("kernel", ctypes.c_char_p)]


class FindOptions(ctypes.Structure):  # kit_find_options
    _fields_ = [("method", ctypes.c_int), ("mode", ctypes.c_int), ("border", ctypes.c_int), ("min_valid", ctypes.c_double),
                ("kernel", ctypes.c_char_p), ("top", ctypes.c_size_t), ("min_score", ctypes.c_float),
                ("max_score", ctypes.c_float), ("min_distance", ctypes.c_int32)]


class Match(ctypes.Structure):  # xncc_match
    _fields_ = [("x", ctypes.c_int32), ("y", ctypes.c_int32), ("score", ctypes.c_float)]


class Refined(ctypes.Structure):  # xncc_refined
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double), ("score", ctypes.c_double)]


class Library:
    """A context of the library; device: 1 the CPU, 2 the CUDA device."""

    def __init__(self, path, device=1):
        self.bridge = ctypes.CDLL(path)
        sizes = [ctypes.c_size_t() for _ in range(4)]
        self.bridge.bridge_sizes.restype = ctypes.c_size_t
        match = self.bridge.bridge_sizes(*(ctypes.byref(s) for s in sizes))
        mirrored = (View, Options, FindOptions, Refined, Match)
        if [s.value for s in sizes] + [match] != [ctypes.sizeof(s) for s in mirrored]:
            raise AssertionError("library.py does not mirror image.h, refine.h and kit/short.h")
        self.bridge.bridge_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.status = self.bridge.bridge_open(device, ctypes.byref(self.context))

    def usable(self):
        return self.status == 0

    def check(self, status):
        if status != 0:
            text = self.bridge.bridge_error().decode()
            raise RuntimeError("exactncc, status %d: %s" % (status, text))

    @staticmethod
    def view(pixels, mask=None, no_data=None):
        """Returns a view, and the arrays that must stay alive as long as the view."""
        pixels = np.ascontiguousarray(pixels)
        channels = 1 if pixels.ndim == 2 else pixels.shape[2]
        view = View(pixels.ctypes.data, pixels.shape[1], pixels.shape[0], 0, PIXELS[pixels.dtype.name], 0, channels)
        if mask is not None:
            mask = np.ascontiguousarray(mask != 0).astype(np.uint8)
            assert mask.shape == pixels.shape[:2]
            view.mask = mask.ctypes.data
        if no_data is not None:
            view.has_no_data, view.no_data = 1, no_data
        return view, (pixels, mask)

    def map(self, image, templ, method="ccoeff_normed", mode="valid", border="clamp", mask=None, templ_mask=None, no_data=None,
            min_valid=0.0, kernel=None, nan_flat=False):
        scene, keep_scene = self.view(image, mask, no_data)
        templ_view, keep_templ = self.view(templ, templ_mask)
        extent = (ctypes.c_int32 * 4)()
        self.check(self.bridge.bridge_extent(MODES.index(mode), (ctypes.c_int32 * 2)(scene.width, scene.height),
                                             (ctypes.c_int32 * 2)(templ_view.width, templ_view.height), extent))
        scores = np.full((extent[1], extent[0]), 12345.0, np.float32)
        options = Options(METHODS.index(method), MODES.index(mode), BORDERS.index(border), int(nan_flat), min_valid,
                          kernel.encode() if kernel else None)
        out = Map(scores.ctypes.data, extent[0], extent[1], 0, 0)
        self.check(self.bridge.bridge_correlate(self.context, ctypes.byref(scene), ctypes.byref(templ_view), ctypes.byref(options),
                                                ctypes.byref(out)))
        return scores

    def find(self, image, templ, method="ccoeff_normed", top=1, mask=None, templ_mask=None, no_data=None, min_valid=0.0):
        """Returns the matches, best first, as (x, y, score)."""
        scene, keep_scene = self.view(image, mask, no_data)
        templ_view, keep_templ = self.view(templ, templ_mask)
        return self.find_views(scene, templ_view, method, top, min_valid)

    def find_views(self, scene, templ_view, method="ccoeff_normed", top=1, min_valid=0.0):
        options = FindOptions(METHODS.index(method), 0, 0, min_valid, None, top, -float("inf"), 0.0, 0)
        matches = (Match * top)()
        count = ctypes.c_size_t(top)
        self.check(self.bridge.bridge_find(self.context, ctypes.byref(scene), ctypes.byref(templ_view), ctypes.byref(options), matches,
                                           ctypes.byref(count)))
        return [(m.x, m.y, m.score) for m in matches[:count.value]]

    def refine(self, image, templ, x, y):
        """Returns the sub-pixel position of a ccoeff_normed match, and the score there."""
        scene, keep_scene = self.view(image)
        templ_view, keep_templ = self.view(templ)
        match, refined = Match(x, y, 0.0), Refined()
        self.check(self.bridge.bridge_refine(self.context, ctypes.byref(scene), ctypes.byref(templ_view), None, ctypes.byref(match),
                                             ctypes.c_size_t(1), ctypes.byref(refined)))
        return refined.x, refined.y, refined.score


class Report:
    """Counts checks, prints failures, and ends the test."""

    def __init__(self):
        self.checks = self.failures = 0

    def holds(self, condition, what):
        self.checks += 1
        if not condition:
            self.failures += 1
            print("FAIL", what, flush=True)
        return condition

    def close(self, what, ours, theirs, tolerance):
        """Checks that two maps differ by at most the tolerance, and are NaN at the same places."""
        same = ours.shape == theirs.shape and bool(np.array_equal(np.isnan(ours), np.isnan(theirs)))
        worst = float(np.nanmax(np.abs(ours.astype(np.float64) - theirs))) if same and not np.isnan(ours).all() else float("nan")
        self.holds(same and worst <= tolerance, "%s: differs by %g, allowed %g" % (what, worst, tolerance))
        return worst

    def finish(self):
        print("%d checks, %d failures" % (self.checks, self.failures))
        sys.exit(1 if self.failures else 0)


def open_cpu():
    """Opens the library's CPU engine through the bridge that CTest names."""
    library = Library(os.environ["EXACTNCC_BRIDGE"], 1)
    library.check(library.status)
    return library
