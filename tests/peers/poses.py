# SPDX-License-Identifier: BSD-2-Clause
"""Measures find_poses on scenes with known poses, against the exhaustive search and beside other packages.

    python tests/peers/poses.py [--pictures FOLDER ...] [--scenes N] [--size WxH] [--side WxH] [--scales A:B] [--conditions LIST]
                                [--min-score S] [--exhaustive] [--map] [--peers N] [--threads N] [--seed N] [--require RECALL]
    python tests/peers/poses.py --objects LIST [--pictures FOLDER ...] [--size WxH] [--side WxH] [--threads N] [--seed N]
    python tests/peers/poses.py --write FOLDER

A template is cut from a picture, at a place with contrast in every direction. A scene is another part of the picture, enlarged and
mirrored, with the template pasted at a random pose by bicubic interpolation, and then disturbed as the condition says. The same seed
makes the same scenes. A find is right if it is within 3 pixels, 2 degrees and 5 % of the scale. Pictures are the TIFF files of the
folders (default: data/). --min-score: of find_poses; by default what the library chooses. --exhaustive: also every pose at every
position, and how often only one of the two searches is right. --map: also the time in times of the exact map without rotation. --peers N: other packages on the first N scenes of each condition.

Needs exactncc, numpy and opencv-python-headless; --peers also corrmatch and Multi-Template-Matching. Prints Markdown tables; times are
of the processor, of all threads. With --require, the exit status is 1 if find_poses is right in a smaller part of the scenes that are
clean or have noise alone, or of those where the exhaustive search is, or finds what is not there in more than 1 empty scene of 10.
--objects: for example 1,100: one scene with so many objects per picture, with noise; all are searched in turn, and times are ranges over
pictures. --write makes scene.tif with eight turned and scaled objects, and template.tif, for the picture in docs/poses.md.
"""

import argparse
import pathlib
import statistics
import sys
import time

import cv2
import numpy as np

import exactncc

CONDITIONS = ("clean", "noise", "gradient", "blur", "reversal", "occlusion")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def bicubic(picture, x, y):
    """Samples of a picture at any places, by Catmull-Rom interpolation."""
    ix, iy = np.floor(x).astype(int), np.floor(y).astype(int)
    total = np.zeros(x.shape)
    weights = []
    for f in (x - ix, y - iy):
        f2, f3 = f * f, f * f * f
        weights.append([(-f3 + 2 * f2 - f) / 2, (3 * f3 - 5 * f2 + 2) / 2, (-3 * f3 + 4 * f2 + f) / 2, (f3 - f2) / 2])
    for j in range(4):
        rows = np.clip(iy + j - 1, 0, picture.shape[0] - 1)
        for i in range(4):
            total += weights[0][i] * weights[1][j] * picture[rows, np.clip(ix + i - 1, 0, picture.shape[1] - 1)]
    return total


def choose_template(picture, rng, h, w):
    """A rectangle whose gradients point in every direction."""
    for attempt in range(1000):
        top, left = rng.integers(0, picture.shape[0] - h + 1), rng.integers(0, picture.shape[1] - w + 1)
        part = picture[top : top + h, left : left + w]
        gy, gx = np.gradient(part)
        low, high = np.linalg.eigvalsh([[np.sum(gx * gx), np.sum(gx * gy)], [np.sum(gx * gy), np.sum(gy * gy)]])
        if part.std() >= 15 and low >= 0.2 * high:
            return int(top), int(left)
    return None


def read_pictures(folders, side):
    """The pictures, as floats of 0 .. 255, that have a template."""
    pictures = []
    for file in sorted(file for folder in folders for file in folder.glob("*.tif")):
        picture = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        if picture is None or picture.shape[0] <= 2 * side[1] or picture.shape[1] <= 2 * side[0]:
            continue
        picture = picture.astype(float)
        if choose_template(picture, np.random.default_rng(1), side[1], side[0]):
            pictures.append(picture)
    if not pictures:
        raise SystemExit("no picture is larger than twice the template and has contrast in every direction")
    return pictures


