#!/usr/bin/env python3
"""The table and the plot of docs/subpixel.md: the errors of cm_refine over shifts that are known.

    subpixel_error.py LIBRARY PLOT.png PICTURE.tif...

LIBRARY is libcorrmatch.so (cmake -DBUILD_SHARED_LIBS=ON); pictures are 8- or 16-bit grey. Needs numpy, matplotlib and tifffile.
"""
import ctypes as C
import os
import sys

import numpy as np
import tifffile

SHIFTS, SIDE, MARGIN, REACH = 1000, 40, 16, 8  # REACH: pixels that are searched around the truth
i32 = C.c_int32


class Image(C.Structure):
    _fields_ = [('data', C.c_void_p), ('width', i32), ('height', i32), ('pitch', C.c_int64), ('pixel', C.c_int), ('memory', C.c_int)]


class Context(C.Structure):
    _fields_ = [('device', C.c_int), ('index', i32), ('threads', i32), ('memory', C.c_uint64)]


class Options(C.Structure):
    _fields_ = [('method', C.c_int), ('mode', C.c_int), ('border', C.c_int), ('kernel', C.c_char_p), ('top', C.c_size_t),
                ('min_score', C.c_float), ('max_score', C.c_float), ('min_distance', i32)]


class Match(C.Structure):
    _fields_ = [('x', i32), ('y', i32), ('score', C.c_float)]


class Refined(C.Structure):
    _fields_ = [('x', C.c_double), ('y', C.c_double), ('score', C.c_double)]


lib = C.CDLL(sys.argv[1])
context = C.c_void_p()
assert lib.cm_context_create(C.byref(Context(1, 0, 1, 0)), C.byref(context)) == 0


def view(a):
    return Image(a.ctypes.data, a.shape[1], a.shape[0], a.strides[0], 0 if a.dtype == np.uint8 else 1, 0)


def locate(scene, part):
    """The best match of NCC, and its refined position."""
    prepared, match, found, refined = C.c_void_p(), Match(), C.c_size_t(), Refined()
    image, options = view(scene), Options(min_score=-1)
    assert lib.cm_template_create(context, C.byref(view(part)), C.byref(prepared)) == 0
    assert lib.cm_find(context, C.byref(image), prepared, C.byref(options), C.byref(match), C.c_size_t(1), C.byref(found)) == 0
    assert lib.cm_refine(context, C.byref(image), prepared, C.byref(options), C.byref(match), found, C.byref(refined)) == 0
    lib.cm_template_destroy(prepared)
    return match.x, match.y, refined.x, refined.y


def measure(picture, cell):
    """Rows of: true shift, error of the fit, error of the whole pixel, each as x, y. A pixel is the mean of cell x cell of the picture."""
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
            part = np.ascontiguousarray(base[y:y + SIDE, x:x + SIDE])
            if part.std() >= base.std() / 2:
                break
        scene = np.ascontiguousarray(moved[y - REACH:y + SIDE + REACH, x - REACH:x + SIDE + REACH])
        mx, my, rx, ry = np.array(locate(scene, part)) - REACH
        rows.append((dx, dy, rx - dx, ry - dy, mx - dx, my - dy))
    return np.array(rows)


def bias(rows):
    """The mean error along an axis by the true fraction, in twentieths of a pixel, x and y together."""
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
