# SPDX-License-Identifier: BSD-2-Clause
"""check_report.py REPORT.html MATCHES.csv [--scene NAME=TIFF] [--reduced NAME=FACTOR] [--failed NAME] -- WORD...

Checks a report without a browser: that its tags match, that it loads nothing, that only its own script may run, that its rows are those of
the CSV, that names are text, that its pictures are those of uncompressed RGB TIFFs, and that its command is the words. It shares no code
with the program."""

import argparse
import base64
import csv
import hashlib
import html.parser
import shlex
import struct
import sys
import zlib

VOID = {"meta", "img", "br", "input", "link"}
problems = []


def check(condition, text):
    if not condition:
        problems.append(text)


class Report(html.parser.HTMLParser):
    """Collects what the page contains."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack = []
        self.policy = ""
        self.scenes = []
        self.templates = []
        self.failures = []
        self.texts = {"script": "", "style": "", "code": ""}
        self.heads = []

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        check(len(a) == len(attributes), f"<{tag}> has an attribute twice")
        for name, value in attributes:
            check(not name.startswith("on") and name != "style", f"<{tag}> has the attribute {name}")
            if name in ("src", "href", "action", "data", "srcset"):
                check(value.startswith("#") or value.startswith("data:image/png;base64,"), f"<{tag}> loads {value[:60]}")
        check(tag not in ("link", "iframe", "object", "embed", "base"), f"there is a <{tag}>")
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if tag == "section":
            self.section = a.get("class")
        if tag == "section" and a.get("class") == "scene":
            self.scenes.append({"name": a["data-name"], "page": a["data-page"], "rows": [], "paths": {}, "heading": ""})
        if tag == "section" and a.get("class") == "failure":
            self.failures.append({"heading": "", "text": ""})
        if tag == "figure" and a.get("class") == "templ":
            self.templates.append({"text": ""})
        if tag == "img":
            (self.templates[-1] if "figure" in self.stack else self.scenes[-1])["png"] = a["src"]
            if "figure" not in self.stack:
                self.scenes[-1]["size"] = (int(a["width"]), int(a["height"]))
        if tag == "g":
            self.path = a["data-t"]
        if tag == "path":
            self.scenes[-1]["paths"][self.path] = a["d"]
        if tag == "tr" and "tbody" in self.stack:
            self.scenes[-1]["rows"].append({"t": a["data-t"], "crop": a.get("data-crop"), "cells": []})
        if tag == "td":
            self.scenes[-1]["rows"][-1]["cells"].append("")
        if tag == "th" and len(self.scenes) == 1:
            self.heads.append("")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.stack and self.stack[-1] == tag:
            self.stack.pop()
        else:
            problems.append(f"</{tag}> ends nothing at {self.getpos()}")

    def handle_data(self, data):
        top = self.stack[-1] if self.stack else ""
        if top in self.texts:
            self.texts[top] += data
        if "td" in self.stack:
            self.scenes[-1]["rows"][-1]["cells"][-1] += data
        elif "th" in self.stack and len(self.scenes) == 1:
            self.heads[-1] += data
        elif top == "bdi" and "h2" in self.stack:
            (self.failures if self.section == "failure" else self.scenes)[-1]["heading"] += data
        elif "figcaption" in self.stack and top == "bdi":
            self.templates[-1]["text"] += data


def decode_png(uri):
    """(width, height, channels, rows of bytes) of an 8-bit PNG."""
    data = base64.b64decode(uri.removeprefix("data:image/png;base64,"), validate=True)
    check(data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG")
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        check(zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0], "a broken PNG")
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
            check(bits == 8, "not 8 bits")
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    n = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    raw, rows, last = zlib.decompress(packed), [], bytes(width * n)
    for y in range(height):
        start = y * (width * n + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + width * n])
        for i in range(len(line)):
            a = line[i - n] if i >= n else 0
            b, c = last[i], last[i - n] if i >= n else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        rows.append(bytes(line))
        last = line
    return width, height, n, rows


def read_tiff(path):
    """(width, height, rows of RGB bytes) of an uncompressed RGB TIFF."""
    with open(path, "rb") as file:
        data = file.read()
    start, = struct.unpack("<I", data[4:8])
    tags = {}
    for i in range(struct.unpack("<H", data[start:start + 2])[0]):
        tag, kind, count, value = struct.unpack("<HHII", data[start + 2 + 12 * i:start + 14 + 12 * i])
        size = {3: 2, 4: 4}.get(kind)
        if size and count * size > 4:
            value = struct.unpack(f"<{count}{'H' if size == 2 else 'I'}", data[value:value + size * count])
        elif size == 2 and count == 1:
            value &= 0xffff
        tags[tag] = value
    strips, counts = ((v,) if isinstance(v, int) else v for v in (tags[273], tags[279]))
    pixels = b"".join(data[s:s + c] for s, c in zip(strips, counts))
    width, height = tags[256], tags[257]
    return width, height, [pixels[y * width * 3:(y + 1) * width * 3] for y in range(height)]


def means(rows, width, height, factor):
    """The means of squares of pixels, from rows of grey as RGB."""
    result = []
    for y in range(0, height, factor):
        line = []
        for x in range(0, width, factor):
            block = [row[3 * i] for row in rows[y:y + factor] for i in range(x, min(x + factor, width))]
            line.append((sum(block) + len(block) // 2) // len(block))
        result.append(bytes(line))
    return result


def check_picture(scene, tiff, factor):
    width, height, n, rows = decode_png(scene["png"])
    want_width, want_height, want = read_tiff(tiff)
    check(scene["size"] == (want_width, want_height), f"{scene['name']}: shown as {scene['size']}")
    if n == 1:
        check(rows == means(want, want_width, want_height, factor), f"{scene['name']}: its pixels differ")
    else:
        check(rows == want and factor == 1, f"{scene['name']}: its colours differ")
    for row in scene["rows"]:
        check((row["crop"] is not None) == (factor > 1), f"{scene['name']}: a crop too many or too few")
        if row["crop"]:
            x, y, w, h = (int(v) for v in row["cells"][2:6])
            crop = decode_png(row["crop"])
            inside = [line[3 * max(x, 0):3 * (x + w)][::3] for line in want[max(y, 0):y + h]]
            check(w > 128 or h > 128 or crop[3] == inside, f"match {row['cells'][0]}: its crop differs")


def check_rows(report, expected):
    """The rows in their order, and a frame for each."""
    got = [(scene, row) for scene in report.scenes for row in scene["rows"]]
    check(len(got) == len(expected), f"{len(got)} rows, {len(expected)} in the CSV")
    for number, ((scene, row), want) in enumerate(zip(got, expected), 1):
        cells = dict(zip(report.heads, row["cells"]))
        check(len(row["cells"]) == len(report.heads), f"row {number}: {len(row['cells'])} cells")
        check(cells.pop("#") == str(number), f"row {number}: has another number")
        check((scene["name"], scene["page"]) == (want["image"], want["page"]), f"row {number}: is in {scene['name']}")
        for name, value in cells.items():
            if name in want and name not in ("template",):
                check(value == want[name] or (value and float(value) == float(want[name])), f"row {number}: {name} is {value}, not {want[name]}")
        check(cells["template"] == want["template"], f"row {number}: template {cells['template']!r}")
        check(report.templates[int(row["t"])]["text"] == want["template"], f"row {number}: has the colour of another template")
        centre = [float(want[a]) + (float(want[b]) - 1) / 2 for a, b in (("x", "width"), ("y", "height"))]
        check([float(cells["center_x"]), float(cells["center_y"])] == centre, f"row {number}: its centre")
    for scene in report.scenes:
        for t in {row["t"] for row in scene["rows"]}:
            want = "".join("M{2} {3}h{4}v{5}h-{4}z".format(*row["cells"]) for row in scene["rows"] if row["t"] == t)
            check(scene["paths"].get(t) == want, f"{scene['name']}: frames of template {t}")


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    words = sys.argv[sys.argv.index("--") + 1:]
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("csv")
    parser.add_argument("--scene", action="append", default=[])
    parser.add_argument("--reduced", type=int, default=1)
    parser.add_argument("--failed", action="append", default=[])
    options = parser.parse_args(sys.argv[1:sys.argv.index("--")])
    report = Report()
    with open(options.report, encoding="utf-8") as file:
        report.feed(file.read())
    report.close()
    check(not report.stack, f"not ended: {report.stack}")
    check(report.policy.startswith("default-src 'none';"), "the page may load something")
    check("script-src " + digest(report.texts["script"]) in report.policy, "another script may run, or its own may not")
    check("style-src " + digest(report.texts["style"]) in report.policy, "the style may not be used")
    check(shlex.split(report.texts["code"]) == ["exactncc", *words], f"the command is {report.texts['code']}")
    with open(options.csv, encoding="utf-8", newline="") as file:
        check_rows(report, list(csv.DictReader(file)))
    for scene in report.scenes:
        check(scene["heading"] == scene["name"], f"the heading is {scene['heading']!r}")
    for pair in options.scene:
        name, tiff = pair.rsplit("=", 1)
        found = [s for s in report.scenes if s["name"] == name]
        check(found, f"no scene {name}")
        for scene in found[:1]:
            check_picture(scene, tiff, options.reduced)
    check([f["heading"] for f in report.failures] == options.failed, f"failed: {report.failures}")
    for template in report.templates:
        decode_png(template["png"])
    for text in problems[:20]:
        print(text)
    return bool(problems)


sys.exit(main())