def disturb(image, condition, rng):
    if condition == "blur":
        image = cv2.GaussianBlur(image, (0, 0), 1.5)
    if condition == "gradient":
        h, w = image.shape
        y, x = np.mgrid[:h, :w]
        a = rng.uniform(0, 2 * np.pi)
        image = image * (0.65 + 0.35 * (np.cos(a) * x / w + np.sin(a) * y / h))
    if condition == "reversal":
        image = 255.0 - image
    if condition != "clean":
        image = image + rng.normal(0, 3, image.shape)
    return np.clip(image + 0.5, 0, 255).astype(np.uint8)


def background(picture, rng, size):
    """Another part of a picture, enlarged and mirrored."""
    ox, oy = rng.uniform(0, picture.shape[1]), rng.uniform(0, picture.shape[0])

    def mirrored(start, count, extent):
        at = (start + 1.3 * np.arange(count)) % (2 * extent - 2)
        return np.where(at > extent - 1, 2 * extent - 2 - at, at).astype(int)

    return picture[np.ix_(mirrored(oy, size[1], picture.shape[0]), mirrored(ox, size[0], picture.shape[1]))].astype(float)


def paste(image, picture, place, pose, hidden=False):
    """Pastes a part of a picture at a pose; hidden: 30 percent of it are hidden by what is around the object."""
    (left, top, w, h), (cx, cy, angle, scale) = place, pose
    reach = scale * np.hypot(w, h) / 2 + 2
    x0, y0 = max(int(cx - reach), 0), max(int(cy - reach), 0)
    y, x = np.mgrid[y0 : min(int(cy + reach) + 2, image.shape[0]), x0 : min(int(cx + reach) + 2, image.shape[1])]
    r = np.deg2rad(angle)
    u = (np.cos(r) * (x - cx) - np.sin(r) * (y - cy)) / scale
    v = (np.sin(r) * (x - cx) + np.cos(r) * (y - cy)) / scale
    pasted = bicubic(picture, left + (w - 1) / 2 + u, top + (h - 1) / 2 + v)
    frame = (abs(u) <= w / 2) & (abs(v) <= h / 2)
    if hidden:
        frame &= u > -0.2 * w
    image[y.min() : y.max() + 1, x.min() : x.max() + 1][frame] = pasted[frame]


def make_scene(picture, rng, size, side, scales, condition):
    """Returns image, template and (center_x, center_y, angle, scale)."""
    (width, height), (w, h) = size, side
    top, left = choose_template(picture, rng, h, w)
    angle, scale = rng.uniform(0, 360), rng.uniform(*scales)
    reach = scale * np.hypot(w, h) / 2 + 2
    cx, cy = rng.uniform(reach, width - reach), rng.uniform(reach, height - reach)
    image = background(picture, rng, size)
    paste(image, picture, (left, top, w, h), (cx, cy, angle, scale), condition == "occlusion")
    return disturb(image, condition, rng), picture[top : top + h, left : left + w].astype(np.uint8), (cx, cy, angle, scale)


def ours(search, context, scales, min_score):
    def run(image, template, condition):
        found = exactncc.find_poses(image, template, top=1, search=search, scales=scales, context=context, min_score=min_score,
                                    any_polarity=condition == "reversal")  # fmt: skip
        return [(m.center_x, m.center_y, m.angle, m.scale) for m in found]

    return run


def peer_corrmatch(image, template, condition):
    import corrmatch

    made = corrmatch.Template(template).compile(corrmatch.CompileConfig(max_levels=3))
    config = corrmatch.MatchConfig(rotation="enabled", parallel=False, max_image_levels=3)
    match = made.matcher(config).match_image(image)
    h, w = template.shape
    return [(match.x + (w - 1) / 2, match.y + (h - 1) / 2, -match.angle_deg, 1.0)]


