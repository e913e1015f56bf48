# SPDX-License-Identifier: BSD-2-Clause
"""Measures the errors of tracking on images with known displacements: the tables and the plot of docs/track.md.

    python3 python/bench/track_accuracy.py [--plot docs/track-bias.png]

Needs NumPy and exactncc; OpenPIV, if it is there, is measured on the same images, and matplotlib draws the plot.
"""

import argparse
import contextlib
import io
import math
import pathlib
import sys

import numpy as np

import exactncc

SIZE = 384
CHIP = 32
FITS = ("quadratic", "gaussian", "oversampled")
SHIFTS = np.arange(0, 1.0001, 0.1)


def particles(rng, count):
    return rng.uniform(-20, SIZE + 20, (count, 2)), rng.uniform(60, 200, count)


def draw(places, light, noise, rng):
    """Gaussian particles of 2.5 pixels (1/e^2), integrated over each pixel, on a ground of 20, with noise, in 8 bits."""
    image = np.full((SIZE, SIZE), 20.0)
    sigma = 2.5 / 4
    part = lambda edges: np.diff([math.erf(e / sigma / math.sqrt(2)) for e in edges]) * sigma * math.sqrt(math.pi / 2)  # noqa: E731
    for (px, py), peak in zip(places, light):
        x0, y0 = int(np.floor(px)) - 4, int(np.floor(py)) - 4
        if not (-8 < x0 < SIZE and -8 < y0 < SIZE):
            continue
        xs, ys = np.arange(max(x0, 0), min(x0 + 10, SIZE)), np.arange(max(y0, 0), min(y0 + 10, SIZE))
        across, down = (part(np.append(v, v[-1] + 1) - 0.5 - at) for v, at in ((xs, px), (ys, py)))
        image[np.ix_(ys, xs)] += peak * across[None, :] * down[:, None]
    return np.clip(np.rint(image + rng.normal(0, noise, image.shape)), 0, 255).astype(np.uint8)


def fourier_shift(image, dx, dy):
    """A periodic picture whose content moves by (dx, dy)."""
    fy, fx = np.fft.fftfreq(image.shape[0])[:, None], np.fft.fftfreq(image.shape[1])[None, :]
    return np.fft.ifft2(np.fft.fft2(image) * np.exp(-2j * np.pi * (fx * dx + fy * dy))).real


def pictures():
    """A scene of data/, and two photographs where they are beside the sources."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folders = [root / "data", root.parent / "shared" / "data" / "real"]
    names = (folder / name for folder in folders for name in ("board.tif", "camera.tif", "brick.tif"))
    return [path for path in names if path.exists()]


def picture(path, dx, noise, rng):
    """A picture, shifted by Fourier's theorem, both in 8 bits with noise of their own."""
    import PIL.Image

    image = np.asarray(PIL.Image.open(path)).astype(float)
    image = image * (200.0 / image.max()) + 20
    smooth = fourier_shift(image, 0, 0)
    pair = smooth, fourier_shift(smooth, dx, 0.3 * dx)
    return [np.clip(np.rint(p + rng.normal(0, noise, p.shape)), 0, 255).astype(np.uint8) for p in pair]


def inside(found, margin=40, size=(SIZE, SIZE)):
    return (found.x > margin) & (found.x < size[1] - margin) & (found.y > margin) & (found.y < size[0] - margin)


def errors(found, truth_x, truth_y):
    """Bias and random error of dx; both axes for fields."""
    ex, ey = found.dx - truth_x(found.x, found.y), found.dy - truth_y(found.x, found.y)
    good = np.hypot(ex, ey) < 1
    return np.mean(ex[good]), np.sqrt((np.var(ex[good]) + np.var(ey[good])) / 2), 100.0 * np.mean(~good)


