# SPDX-License-Identifier: BSD-2-Clause
"""Tracking, against correlate and known displacements."""

import numpy as np
import pytest

import exactncc


@pytest.fixture
def pair(draw):
    image = draw((90, 120))
    return image, np.roll(image, (3, -4), axis=(0, 1))


def test_scores_are_those_of_correlate(pair):
    found = exactncc.track(*pair, [[40, 50], [70.5, 30]], chip=(12, 9), search=(6, 5), shift=(-2, 1))
    for d in found:
        left, top = int(d.x - 5.5), int(d.y - 4)
        chip = pair[0][top : top + 9, left : left + 12]
        window = pair[1][top + 1 - 5 : top + 1 + 5 + 9, left - 2 - 6 : left - 2 + 6 + 12]
        scores = exactncc.correlate(window, chip)
        y, x = np.unravel_index(np.argmax(scores), scores.shape)
        assert (d.whole_dx, d.whole_dy, d.score) == (x - 8, y - 4, scores.max()) == (-4, 3, 1)
        assert d.second == max(m.score for m in exactncc.find(window, chip, min_score=-1, min_distance=2)[1:])


def test_grid_and_fields(pair):
    found = exactncc.track(*pair, grid=(20, 30), chip=16, search=6, back=True)
    assert found.x.tolist() == [7.5 + 20 * (i % 6) for i in range(18)]
    assert found.y.tolist() == [7.5 + 30 * (i // 6) for i in range(18)]
    inner = found[(found.x > 20) & (found.x < 100) & (found.y > 20) & (found.y < 70)]
    assert len(inner) and (inner.state == 0).all() and (inner.loop < 0.2).all()
    assert np.allclose(inner.dx, -4, atol=0.1) and np.allclose(inner.dy, 3, atol=0.1)
    assert len(exactncc.track(*pair, chip=100)) == 0


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "bool", "uint32"])
def test_types(pair, dtype):
    first, second = (i.astype(dtype) for i in pair)
    found = exactncc.track(first, second[::1, ::1], [[50, 40]], chip=24, search=8)
    assert (found.whole_dx[0], found.whole_dy[0], found.score[0]) == (-4, 3, 1)


def test_masks(pair):
    mask = np.ones(pair[0].shape, bool)
    mask[:, 40:] = False
    found = exactncc.track(*pair, [[36, 40], [80, 40]], chip=16, search=6, mask1=mask, min_valid=0.5)
    assert 0.5 <= found.valid[0] < 1 and found.score[0] == 1
    assert found.state[1] == 1 and np.isnan(found.dx[1]) and found.valid[1] == 0


def test_passes(draw):
    image = draw((160, 200))
    moved = np.roll(image, (17, -22), axis=(0, 1))
    inner = [[x, y] for x in range(60, 150, 15) for y in range(40, 110, 15)]
    alone = exactncc.track(image, moved, inner, chip=16, search=3)
    found = exactncc.track(image, moved, inner, chip=16, search=3, coarse=[(64, 26), ((32, 24), (5, 4), (16, 20))])
    assert (alone.score < 0.9).all()
    assert (found.whole_dx == -22).all() and (found.whole_dy == 17).all() and (found.score == 1).all()
    again = exactncc.track(image, moved, inner, chip=16, search=3, coarse=[(64, 26, 32), ((32, 24), (5, 4), (16, 20))])
    assert all(np.array_equal(found[name], again[name], equal_nan=True) for name in found.dtype.names)


def test_deform(draw):
    y, x = np.mgrid[0:160, 0:200].astype(float)
    waves = [(1.1, 0.3, 0.2), (-0.4, 0.9, 1.0), (0.7, -0.8, 2.0), (0.2, 1.3, 3.0), (1.4, 0.6, 4.0)]
    picture = lambda x, y: np.rint(128 + 24 * sum(np.sin(a * x + b * y + c) for a, b, c in waves)).astype(np.uint8)  # noqa: E731
    shear = 0.06
    first, second = picture(x, y), picture(x - shear * (y - 80), y)
    points = [[i, j] for i in range(50, 150, 10) for j in range(50, 110, 10)]
    plain = exactncc.track(first, second, points, chip=32, search=2)
    found = exactncc.track(first, second, points, chip=32, search=2, deform=3)
    wrong = lambda d: np.hypot(d.dx - shear * (d.y - 80), d.dy).mean()  # noqa: E731
    assert wrong(found) < 0.02 < wrong(plain)
    for bad in (-1, 65):
        with pytest.raises(ValueError):
            exactncc.track(first, second, points, deform=bad)


def test_outliers(pair):
    other = pair[1].copy()
    other[40:58, 50:68] = 255 - other[40:58, 50:68]
    options = {"grid": 12, "chip": 12, "search": 8}
    plain = exactncc.track(pair[0], other, **options)
    marked = exactncc.track(pair[0], other, outliers=2, **options)
    fixed = exactncc.track(pair[0], other, outliers=2, replace=True, **options)
    assert np.isnan(plain.residual).all() and (marked.dx == plain.dx).all()
    wrong = np.hypot(plain.dx + 4, plain.dy - 3) > 2
    inner = (plain.x > 20) & (plain.x < 100) & (plain.y > 20) & (plain.y < 70)
    assert (wrong & inner).any() and (marked.state[wrong & inner] & 4).all()
    assert (fixed.state[wrong & inner] & 8).all() and (np.hypot(fixed.dx + 4, fixed.dy - 3)[inner] < 1).all()


def test_refusals(pair):
    for wrong in ({"grid": 8, "points": [[1, 2]]}, {"fit": "best"}, {"points": [1, 2]}, {"chip": (1, 2, 3)}, {"grid": 0},
                  {"coarse": [64]}, {"coarse": [(64,)]}, {"coarse": [(600, 2)]}, {"coarse": [(32, 4, 0)]},
                  {"chip": 0}, {"search": 5000}, {"oversample": 3}, {"replace": True}, {"outliers": -1}, {"method": "sqdiff"}, {"kernel": "none"}):  # fmt: skip
        with pytest.raises(ValueError):
            exactncc.track(*pair, **wrong)