def turned(template, angle):
    """A template turned about its centre in a box that holds it, with its mask."""
    h, w = template.shape
    side = int(np.ceil(np.hypot(w, h)))
    matrix = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), angle, 1.0)
    matrix[0, 2] += (side - w) / 2
    matrix[1, 2] += (side - h) / 2
    mask = cv2.warpAffine(np.full(template.shape, 255, np.uint8), matrix, (side, side), flags=cv2.INTER_NEAREST)
    return cv2.warpAffine(template, matrix, (side, side), flags=cv2.INTER_LINEAR), mask


def peer_opencv(image, template, condition):
    best = (-2.0, None)
    for angle in np.arange(0, 360, 360 / 288):
        pixels, mask = turned(template, angle)
        score = cv2.matchTemplate(image, pixels, cv2.TM_CCOEFF_NORMED, mask=mask.astype(np.float32) / 255)
        score[~np.isfinite(score)] = -1
        _, value, _, (x, y) = cv2.minMaxLoc(score)
        if value > best[0]:
            best = (value, (x + (pixels.shape[1] - 1) / 2, y + (pixels.shape[0] - 1) / 2, angle, 1.0))
    return [best[1]]


def peer_mtm(image, template, condition):
    import MTM

    # The package takes no mask together with a correlation coefficient: it gets the square inside the turned template.
    inner = int(min(template.shape) / np.sqrt(2))
    listed = []
    for angle in np.arange(0, 360, 5):
        pixels, _ = turned(template, angle)
        at = (pixels.shape[0] - inner) // 2
        listed.append((str(angle), pixels[at : at + inner, at : at + inner]))
    hits = MTM.matchTemplates(listed, image, N_object=1, score_threshold=0.3, maxOverlap=0.3)
    if hasattr(hits, "iterrows"):
        hits = [(row["TemplateName"], row["BBox"], row["Score"]) for _, row in hits.iterrows()]
    return [(b[0] + (b[2] - 1) / 2, b[1] + (b[3] - 1) / 2, float(name), 1.0) for name, b, _ in hits[:1]]


def measure(name, run, scenes, condition):
    """Prints a line, and returns for each scene whether the find is right."""
    errors, times, right, wrong = [], [], [], 0
    for image, template, (cx, cy, angle, scale) in scenes:
        begin = time.process_time()
        found = run(image, template, condition)
        times.append(1e3 * (time.process_time() - begin))
        right.append(False)
        if not found:
            continue
        x, y, a, s = found[0]
        error = np.hypot(x - cx, y - cy), abs((a - angle + 180) % 360 - 180), abs(s / scale - 1)
        right[-1] = bool(error[0] < 3 and error[1] < 2 and error[2] < 0.05)
        if right[-1]:
            errors.append(error)
        else:
            wrong += 1
    part = [sorted(e[k] for e in errors) for k in range(3)]
    cell = [f"{statistics.median(p):.{d}f} / {p[int(0.95 * (len(p) - 1))]:.{d}f}" if p else "-" for p, d in zip(part, (3, 3, 5), strict=True)]
    times.sort()
    print(f"| {condition} | {name} | {len(errors)}/{len(scenes)} | {wrong} | {cell[0]} | {cell[1]} | {cell[2]} | "
          f"{statistics.median(times):.1f} / {times[int(0.95 * (len(times) - 1))]:.1f} |", flush=True)  # fmt: skip
    return right


def measure_map(run, context, scenes, condition):
    """Prints the times of searches in times of the exact map of the scene and the template without rotation."""
    ratio = []
    for image, template, _ in scenes:
        took = []
        for call in (lambda: run(image, template, condition), lambda: exactncc.correlate(image, template, context=context)):
            times = []
            for _ in range(3):
                begin = time.process_time()
                call()
                times.append(time.process_time() - begin)
            took.append(statistics.median(times))
        ratio.append(took[0] / took[1])
    ratio.sort()
    print(f"\n{condition}: times of the exact map, {len(ratio)} scenes: median {statistics.median(ratio):.2f}, 95th percentile "
          f"{ratio[int(0.95 * (len(ratio) - 1))]:.2f}, largest {ratio[-1]:.2f}", flush=True)  # fmt: skip


HEAD = ("| condition | search | right | wrong | position, px | angle, degrees | scale | ms |\n"
        "|---|---|---|---|---|---|---|---|")  # fmt: skip


