#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Times tracking beside loops over OpenCV and scikit-image, and OpenPIV: the same chips, one run.

    track_speed.py [--chips 100000] [--rounds 3] [--threads 0] [--chip 32] [--search 16] [--pixel u8]

By default chips of 32 x 32 in windows of 64 x 64 (33 x 33 positions), 8 bits; --pixel u16 and f32 give the pixels 16 bits
or fractions. OpenCV, which takes no 16 bits, gets floats then. The loops over OpenCV and
scikit-image are in Python, over slices of the arrays, with the best position of each map; they run
over a part of the chips, and their times are per chip. Prints Markdown: the median time per chip, the
median processor time of all threads per chip, which depends less on what else runs, and how many whole-pixel displacements differ where the two best scores of the other library differ
by more than its error. A library that is not installed is left out.
"""

import argparse
import statistics
import time

import numpy as np

import exactncc

CHIP, SEARCH = 32, 16
SIDE = 2048


def images(pixel):
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 1, (SIDE, SIDE))
    smooth = np.fft.ifft2(np.fft.fft2(noise) * np.exp(-((np.fft.fftfreq(SIDE)[:, None] ** 2 + np.fft.fftfreq(SIDE) ** 2) * 40)))
    first = np.clip(128 + 40 * smooth.real / smooth.real.std() + rng.normal(0, 3, smooth.shape), 0, 255).astype(np.uint8)
    second = np.roll(first, (3, -5), axis=(0, 1)).astype(np.int16) + rng.integers(-12, 13, first.shape)
    second = np.clip(second, 0, 255).astype(np.uint8)
    if pixel == "u8":
        return first, second
    deep = [257.0 * image + rng.integers(-128, 129, image.shape) for image in (first, second)]
    return [np.clip(image, 0, 65535).astype(np.uint16) if pixel == "u16" else (image / 65535).astype(np.float32) for image in deep]


def centres(count):
    room = SIDE - CHIP - 2 * SEARCH
    across = int(np.ceil(np.sqrt(count)))
    places = np.floor(np.arange(across) * room / across) + SEARCH + (CHIP - 1) / 2
    return np.stack([np.tile(places, across), np.repeat(places, across)], axis=1)[:count]


def corners(points):
    return (points - (CHIP - 1) / 2).astype(int).tolist()


def by_opencv(cv2, first, second, points):
    found = []
    if first.dtype == np.uint16:
        first, second = first.astype(np.float32), second.astype(np.float32)
    for x, y in corners(points):
        scores = cv2.matchTemplate(
            second[y - SEARCH : y + CHIP + SEARCH, x - SEARCH : x + CHIP + SEARCH], first[y : y + CHIP, x : x + CHIP], cv2.TM_CCOEFF_NORMED
        )
        found.append(cv2.minMaxLoc(scores)[3])
    return np.array(found) - SEARCH


def by_skimage(match_template, first, second, points):
    found = []
    for x, y in corners(points):
        scores = match_template(second[y - SEARCH : y + CHIP + SEARCH, x - SEARCH : x + CHIP + SEARCH], first[y : y + CHIP, x : x + CHIP])
        found.append(np.unravel_index(np.argmax(scores), scores.shape)[::-1])
    return np.array(found) - SEARCH


def clear(first, second, points, error=1e-4):
    """Whether the two best scores of each chip differ by more than the other library's error."""
    sure = []
    for x, y in corners(points):
        scores = exactncc.correlate(second[y - SEARCH : y + CHIP + SEARCH, x - SEARCH : x + CHIP + SEARCH], first[y : y + CHIP, x : x + CHIP])
        best = np.partition(scores.ravel(), -2)[-2:]
        sure.append(best[1] - best[0] > error)
    return np.array(sure)


def main():
    global CHIP, SEARCH
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chips", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--chip", type=int, default=CHIP)
    parser.add_argument("--search", type=int, default=SEARCH)
    parser.add_argument("--pixel", choices=["u8", "u16", "f32"], default="u8")
    given = parser.parse_args()
    CHIP, SEARCH = given.chip, given.search
    first, second = images(given.pixel)
    points = centres(given.chips)
    few = points[:: max(1, len(points) // 3000)]
    context = exactncc.Context("cpu", threads=given.threads)
    ours = lambda: exactncc.track(first, second, points, chip=CHIP, search=SEARCH, context=context)  # noqa: E731
    runs = {"exactncc": (ours, len(points))}
    try:
        import cv2

        cv2.setNumThreads(given.threads or cv2.getNumberOfCPUs())
        runs[f"OpenCV {cv2.__version__}"] = (lambda: by_opencv(cv2, first, second, few), len(few))
    except ImportError:
        print("OpenCV is not installed")
    try:
        from skimage.feature import match_template

        runs["scikit-image"] = (lambda: by_skimage(match_template, first, second, few[::4]), len(few[::4]))
    except ImportError:
        print("scikit-image is not installed")
    try:
        from openpiv import pyprocess

        part = first[:1024, :1024].astype(np.int32), second[:1024, :1024].astype(np.int32)
        piv = lambda: pyprocess.extended_search_area_piv(  # noqa: E731
            *part, window_size=CHIP, overlap=CHIP + 2 * SEARCH - 16, search_area_size=CHIP + 2 * SEARCH, normalized_correlation=True)[0]  # fmt: skip
        runs["OpenPIV"] = (piv, piv().size)
    except ImportError:
        print("OpenPIV is not installed")
    times, work, results = {name: [] for name in runs}, {name: [] for name in runs}, {}
    for _ in range(given.rounds):
        for name, (run, count) in runs.items():
            start, begun = time.perf_counter(), time.process_time()
            results[name] = run()
            times[name].append(1e6 * (time.perf_counter() - start) / count)
            work[name].append(1e6 * (time.process_time() - begun) / count)
    base = statistics.median(times["exactncc"])
    mine = exactncc.track(first, second, few, chip=CHIP, search=SEARCH, context=context)
    sure = clear(first, second, few)
    print("| | us per chip | times exactncc | processor us | different displacements |\n|---|---|---|---|---|")
    for name in runs:
        middle, differ = statistics.median(times[name]), "-"
        if name.startswith(("OpenCV", "scikit")):
            step = 1 if name.startswith("OpenCV") else 4
            wrong = (results[name] != np.stack([mine.whole_dx, mine.whole_dy], axis=1)[::step]).any(axis=1)
            differ = f"{(wrong & sure[::step]).sum()} of {sure[::step].sum()}"
        print(f"| {name} | {middle:.2f} | {middle / base:.1f} | {statistics.median(work[name]):.2f} | {differ} |")


if __name__ == "__main__":
    main()
