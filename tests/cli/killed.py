# SPDX-License-Identifier: BSD-2-Clause
"""killed.py SIDE KILLS: correlate --resume is killed again and again until it is done; the map has the bytes of an undisturbed run.

By turns it is killed at a random moment and as soon as its journal has more rows. The environment has EXACTNCC and HELPERS, as for the
shell tests. It goes on until KILLS kills reached the work and one of them left rows that were kept; after 900 s it fails."""
import itertools
import os
import random
import subprocess
import sys
import tempfile
import time

side, kills = int(sys.argv[1]), int(sys.argv[2])
tool, helpers = os.environ["EXACTNCC"], os.environ["HELPERS"]
seed = int(os.environ.get("SEED", time.time_ns() % 100000))
random.seed(seed)


def rows_in(journal):
    """The rows that a journal says are done."""
    try:
        with open(journal, encoding="ascii") as file:
            lines = [line for line in file.read().splitlines(keepends=True) if line.startswith("rows ") and line.endswith("\n")]
    except FileNotFoundError:
        return 0
    return int(lines[-1].split()[1]) if lines else 0


def kill_later(process, seconds):
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()


def kill_when_rows_are_kept(process):
    before = rows_in("map.tif.journal")
    while process.poll() is None and rows_in("map.tif.journal") <= before:
        time.sleep(0.0002)
    process.kill()


with tempfile.TemporaryDirectory(prefix="exactncc-killed.") as folder:
    os.chdir(folder)
    subprocess.run([os.path.join(helpers, "make_huge"), "scene.tif", str(side), str(side), "64", "0"], check=True)
    command = [tool, "correlate", "--device", "cpu", "--quiet", "scene.tif", "scene.tif@31,57,24,30"]
    start = time.monotonic()
    subprocess.run([*command, "-o", "want.tif"], check=True)
    undisturbed = time.monotonic() - start
    limit = str(max(600_000, 1000 * side))
    command += ["--max-memory", limit, "--resume", "-o", "map.tif"]
    reached, kept, done = 0, 0, 0
    patience = time.monotonic() + 900
    for turn in itertools.count():
        if reached >= kills and kept:
            break
        fresh = not os.path.exists("map.tif.journal")
        start = time.monotonic()
        process = subprocess.Popen(command)
        if turn % 2:
            kill_when_rows_are_kept(process)
        else:
            kill_later(process, random.uniform(0.05, 0.9) * undisturbed)
        process.wait()
        if process.returncode not in (0, -9):
            sys.exit(f"seed {seed}: exit status {process.returncode}")
        if os.path.exists("map.tif"):  # it is done, perhaps just before the kill
            with open("want.tif", "rb") as want, open("map.tif", "rb") as got:
                if want.read() != got.read():
                    sys.exit(f"seed {seed}: the map differs")
            os.remove("map.tif")
            done += 1
            if fresh and process.returncode == 0:
                undisturbed = min(undisturbed, time.monotonic() - start)
        elif process.returncode == 0:
            sys.exit(f"seed {seed}: no map")
        else:
            reached += 1
            kept += rows_in("map.tif.journal") > 0
        if time.monotonic() > patience:
            sys.exit(f"seed {seed}: only {reached} kills reached the work, and {kept} left rows that were kept")
    subprocess.run(command, check=True)
    with open("want.tif", "rb") as want, open("map.tif", "rb") as got:
        if want.read() != got.read():
            sys.exit(f"seed {seed}: the map differs")
    if sorted(os.listdir(".")) != ["map.tif", "scene.tif", "want.tif"]:
        sys.exit(f"seed {seed}: left: {os.listdir('.')}")
    print(f"seed {seed}: {reached} kills reached the work, {kept} left rows that were kept, {done + 1} maps are complete and equal")