def empty_scenes(pictures, rng, size, side, count):
    """Scenes of one picture, with templates of another."""
    for n in range(count):
        a, b = pictures[n % len(pictures)], pictures[(n + 1) % len(pictures)]
        image, _, _ = make_scene(b, rng, size, side, (1, 1), "noise")
        top, left = choose_template(a, rng, side[1], side[0])
        yield image, a[top : top + side[1], left : left + side[0]].astype(np.uint8)


def scene_of_objects(picture, rng, size, side, count):
    """Returns image, template and the poses of `count` objects in rows and columns."""
    (width, height), (w, h) = size, side
    top, left = choose_template(picture, rng, h, w)
    image = background(picture, rng, size)
    columns = int(np.ceil(np.sqrt(count * width / height)))
    rows = -(-count // columns)
    poses = []
    for n in range(count):
        x, y = (n % columns + 0.5) * width / columns, (n // columns + 0.5) * height / rows
        poses.append((x + rng.uniform(-2, 2), y + rng.uniform(-2, 2), rng.uniform(0, 360), 1.0))
        paste(image, picture, (left, top, w, h), poses[-1])
    return disturb(image, "noise", rng), picture[top : top + h, left : left + w].astype(np.uint8), poses


def measure_objects(pictures, context, size, side, counts, seed):
    """Searches scenes with many objects in turn, and prints a line for each number of them."""
    rounds, ratio, ms = 5, {count: [] for count in counts}, {count: [] for count in counts}
    errors, all_objects, wrong = ({count: [] for count in counts}, *({count: 0 for count in counts} for _ in range(2)))
    for picture in pictures:
        scenes = [scene_of_objects(picture, np.random.default_rng(seed), size, side, count) for count in counts]
        times = np.zeros((rounds, len(counts)))
        for turn in range(rounds):
            for k, (count, (image, template, poses)) in enumerate(zip(counts, scenes, strict=True)):
                begin = time.process_time()
                found = exactncc.find_poses(image, template, top=count, context=context)
                times[turn, k] = 1e3 * (time.process_time() - begin)
                if turn:
                    continue
                at = np.array([(m.center_x, m.center_y, m.angle) for m in found]).reshape(-1, 3)
                all_objects[count] += count
                wrong[count] += len(found)
                for x, y, angle, _ in poses:
                    off = np.hypot(at[:, 0] - x, at[:, 1] - y), abs((at[:, 2] - angle + 180) % 360 - 180)
                    near = np.flatnonzero((off[0] < 3) & (off[1] < 2))
                    if len(near):
                        errors[count].append((off[0][near[0]], off[1][near[0]]))
                        wrong[count] -= 1
        for k, count in enumerate(counts):
            ratio[count].append(np.median(times[:, k] / times[:, 0]))
            ms[count].append(np.median(times[:, k]))
    print("| objects | right | wrong | position, px | angle, degrees | ms | times the first |\n|---|---|---|---|---|---|---|")
    for count in counts:
        position, angle = np.array(errors[count]).T
        print(f"| {count} | {len(position)} of {all_objects[count]} | {wrong[count]} | {np.median(position):.3f} / {np.quantile(position, 0.95):.3f} | "
              f"{np.median(angle):.3f} / {np.quantile(angle, 0.95):.3f} | {min(ms[count]):.1f} .. {max(ms[count]):.1f} | "
              f"{min(ratio[count]):.2f} .. {max(ratio[count]):.2f}, median {np.median(ratio[count]):.2f} |", flush=True)  # fmt: skip


def write_example(folder):
    """A chip of the board, eight times on the cells."""
    board, scene = (cv2.imread(str(ROOT / "data" / name), cv2.IMREAD_GRAYSCALE).astype(float) for name in ("board.tif", "cells.tif"))
    top, left, h, w = 48, 272, 96, 88
    rng = np.random.default_rng(4)
    scene = cv2.resize(scene, (640, 512))
    for n in range(8):
        angle, scale = rng.uniform(0, 360), rng.uniform(0.7, 1.3)
        cx, cy = 90 + 153 * (n % 4) + rng.uniform(-8, 8), 130 + 250 * (n // 4) + rng.uniform(-20, 20)
        y, x = np.mgrid[: scene.shape[0], : scene.shape[1]]
        r = np.deg2rad(angle)
        u = (np.cos(r) * (x - cx) - np.sin(r) * (y - cy)) / scale
        v = (np.sin(r) * (x - cx) + np.cos(r) * (y - cy)) / scale
        frame = (abs(u) <= w / 2) & (abs(v) <= h / 2)
        scene[frame] = bicubic(board, left + (w - 1) / 2 + u[frame], top + (h - 1) / 2 + v[frame])
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / "scene.tif"), disturb(scene, "noise", rng))
    cv2.imwrite(str(folder / "template.tif"), board[top : top + h, left : left + w].astype(np.uint8))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=pathlib.Path, nargs="+", default=[ROOT / "data"])
    parser.add_argument("--scenes", type=int, default=40)
    parser.add_argument("--size", default="512x512")
    parser.add_argument("--side", default="64x64")
    parser.add_argument("--scales", default="1:1")
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--min-score", type=float, default=None)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", type=int, default=0)
    parser.add_argument("--objects", default=None)
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--require", type=float, default=None)
    parser.add_argument("--write", type=pathlib.Path, default=None)
    return parser.parse_args()


