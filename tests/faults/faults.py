# SPDX-License-Identifier: BSD-2-Clause
"""Commands of the tool, each with one call after the other failing: memory, threads, opening, reading, writing, closing and renaming; with
--device cuda the calls of CUDA, on a device that is pretended.

    faults.py [--most N] [--lasting] [--only KIND] [--device cuda] TOOL DATA

TOOL is faulty_tool (faulty.c), or faulty_cuda_tool for --device cuda. A command that a failure ends must exit with status 1 and a message
on stderr, and leave neither an output nor a temporary file. A command that survives it must give what it gives without it. It must not
crash, hang or leak (leaks are seen where the address sanitizer is; objects of CUDA are counted). At the end the command works as before.
--most takes at most so many failures per command and kind, evenly spread; without it all. --lasting lets all calls from the Nth on fail, as
well.
"""
import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ALL_KINDS = ["memory", "thread", "open", "read", "write", "close", "rename", "cuda"]

# The name, the arguments, and the outputs. {d}: the folder of the scenes, {w}: the folder of the run.
COMMANDS = [
    ("find", "find --format csv {d}/cells.tif {d}/cells-template.tif", []),
    ("find to files", "find -q --subpixel --format json -o {w}/out.json --overlay {w}/over.png --heatmap {w}/heat.tif --report {w}/page.html "
     "{w}/small.png {w}/templ.tif", ["out.json", "over.png", "heat.tif", "page.html"]),
    ("find several", "find -q --format jsonl --merge iou:0.5 -t {w}/templ.tif -t {w}/templ2.npy {w}/small.png {w}/small.pgm", []),
    ("find in a list", "find -q --page all --format csv -t {w}/templ.tif @{w}/list.txt", []),
    ("find poses", "find -q --angles -4:4 --format csv {w}/small.tif {w}/templ.tif", []),
    ("find in bands", "find -q --max-memory 700K --format csv {d}/board.tif {w}/templ.tif", []),
    ("find from standard input", "find -q --format csv - {w}/templ.tif", []),
    ("correlate", "correlate -q {w}/small.tif {w}/templ.tif -o {w}/map.tif --coverage {w}/cover.npy", ["map.tif", "cover.npy"]),
    ("correlate to standard output", "correlate -q {w}/small.tif {w}/templ.tif -o -", []),
    ("correlate in bands", "correlate -q --max-memory 700K --resume {d}/board.tif {w}/templ.tif -o {w}/map.tif", ["map.tif"]),
    ("correlate pages", "correlate -q --strict --page all {w}/pages.tif {w}/templ.tif -o {w}/maps.tif", ["maps.tif"]),
    ("convolve", "convolve -q --filter {w}/filter.txt {w}/small.png -o {w}/out.png", ["out.png"]),
    ("track", "track -q --chip 16 --points {w}/points.csv {d}/flow-1.tif {d}/flow-2.tif -o {w}/tracks.csv --vectors {w}/arrows.png",
     ["tracks.csv", "arrows.png"]),
    ("a shard", "find -q --format csv --shard 1/2 -t {w}/templ.tif {w}/small.tif {w}/small.png -o {w}/part.csv", []),
    ("join", "join -q {w}/whole.csv.1-of-2 {w}/whole.csv.2-of-2", ["whole.csv"]),
    ("a manifest", "find -q --format csv --strict --manifest {w}/manifest.csv -o {w}/all.csv", ["all.csv"]),
    ("info", "info", []),
    ("help", "find --help", []),
]

# What no device of CUDA does.
NOT_CUDA = ["track", "join", "help"]


