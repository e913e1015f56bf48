# SPDX-License-Identifier: BSD-2-Clause
"""geo.py EXACTNCC [FILE...]: the ground coordinates that `exactncc find` prints, against rasterio's (GDAL's) for the same pixels.

Makes GeoTIFFs of every kind of tag that places pixels, and takes the given ones besides. Needs rasterio, tifffile and numpy."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import rasterio
import rasterio.errors
import tifffile
from rasterio.transform import Affine

TOOL = os.path.abspath(sys.argv[1])
GIVEN = [os.path.abspath(name) for name in sys.argv[2:]]
WIDTH, HEIGHT = 120, 80
PICTURE = np.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
failures = []
checks = 0


def by_rasterio(name, transform, crs="EPSG:32632", point=False):
    with rasterio.open(name, "w", driver="GTiff", width=WIDTH, height=HEIGHT, count=1, dtype="uint8", crs=crs, transform=transform) as file:
        file.write(PICTURE, 1)
        if point:
            file.update_tags(AREA_OR_POINT="Point")


def by_tags(name, *tags):
    tifffile.imwrite(name, PICTURE, extratags=tags, photometric="minisblack", metadata=None)


def doubles(tag, *values):
    return (tag, "d", len(values), values, True)


def keys(kind):
    """UTM, with pixels as areas (1) or points (2)."""
    values = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, kind, 3072, 0, 1, 32632)
    return (34735, "H", len(values), values, True)


def make():
    north, turned = Affine(0.5, 0, 500000, 0, -0.25, 5400000), Affine(0.5, 0.125, 500000, 0.25, -0.25, 5400000)
    by_rasterio("area.tif", north)
    by_rasterio("point.tif", north, point=True)
    by_rasterio("turned.tif", turned)
    by_rasterio("turned_point.tif", turned, point=True)
    by_rasterio("degrees.tif", Affine(0.001, 0, 7.5, 0, -0.001, 48.25), crs="EPSG:4326")
    by_rasterio("south_up.tif", Affine(0.5, 0, 500000, 0, 0.25, 5400000))
    by_rasterio("own_crs.tif", Affine(30, 0, 1000, 0, -30, 2000), crs="+proj=laea +lat_0=10 +lon_0=20 +datum=WGS84")
    by_rasterio("no_crs.tif", Affine(2, 0, 100, 0, -3, 200), crs=None)
    scale, tie = doubles(33550, 0.5, 0.25, 0.0), doubles(33922, 3.0, 1.0, 0.0, 500000.0, 5400000.0, 0.0)
    matrix = doubles(34264, 0.5, 0.125, 0.0, 1000.0, -0.25, -0.5, 0.0, 2000.0, *[0.0] * 7, 1.0)
    two = doubles(33922, 0.0, 0.0, 0.0, 500000.0, 5400000.0, 0.0, 119.0, 79.0, 0.0, 600000.0, 5500000.0, 0.0)
    by_tags("tie.tif", scale, tie, keys(1))
    by_tags("tie_point.tif", scale, tie, keys(2))
    by_tags("tie_no_keys.tif", scale, tie)
    by_tags("negative_scale.tif", doubles(33550, 0.5, -0.25, 0.0), tie, keys(1))
    by_tags("two_ties.tif", scale, two, keys(1))
    by_tags("ties_alone.tif", two, keys(1))
    by_tags("matrix.tif", matrix, keys(1))
    by_tags("matrix_point.tif", matrix, keys(2))
    by_tags("matrix_and_tie.tif", scale, tie, matrix, keys(1))
    by_tags("no_scale.tif", doubles(33550, 0.0, 0.0, 0.0), tie, keys(1))
    by_tags("no_tags.tif")


def check(name):
    """The centre of a part of the picture on the ground, and the coordinate system."""
    global checks
    checks += 1
    with rasterio.open(name) as file:
        placed = not file.transform.is_identity
        for place in (2, 3, 5, 7):  # the first part that is not all no-data
            x, y = file.width // place, file.height // place
            part = f"{name}@{x},{y},{min(16, file.width - x)},{min(11, file.height - y)}"
            command = [TOOL, "find", "--device", "cpu", "--format", "json", "--top", "1", "-t", part, name]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode == 0 and json.loads(run.stdout)["matches"]:
                break
        else:
            failures.append(f"{name}: {run.stderr.strip()}")
            return
        result = json.loads(run.stdout)
        match = result["matches"][0]
        wanted = file.transform * (match["center_x"] + 0.5, match["center_y"] + 0.5)
        got = (match["map_x"], match["map_y"]) if "map_x" in match else None
        code = file.crs.to_epsg() if file.crs else None
    pixel = max(abs(v) for v in file.transform[:6] if v) if placed else 1.0
    near = got is not None and all(abs(g - w) <= 1e-9 * max(pixel, abs(w)) for g, w in zip(got, wanted))
    if placed != (got is not None) or (placed and not near):
        failures.append(f"{name}: {got}, rasterio says {wanted if placed else None}")
    if code and (result["crs"] or "").startswith("EPSG:") and result["crs"] != f"EPSG:{code}":
        failures.append(f"{name}: {result['crs']}, rasterio says EPSG:{code}")
    if code and not result["crs"]:
        failures.append(f"{name}: no coordinate system, rasterio says EPSG:{code}")


# The number in the file, not that of a newer coordinate system which GDAL would name instead.
with tempfile.TemporaryDirectory() as folder, rasterio.Env(OSR_USE_NON_DEPRECATED="NO"):
    os.chdir(folder)
    make()
    made = sorted(os.listdir("."))
    for path in made + GIVEN:
        try:
            check(path)
        except rasterio.errors.RasterioIOError as error:
            print(f"{path}: rasterio cannot read it, so there is nothing to compare: {error}")
    os.chdir("/")
for failure in failures:
    print("FAIL", failure)
print(f"geo: {checks} files ({len(made)} made), {len(failures)} failures")
sys.exit(bool(failures))