def main():
    o = options()
    if o.write:
        write_example(o.write)
        return 0
    size, side = (tuple(int(v) for v in text.split("x")) for text in (o.size, o.side))
    scales = tuple(float(v) for v in o.scales.split(":"))
    pictures = read_pictures(o.pictures, side)
    context = exactncc.Context("cpu", threads=o.threads)
    cv2.setNumThreads(o.threads)
    if o.objects:
        measure_objects(pictures, context, size, side, [int(n) for n in o.objects.split(",")], o.seed)
        return 0
    pyramid = ours("pyramid", context, scales, o.min_score)
    exhaustive = ours("exhaustive", context, scales, o.min_score)
    others = [("exactncc, pyramid", pyramid), ("corrmatch, 3 levels", peer_corrmatch), ("OpenCV, 288 turned templates", peer_opencv),
              ("Multi-Template-Matching, every 5 degrees", peer_mtm)]  # fmt: skip
    good, beside = True, []
    print(f"{o.scenes} scenes of {o.size} per condition, templates {o.side}, {len(pictures)} pictures, seed {o.seed}\n\n{HEAD}")
    for condition in o.conditions.split(","):
        rng = np.random.default_rng(o.seed)
        scenes = [make_scene(pictures[n % len(pictures)], rng, size, side, scales, condition) for n in range(o.scenes)]
        right = measure("pyramid", pyramid, scenes, condition)
        if o.map:
            measure_map(pyramid, context, scenes, condition)
        if o.require is not None and condition in ("clean", "noise"):
            good = good and np.mean(right) >= o.require
        if o.exhaustive:
            every = measure("exhaustive", exhaustive, scenes, condition)
            missed = sum(e and not r for e, r in zip(every, right, strict=True))
            lucky = sum(r and not e for e, r in zip(every, right, strict=True))
            good = good and (o.require is None or missed <= (1 - o.require) * sum(every))
            print(f"| {condition} | only the exhaustive search is right | {missed} | | | | | |")
            print(f"| {condition} | only the pyramid is right | {lucky} | | | | | |", flush=True)
        beside.append((condition, scenes[: o.peers]))
    if o.peers:
        print(f"\nOther packages, the first {o.peers} scenes of each condition\n\n{HEAD}")
        for condition, scenes in beside:
            for name, run in others:
                measure(name, run, scenes, condition)
    found = [len(pyramid(image, template, "noise"))
             for image, template in empty_scenes(pictures, np.random.default_rng(o.seed), size, side, o.scenes)]  # fmt: skip
    print(f"\nscenes without the template: {sum(found)} finds in {len(found)}")
    good = good and (o.require is None or 10 * sum(found) <= len(found))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
