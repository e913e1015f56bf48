# SPDX-License-Identifier: BSD-2-Clause
"""Templates at poses: known poses, and each score against the definition."""

import numpy as np
import pytest

import exactncc


def pattern(x, y):
    return 120 + 45 * np.sin(0.31 * x + 0.4 * np.sin(0.17 * y)) + 40 * np.cos(0.23 * y - 0.11 * x) + 25 * np.sin(0.53 * x - 0.37 * y)  # fmt: skip


def scene(angle, scale, cx, cy, shape=(110, 130), size=(24, 32)):
    """A template, and an image that has it at a pose on another ground."""
    y, x = np.mgrid[: shape[0], : shape[1]].astype(float)
    r, (h, w) = np.deg2rad(angle), size
    u = (np.cos(r) * (x - cx) - np.sin(r) * (y - cy)) / scale
    v = (np.sin(r) * (x - cx) + np.cos(r) * (y - cy)) / scale
    ground = 110 + 40 * np.sin(0.19 * x - 0.09 * y) + 35 * np.cos(0.27 * y + 0.05 * x)
    inside = (abs(u) <= w / 2) & (abs(v) <= h / 2)
    image = np.where(inside, pattern(u + (w - 1) / 2, v + (h - 1) / 2), ground)
    ty, tx = np.mgrid[:h, :w].astype(float)
    return image, pattern(tx, ty)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("search", ["pyramid", "exhaustive"])
def test_a_known_pose(dtype, search):
    image, templ = scene(37.3, 1.0, 61.4, 52.8)
    angles = (0, 360) if search == "pyramid" else (30, 45)
    found = exactncc.find_poses(image.astype(dtype), templ.astype(dtype), angles=angles, search=search, top=1)
    assert len(found) == 1 and found.score[0] > 0.95
    np.testing.assert_allclose(found.center[0], [61.4, 52.8], atol=0.1)
    assert abs(found.angle[0] - 37.3) < 0.4 and found.scale[0] == 1


def test_scale_and_fields():
    image, templ = scene(200.0, 1.2, 66.0, 55.5)
    image, templ = image.astype(np.uint8), templ.astype(np.uint8)
    found = exactncc.find_poses(image, [templ, templ[:20]], scales=(1, 1.4), top=3, min_score=0.8)
    best = found[0]
    assert abs(best.scale - 1.2) < 0.02 and abs(best.angle - 200) < 0.5
    assert set(found.template.tolist()) <= {0, 1}
    unrefined = exactncc.find_poses(image, templ, scales=(1, 1.4), top=1, refine=False)[0]
    assert unrefined.angle == unrefined.grid_angle and unrefined.scale == unrefined.grid_scale
    assert unrefined.center_x == unrefined.x + (unrefined.width - 1) / 2
    assert "center_x" in repr(found) and found.tolist_of_dicts()[0]["angle"] == best.angle


def test_right_angles_score_by_the_definition():
    """At multiples of 90 degrees the resampled template is np.rot90 of the template."""
    rng = np.random.default_rng(5)
    image = rng.integers(0, 256, (40, 50), dtype=np.uint8)
    templ = rng.integers(0, 256, (9, 12), dtype=np.uint8)
    found = exactncc.find_poses(image, templ, angles=(0, 360, 90), top=None, min_score=0, refine=False, search="exhaustive")
    assert len(found) > 10
    for m in found:
        turned = np.rot90(templ, round(m.angle / 90)).astype(np.int64)
        window = image[m.y : m.y + m.height, m.x : m.x + m.width].astype(np.int64)
        assert window.shape == turned.shape
        n = turned.size
        num = n * int((window * turned).sum()) - int(window.sum()) * int(turned.sum())
        var = [n * int((a * a).sum()) - int(a.sum()) ** 2 for a in (window, turned)]
        assert np.float32(num / (np.sqrt(float(var[0])) * np.sqrt(float(var[1])))) == m.score


def test_polarity_disc_and_several():
    image, templ = scene(120.5, 1.0, 60.0, 50.0)
    image, templ = image.astype(np.uint8), templ.astype(np.uint8)
    plain = exactncc.find_poses(image, templ, top=1)[0]
    turned = exactncc.find_poses(255 - image, templ, top=1, any_polarity=True)[0]
    assert turned.score == -plain.score and turned.angle == pytest.approx(plain.angle)
    disc = exactncc.find_poses(image, templ, top=1, support="disc")[0]
    assert disc.width == disc.height == 24 and abs(disc.angle - 120.5) < 1
    made = exactncc.Template(templ)
    assert exactncc.find_poses(image, made, top=1)[0] == plain
    assert len(exactncc.find_poses(image, [], top=1)) == 0


@pytest.mark.parametrize(
    "options",
    [{"angles": (0,)}, {"angles": (0, 400)}, {"scales": (0.001, 1)}, {"search": "fast"}, {"support": "square"},
     {"min_score": 2.0}, {"overlap": -1.0}, {"angles": (0, 90, 0)}],
)  # fmt: skip
def test_refusals(options):
    image = np.arange(400, dtype=np.uint8).reshape(20, 20)
    with pytest.raises(ValueError, match="."):
        exactncc.find_poses(image, image[:8, :8], **options)


def test_a_pyramid_needs_pixels_that_count():
    image = np.arange(400, dtype=np.float32).reshape(20, 20)
    image[3, 3] = np.nan
    with pytest.raises(exactncc.UnsupportedError, match="exhaustively"):
        exactncc.find_poses(image, image[8:18, 8:18], search="pyramid")