def openpiv(first, second, chip):
    try:
        from openpiv import pyprocess
    except ImportError:
        return None
    u, v, _ = pyprocess.extended_search_area_piv(
        first.astype(np.int32), second.astype(np.int32), window_size=chip, overlap=chip // 2, dt=1, search_area_size=2 * chip,
        correlation_method="linear", subpixel_method="gaussian", sig2noise_method="peak2mean", normalized_correlation=True)  # fmt: skip
    x, y = pyprocess.get_coordinates(image_size=first.shape, search_area_size=2 * chip, overlap=chip // 2, center_on_field=False)
    found = np.rec.fromarrays([x.ravel(), y.ravel(), u.ravel(), v.ravel()], names="x,y,dx,dy")
    return found


def windef(first, second, chip):
    """OpenPIV's window deformation: a pass of windows twice as large, then three of this size, with its default settings."""
    try:
        from openpiv import filters, validation
        from openpiv import windef as piv
    except ImportError:
        return None
    settings = piv.PIVSettings()
    settings.windowsizes, settings.overlap = (2 * chip,) + 3 * (chip,), (chip,) + 3 * (chip // 2,)
    settings.num_iterations, settings.normalized_correlation, settings.show_all_plots = 4, True, False
    pair = first.astype(np.int32), second.astype(np.int32)
    with contextlib.redirect_stdout(io.StringIO()):
        x, y, u, v, noise = piv.first_pass(*pair, settings)
        u, v = np.ma.masked_array(u), np.ma.masked_array(v)
        u, v = filters.replace_outliers(u, v, validation.typical_validation(u, v, noise, settings), method="localmean", max_iter=3, kernel_size=2)
        for i in range(1, settings.num_iterations):
            x, y, u, v = piv.multipass_img_deform(*pair, i, x, y, np.ma.masked_array(u), np.ma.masked_array(v), settings)[:4]
    return np.rec.fromarrays([np.asarray(a, dtype=float).ravel() for a in (x, y, u, v)], names="x,y,dx,dy")


def methods(first, second, chip, search=8):
    result = {fit: exactncc.track(first, second, chip=chip, grid=chip // 2, search=search, fit=fit) for fit in FITS}
    result["gaussian, deformed"] = exactncc.track(first, second, chip=chip, grid=chip // 2, search=search, fit="gaussian", deform=3)
    for name, other in (("OpenPIV", openpiv(first, second, chip)), ("OpenPIV windef", windef(first, second, chip))):
        if other is not None:
            result[name] = other
    return result


def pair_of(rng, move, noise, density=0.05):
    places, light = particles(rng, int(density * (SIZE + 40) ** 2))
    moved = places + np.stack(move(places[:, 0], places[:, 1]), axis=1)
    return draw(places, light, noise, rng), draw(moved, light, noise, rng)


def row(name, first, second, chip, truth_x, truth_y, out, size=(SIZE, SIZE), search=8):
    for method, found in methods(first, second, chip, search).items():
        found = found[inside(found, size=size)]
        bias, random, wrong = errors(found, truth_x, truth_y)
        out.append((name, method, bias, random, wrong))


def table(title, rows):
    names = list(dict.fromkeys(r[0] for r in rows))
    kinds = list(dict.fromkeys(r[1] for r in rows))
    print(f"\n{title}\n\n| | " + " | ".join(kinds) + " |\n|" + "---|" * (len(kinds) + 1))
    for name in names:
        cells = {r[1]: f"{r[2]:+.3f} / {r[3]:.3f}" + (f" ({r[4]:.0f} %)" if r[4] >= 0.5 else "") for r in rows if r[0] == name}
        print(f"| {name} | " + " | ".join(cells[k] for k in kinds) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="the PNG to write")
    plot = parser.parse_args().plot
    rng = np.random.default_rng(20261123)
    curves, rows = [], []
    for shift in SHIFTS:
        first, second = pair_of(rng, lambda x, y: (np.full_like(x, 2 + shift), np.full_like(y, -1 - 0.3 * shift)), 4)
        row(f"{2 + shift:.1f}", first, second, CHIP, lambda x, y: 2 + shift, lambda x, y: -1 - 0.3 * shift, rows)
    table("particles, by displacement", rows)
    curves.append(("particles", rows))
    for path in pictures():
        rows = []
        for shift in SHIFTS:
            first, second = picture(path, 2 + shift, 1.5, rng)
            row(f"{2 + shift:.1f}", first, second, CHIP, lambda x, y: 2 + shift, lambda x, y: 0.6 + 0.3 * shift, rows, first.shape)
        table(path.stem + ", by displacement", rows)
        curves.append((path.stem, rows))
    rows = []
    for chip in (16, 24, 32, 48, 64):
        first, second = pair_of(rng, lambda x, y: (np.full_like(x, 2.3), np.full_like(y, -1.4)), 4)
        row(f"chip {chip}", first, second, chip, lambda x, y: 2.3, lambda x, y: -1.4, rows)
    table("particles, by chip", rows)
    rows = []
    for noise in (0, 4, 10, 20, 40):
        first, second = pair_of(rng, lambda x, y: (np.full_like(x, 2.3), np.full_like(y, -1.4)), noise)
        row(f"noise {noise}", first, second, CHIP, lambda x, y: 2.3, lambda x, y: -1.4, rows)
    table("particles, by noise", rows)
    rows, middle = [], (SIZE - 1) / 2
    fields = {
        "rotated by 1 degree": lambda x, y: (-(y - middle) * np.sin(np.pi / 180) - (x - middle) * (1 - np.cos(np.pi / 180)),
                                             (x - middle) * np.sin(np.pi / 180) - (y - middle) * (1 - np.cos(np.pi / 180))),
        "sheared by 0.02": lambda x, y: (0.02 * (y - middle), 0 * y),
        "stretched by 0.02": lambda x, y: (0.02 * (x - middle), -0.02 * (y - middle)),
        "rotated by 3 degrees": lambda x, y: (-(y - middle) * np.sin(np.pi / 60) - (x - middle) * (1 - np.cos(np.pi / 60)),
                                              (x - middle) * np.sin(np.pi / 60) - (y - middle) * (1 - np.cos(np.pi / 60))),
        "sheared by 0.1": lambda x, y: (0.1 * (y - middle), 0 * y),
        "a wave of 2 px in 128 px": lambda x, y: (2 * np.sin(2 * np.pi * y / 128), 0 * y),
        "a wave of 1 px in 64 px": lambda x, y: (np.sin(2 * np.pi * y / 64), 0 * y),
    }  # fmt: skip
    for name, move in fields.items():
        first, second = pair_of(rng, move, 4)
        row(name, first, second, CHIP, lambda x, y: move(x, y)[0], lambda x, y: move(x, y)[1], rows, search=20)
    table("particles, deformed", rows)
    if plot:
        draw_curves(curves, plot)


def draw_curves(curves, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, len(curves), figsize=(4 * len(curves), 5.4), sharex=True, sharey="row")
    for column, (name, rows) in enumerate(curves):
        for method in dict.fromkeys(r[1] for r in rows):
            mine = [r for r in rows if r[1] == method]
            axes[0, column].plot([float(r[0]) for r in mine], [r[2] for r in mine], marker=".", label=method)
            axes[1, column].plot([float(r[0]) for r in mine], [r[3] for r in mine], marker=".", label=method)
        axes[0, column].set_title(name)
        axes[0, column].axhline(0, color="0.8", zorder=0)
        axes[1, column].set_xlabel("displacement, pixels")
    axes[0, 0].set_ylabel("bias, pixels")
    axes[1, 0].set_ylabel("random error, pixels")
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="lower center", ncols=6)
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    sys.exit(main())
