# SPDX-License-Identifier: BSD-2-Clause
"""Checks masked matching on real pictures. 30 percent of the template are masked, and there are holes in
about 10 percent of the scene and of the true window. The true place must be found, and its score must
be the exact one, which is computed here in integers. If noise leaves so little of a template (HARD)
that another place has a larger exact score, that place must be found, and the test says so. The
pixels of the scene that count are given in three ways: by a mask, by a no-data value, or by both.

The environment variable EXACTNCC_REAL_DATA or REAL_DATA names the folder of the pictures. Without
them the test is skipped.

Usage: real_masked.py cpu|cuda, to use the library on that device, and the tool if it was built."""
import os
import random
import struct
import subprocess
import sys
import tempfile

import exact
import library

# Unmasked scores below this mean that the template drowns in noise.
HARD = 0.6


class Picture:
    """A little-endian, uncompressed TIFF with one channel of 8 or 16 bits, or pixels to write as one."""

    def __init__(self, width, height, bits, pixels):
        self.width, self.height, self.bits, self.pixels = width, height, bits, pixels

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            data = file.read()
        at, = struct.unpack_from("<I", data, 4)
        tags = {}
        for i in range(struct.unpack_from("<H", data, at)[0]):
            tag, kind, count, value = struct.unpack_from("<HHI4s", data, at + 2 + 12 * i)
            form = {3: "H", 4: "I"}.get(kind)
            if form:
                size = struct.calcsize("<%d%s" % (count, form))
                tags[tag] = struct.unpack_from("<%d%s" % (count, form), value if size <= 4 else data,
                                               0 if size <= 4 else struct.unpack("<I", value)[0])
        if data[:4] != b"II*\0" or tags.get(259, (1,)) != (1,) or tags.get(277, (1,)) != (1,) or tags[258][0] not in (8, 16):
            raise ValueError("%s is not a TIFF that this test reads" % path)
        raw = b"".join(data[start:start + size] for start, size in zip(tags[273], tags[279]))
        width, height, bits = tags[256][0], tags[257][0], tags[258][0]
        return cls(width, height, bits, list(struct.unpack("<%d%s" % (width * height, "B" if bits == 8 else "H"), raw)))

    def raw(self):
        return struct.pack("<%d%s" % (len(self.pixels), "B" if self.bits == 8 else "H"), *self.pixels)

    def write(self, path):
        tags = [(256, 4, self.width), (257, 4, self.height), (258, 3, self.bits), (259, 3, 1), (262, 3, 1), (273, 4, 8 + 2 + 8 * 12 + 4 + 12),
                (278, 4, self.height), (279, 4, len(self.pixels) * self.bits // 8)]
        with open(path, "wb") as file:
            file.write(b"II*\0" + struct.pack("<IH", 8, len(tags)))
            for tag, kind, value in tags:
                file.write(struct.pack("<HHII", tag, kind, 1, value))
            file.write(bytes(16) + self.raw())

    def rows(self):
        return [self.pixels[y * self.width:(y + 1) * self.width] for y in range(self.height)]


def template_mask(width, height, rng):
    """70 percent of the pixels count. Those that do not are a triangle in a corner, a bar, and random
    pixels."""
    counts = [int(x + y >= (width + height) // 5 and not width // 2 <= x < width // 2 + width // 12) for y in range(height)
              for x in range(width)]
    left = [i for i, c in enumerate(counts) if c]
    for i in rng.sample(left, len(left) - round(0.7 * width * height)):
        counts[i] = 0
    return counts


def holes(width, height, window, rng):
    """Masks out rectangles until a tenth of the window (x, y, width, height) and a tenth of the scene do not
    count."""
    counts = [1] * (width * height)

    def punch(x0, y0, x1, y1, limit):
        out = 0
        while out < limit:
            w, h = rng.randint(1, max(1, (x1 - x0) // 6)), rng.randint(1, max(1, (y1 - y0) // 6))
            x, y = rng.randint(x0, x1 - w), rng.randint(y0, y1 - h)
            for v in range(y, y + h):
                for u in range(x, x + w):
                    if counts[v * width + u] and out < limit:
                        counts[v * width + u] = 0
                        out += 1

    x, y, w, h = window
    punch(x, y, x + w, y + h, w * h // 10)
    # the rest of the scene; the window, which has its tenth already, is restored
    keep = [counts[v * width + x:v * width + x + w] for v in range(y, y + h)]
    punch(0, 0, width, height, width * height // 10)
    for i, row in enumerate(keep):
        counts[(y + i) * width + x:(y + i) * width + x + w] = row
    return counts


class Case:
    """A row of expected.csv with masks: the matcher's input, and which pixels really count."""

    def __init__(self, scene, templ, place, way, rng):
        self.scene, self.templ = scene, templ
        self.templ_mask = template_mask(templ.width, templ.height, rng)
        counts = holes(scene.width, scene.height, (*place, templ.width, templ.height), rng)
        self.mask, self.no_data = None, None
        pixels = list(scene.pixels)
        if way != "no-data":
            self.mask = counts
            for i, c in enumerate(counts):  # pixels that do not count may hold anything
                if not c:
                    pixels[i] = rng.randrange(1 << scene.bits)
        if way != "mask":
            # a value that is rare in the pictures; pixels that have it by nature do not count either
            self.no_data = 0 if scene.bits == 8 else 65535
            if way == "no-data":
                pixels = [p if c else self.no_data for p, c in zip(pixels, counts)]
        self.scene = Picture(scene.width, scene.height, scene.bits, pixels)
        self.templ_counts = [int(c and p != self.no_data) for c, p in zip(self.templ_mask, templ.pixels)]
        self.counts = [int(c and p != self.no_data) for c, p in zip(counts if self.mask else [1] * len(pixels), pixels)]

    def counted(self):
        return Picture(self.scene.width, self.scene.height, 8, self.counts).rows()

    def truth(self, x, y):
        return exact.window_score("ccoeff_normed", self.scene.rows(), self.templ.rows(), x, y, self.counted(),
                                  Picture(self.templ.width, self.templ.height, 8, self.templ_counts).rows())

    def by_library(self, exactncc):
        pixel = "uint%d" % self.scene.bits
        keep = self.scene.raw(), self.templ.raw(), bytes(self.mask) if self.mask else None, bytes(self.templ_mask)
        scene = library.View.of_bytes(keep[0], self.scene.width, self.scene.height, pixel, keep[2], self.no_data)
        templ = library.View.of_bytes(keep[1], self.templ.width, self.templ.height, pixel, keep[3], self.no_data)
        return exactncc.find_views(scene, templ)[0]

    def by_tool(self, tool, device):
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name + ".tif")
            self.scene.write(path("scene"))
            self.templ.write(path("part"))
            Picture(self.templ.width, self.templ.height, 8, [255 * c for c in self.templ_mask]).write(path("templ_mask"))
            command = [tool, "find", "--device", device, "--top", "1", "--format", "csv", "--mask", path("templ_mask")]
            if self.mask:
                Picture(self.scene.width, self.scene.height, 8, [255 * c for c in self.mask]).write(path("mask"))
                command += ["--image-mask", path("mask")]
            if self.no_data is not None:
                command += ["--no-data", str(self.no_data)]
            out = subprocess.run(command + [path("scene"), path("part")], capture_output=True, text=True)
        if out.returncode != 0:
            raise RuntimeError("status %d: %s" % (out.returncode, out.stderr.strip()))
        names, values = (line.split(",") for line in out.stdout.splitlines()[:2])
        row = dict(zip(names, values))
        return int(row["x"]), int(row["y"]), exact.to_float(float(row["score"]))


def folder():
    """Returns the folder of the pictures; skips the test if there are none."""
    path = os.environ.get("EXACTNCC_REAL_DATA") or os.environ.get("REAL_DATA", "")
    if not os.path.exists(os.path.join(path, "expected.csv")):
        print("no real pictures here: skipped")
        sys.exit(77)
    return path


def rows(path):
    with open(os.path.join(path, "expected.csv")) as file:
        return [line.strip().split(",") for line in file][1:]


def main():
    device = sys.argv[1]
    path = folder()
    exactncc = library.Library(os.environ["EXACTNCC_BRIDGE"], 1 if device == "cpu" else 2)
    if not exactncc.usable():
        print("no %s device here: skipped" % device)
        sys.exit(77)
    tool = os.environ.get("EXACTNCC")
    report = library.Report()
    right = 0
    rng = random.Random(30)
    for row in rows(path):
        scene, templ = (Picture.read(os.path.join(path, name)) for name in row[:2])
        place = int(row[7]), int(row[8])
        for way in ("mask", "no-data", "both"):
            case = Case(scene, templ, place, way, rng)
            true = case.truth(*place)
            what = "%s, %s, %s" % (row[0], row[1], way)
            found = {"the library": case.by_library(exactncc)}
            if tool:
                found["the tool"] = case.by_tool(tool, device)
            for who, (x, y, score) in found.items():
                there = true if (x, y) == place else case.truth(x, y)
                report.holds(score == there, "%s: %s has the score %r, not %r" % (what, who, score, there))
                if (x, y) != place and float(row[9]) < HARD:
                    report.holds(there > true, "%s: %s found (%d, %d), not %r" % (what, who, x, y, place))
                    print("%s: drowned: the exact score at (%d, %d) is %r" % (what, x, y, there))
                    continue
                report.holds((x, y) == place, "%s: %s found (%d, %d) with %r, not %r" % (what, who, x, y, score, place))
                right += 1
            out = 1 - sum(case.counts) / len(case.counts)
            print("%s: %r at %r, %.0f %% of the template masked, %.0f %% of the scene without data; %s" % (
                what, true, place, 100 - 100 * sum(case.templ_mask) / len(case.templ_mask), 100 * out, " and ".join(found)))
    print("%d times the right place" % right)
    report.finish()


if __name__ == "__main__":
    main()
