# SPDX-License-Identifier: BSD-2-Clause
"""huge.py: find on 100,000 x 100,000 pixels and correlate on 40,000 x 40,000 take less than 1 GB of memory. About three minutes on two
cores, and 8 GB of disk. The environment has EXACTNCC and HELPERS, as for the shell tests.

The tiles of the first picture share the data of a few, so its best matches are known: every place of the tile that the template is in.
"""
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time

tool, helpers = os.environ["EXACTNCC"], os.environ["HELPERS"]
LIMIT = 1_000_000  # KB
SIDE, TILE, DISTINCT = 100_000, 256, 512


def run(*command):
    start = time.monotonic()
    done = subprocess.run([tool, *command], check=True, capture_output=True, text=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{command[0]}: {used.ru_maxrss / 1000:.0f} MB at most, {time.monotonic() - start:.0f} s, processor time so far {used.ru_utime:.0f} s")
    if used.ru_maxrss > LIMIT:
        sys.exit(f"{command[0]} takes {used.ru_maxrss} KB")
    return done.stdout


def make(name, side, distinct):
    subprocess.run([os.path.join(helpers, "make_huge"), name, str(side), str(side), str(TILE), str(distinct)], check=True)


with tempfile.TemporaryDirectory(prefix="exactncc-huge.") as folder:
    os.chdir(folder)
    make("scene.tif", SIDE, DISTINCT)
    x, y = 1000, 2000  # inside of one tile
    across = -(-SIDE // TILE)
    number = (y // TILE * across + x // TILE) % DISTINCT
    places = sorted((t // across * TILE + y % TILE, t % across * TILE + x % TILE) for t in range(number, across * across, DISTINCT))
    places = [(py, px) for py, px in places if px + 32 <= SIDE and py + 32 <= SIDE]
    out = run("find", "--device", "cpu", "--max-memory", "600M", "--format", "csv", "--quiet", "--min-score", "0.99", "--top", "100000",
              "scene.tif", f"scene.tif@{x},{y},32,32")
    found = [(int(row["y"]), int(row["x"])) for row in csv.DictReader(out.splitlines())]
    if found != places:
        sys.exit(f"{len(found)} matches instead of {len(places)}")
    make("scene.tif", 40_000, 0)
    run("correlate", "--device", "cpu", "--max-memory", "600M", "--quiet", "scene.tif", "scene.tif@1000,2000,64,64", "-o", "map.tif")
    size = os.path.getsize("map.tif")
    if size < 4 * 39_937 * 39_937:
        sys.exit(f"the map has {size} bytes")
print("done")