class Runner:
    def __init__(self, tool, data, work, device):
        self.tool, self.data, self.work, self.device = tool, data, work, device
        self.environment = dict(os.environ, LC_ALL="C", ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1", UBSAN_OPTIONS="print_stacktrace=1")

    def run(self, command, place, fault=None, counts=None):
        """Runs it on the files in `place`; returns status, stdout, stderr and the files that are there afterwards."""
        environment = dict(self.environment)
        command += "" if command in ("info", "find --help") or command.startswith("join") else f" --device {self.device}"
        if fault:
            environment["EXACTNCC_FAULT"] = fault
        if counts:
            environment["EXACTNCC_FAULTS"] = str(counts)
        words = command.format(d=self.data, w=place).split()
        with open(place / "small.tif", "rb") as stdin:
            done = subprocess.run([self.tool, *words], stdin=stdin, capture_output=True, env=environment, timeout=120)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace"), files_in(place)


def files_in(place):
    return {path.name: path.read_bytes() for path in place.iterdir()}


def fresh(place, files):
    """Empties the folder but for these files."""
    for path in place.iterdir():
        if path.name not in files or path.read_bytes() != files[path.name]:
            path.unlink()
    for name, content in files.items():
        if not (place / name).exists():
            (place / name).write_bytes(content)


def make_inputs(runner, place):
    """Small pictures, made by the tool itself."""
    data = runner.data

    def made(words):
        words += " --device cpu"
        done = subprocess.run([runner.tool, *words.format(d=data, w=place).split()], capture_output=True, env=runner.environment)
        assert done.returncode == 0, (words, done.stderr)

    (place / "one.txt").write_text("1\n")
    (place / "filter.txt").write_text("# a filter\n0 1 0\n1 2 1\n0 1 0\n")
    made("convolve -q --filter {w}/one.txt {d}/stars.tif -o {w}/wide.npy")
    raw = (place / "wide.npy").read_bytes()[128:]
    head = (place / "wide.npy").read_bytes()[:128].decode("latin-1")
    height, width = (int(part) for part in head.split("'shape': (")[1].split(")")[0].split(","))
    values = struct.unpack(f"<{width * height}f", raw)

    def crop(x, y, w, h):
        return [[min(255, int(values[(y + j) * width + x + i])) for i in range(w)] for j in range(h)]

    def pgm(name, rows):
        (place / name).write_bytes(b"P5 %d %d 255\n" % (len(rows[0]), len(rows)) + bytes(v for row in rows for v in row))

    pgm("small.pgm", crop(10, 20, 90, 70))
    pgm("templ.pgm", crop(40, 40, 12, 10))
    pgm("templ2.pgm", crop(60, 50, 9, 11))
    (place / "small.tif").write_bytes(tiff([crop(10, 20, 90, 70)]))
    (place / "templ.tif").write_bytes(tiff([crop(40, 40, 12, 10)]))
    (place / "pages.tif").write_bytes(tiff([crop(10, 20, 50, 40), crop(30, 30, 50, 40)]))
    made("convolve -q --filter {w}/one.txt {w}/small.tif -o {w}/small.png")
    made("convolve -q --filter {w}/one.txt {w}/templ2.pgm -o {w}/templ2.npy")
    (place / "list.txt").write_text(f"{place}/small.tif\n{place}/pages.tif\n")
    (place / "points.csv").write_text("x,y\n" + "".join(f"{30 + 17 * (i % 5)},{35 + 13 * (i // 5)}\n" for i in range(15)))
    (place / "manifest.csv").write_text(f"image,templates,options\n{place}/small.tif,{place}/templ.tif,\n{place}/small.png,{place}/templ.tif,--top 3\n")
    for name in ["one.txt", "wide.npy"]:
        (place / name).unlink()


def tiff(pages):
    """Pages of 8 bits, uncompressed."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for rows in pages:
        at = len(out)
        out += bytes(v for row in rows for v in row)
        out += b"\0" * (len(out) % 2)
        struct.pack_into("<I", out, link, len(out))
        tags = [(256, 4, len(rows[0])), (257, 4, len(rows)), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, at), (277, 3, 1), (278, 4, len(rows)),
                (279, 4, len(rows) * len(rows[0]))]
        out += struct.pack("<H", len(tags))
        for tag, kind, value in tags:
            out += struct.pack("<HHII", tag, kind, 1, value)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def wrong(name, kind, outputs, first, got, left):
    """What is wrong with a run under a fault; None: nothing. left: objects of CUDA that stay without a fault."""
    status, stdout, stderr, files = got
    counts = files.pop("counts", b"")
    if status == 0 and b"met 0" in counts:  # threads came in another order
        return None
    if status == 0 and kind in ("write", "close", "rename"):
        return "status 0 though not all is written"
    if status == 0 and kind == "cuda" and b"lost 0" in counts and name != "info":
        return "status 0 though a call of CUDA failed"
    if status == 1 and kind == "cuda" and not re.search("CUDA|cuFFT", stderr):
        return f"a message that does not speak of CUDA: {stderr}"
    if kind == "cuda" and int(counts.split()[-1]) > left:
        return f"{counts.split()[-1].decode()} objects of CUDA are not freed"
    if status not in (0, 1):
        return f"status {status}: {stderr[:2000]}"
    if "Sanitizer" in stderr or "runtime error" in stderr:
        return f"a sanitizer: {stderr[:3000]}"
    temporary = [f for f in files if f.endswith(".tmp")]
    if temporary:
        return f"left behind: {temporary}"
    if status == 1 and not re.search(r"^exactncc( [a-z]+)?: (?!warning: )", stderr, re.MULTILINE):
        return f"status 1 without a message: '{stderr}'"
    if status == 0 and stdout != first[1] and name != "info":
        return f"status 0 and another output: {stdout[-300:]!r} in place of {first[1][-300:]!r}"
    for output in outputs:
        there = files.get(output)
        if status == 0 and there != first[3][output]:
            return f"status 0, but {output} is " + ("missing" if there is None else "different")
        if status == 1 and there is not None and there != first[3][output]:
            rest = re.search("; the rest is done", stderr) and set(there.splitlines()) <= set(first[3][output].splitlines())
            if not rest:
                return f"{output} is half-written"
    return None


def exhaust(runner, place, most, kinds, lasting, command):
    name, words, outputs = command
    files = files_in(place)
    counts = place / "counts"
    first = runner.run(words, place, counts=counts)
    if first[0] != 0:
        return [f"{name}: status {first[0]} without a fault: {first[2]}"], 0, {}
    number = {line.split()[0]: int(line.split()[1]) for line in counts.read_text().splitlines()}
    left = number.get("left", 0)
    problems, tried, ended = [], 0, 0
    for kind in kinds:
        count = number[kind]
        chosen = range(1, count + 1) if most == 0 or count <= most else sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})
        for nth in chosen:
            for suffix in ["", "+"] if lasting else [""]:
                fresh(place, files)
                fault = f"{kind}:{nth}{suffix}"
                try:
                    got = runner.run(words, place, fault, counts)
                except subprocess.TimeoutExpired:
                    problems.append(f"{name}, {fault}: it hangs")
                    continue
                tried += b"met 0" not in got[3].get("counts", b"")
                ended += got[0] != 0
                what = wrong(name, kind, outputs, first, got, left)
                if what:
                    problems.append(f"{name}, {fault}: {what}")
    fresh(place, files)
    again = runner.run(words, place)
    if again[0] != 0 or (again[1] != first[1] and name != "info"):
        problems.append(f"{name}: afterwards it gives another result")
    fresh(place, files)
    print(f"{name}: {tried} faults, {ended} of them end it; calls: " + ", ".join(f"{k} {number[k]}" for k in kinds if number[k]), flush=True)
    return problems, tried, number


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--lasting", action="store_true")
    parser.add_argument("--only", choices=ALL_KINDS)
    parser.add_argument("--command")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("tool")
    parser.add_argument("data", type=pathlib.Path)
    o = parser.parse_args()
    if os.environ.get("EXACTNCC_TEST_SHORT") and o.most:
        o.most = max(4, o.most // 3)
    with tempfile.TemporaryDirectory(prefix="exactncc-faults.") as folder:
        work = pathlib.Path(folder)
        runner = Runner(o.tool, o.data.resolve(), work, o.device)
        make_inputs(runner, work)
        problems, tried, points = [], 0, 0
        kinds = [o.only] if o.only else ["cuda"] if o.device == "cuda" else ALL_KINDS[:-1]
        for command in COMMANDS:
            if (o.command and command[0] != o.command) or (o.device == "cuda" and command[0] in NOT_CUDA):
                continue
            if command[0] == "join":
                make_parts(runner, work)
            found, count, number = exhaust(runner, work, o.most, kinds, o.lasting, command)
            problems += found
            tried += count
            points += sum(number[kind] for kind in kinds)
    for problem in problems:
        print("FAIL", problem)
    print(f"{points} calls that can fail, {tried} faults, {len(problems)} problems")
    return 1 if problems or tried < 50 else 0


def make_parts(runner, work):
    for part in (1, 2):
        words = f"find -q --format csv --shard {part}/2 -t {work}/templ.tif {work}/small.tif {work}/small.png -o {work}/whole.csv"
        done = subprocess.run([runner.tool, *words.split()], capture_output=True, env=runner.environment)
        assert done.returncode == 0, done.stderr


if __name__ == "__main__":
    sys.exit(main())
