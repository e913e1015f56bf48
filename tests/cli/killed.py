# SPDX-License-Identifier: BSD-2-Clause
"""killed.py SIDE KILLS: correlate --resume is killed at random moments until it is done; the map has the bytes of an undisturbed run.

The environment has EXACTNCC and HELPERS, as for the shell tests. Without kills that reach the work, or without rows that are kept, it
fails."""
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


with tempfile.TemporaryDirectory(prefix="exactncc-killed.") as folder:
    os.chdir(folder)
    subprocess.run([os.path.join(helpers, "make_huge"), "scene.tif", str(side), str(side), "64", "0"], check=True)
    command = [tool, "correlate", "--device", "cpu", "--quiet", "scene.tif", "scene.tif@31,57,24,30"]
    start = time.monotonic()
    subprocess.run([*command, "-o", "want.tif"], check=True)
    undisturbed = time.monotonic() - start
    limit = str(max(600_000, side * side // 24))
    command += ["--max-memory", limit, "--resume", "-o", "map.tif"]
    reached, kept, done = 0, 0, 0
    for _ in range(kills):
        process = subprocess.Popen(command)
        try:
            process.wait(timeout=random.uniform(0.2, 1.0) * undisturbed)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            reached += 1
            rows = rows_in("map.tif.journal")
            kept += rows > 0
            if os.path.exists("map.tif"):  # the kill came after the last row
                with open("want.tif", "rb") as want, open("map.tif", "rb") as got:
                    if want.read() != got.read():
                        sys.exit(f"seed {seed}: there is a map that is not complete")
                os.remove("map.tif")
                done += 1
        else:
            if process.returncode:
                sys.exit(f"seed {seed}: exit status {process.returncode}")
            done += 1
            with open("want.tif", "rb") as want, open("map.tif", "rb") as got:
                if want.read() != got.read():
                    sys.exit(f"seed {seed}: the map differs")
            os.remove("map.tif")
    subprocess.run(command, check=True)
    with open("want.tif", "rb") as want, open("map.tif", "rb") as got:
        if want.read() != got.read():
            sys.exit(f"seed {seed}: the map differs")
    if sorted(os.listdir(".")) != ["map.tif", "scene.tif", "want.tif"]:
        sys.exit(f"seed {seed}: left: {os.listdir('.')}")
    print(f"seed {seed}: {reached} of {kills} kills reached the work, {kept} left rows that were kept, {done + 1} maps are complete and equal")
    if not reached or not kept:
        sys.exit("no kill was late enough")
