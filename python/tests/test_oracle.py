# SPDX-License-Identifier: BSD-2-Clause
"""Every function against Python's integers and fractions."""

from fractions import Fraction

import exact
import numpy as np
import pytest

import exactncc

METHODS = ("ccoeff_normed", "ccoeff", "ccorr", "ccorr_normed", "sqdiff", "sqdiff_normed")
TYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32")


def expected(method, image, templ, image_mask=None, templ_mask=None):
    """The map in mode valid, by integers; NaN where fewer than half of the template's pixels count."""
    image, templ = (a.astype(np.uint8) if a.dtype == bool else a for a in (image, templ))
    h, w = templ.shape[:2]
    out = np.empty((image.shape[0] - h + 1, image.shape[1] - w + 1), np.float32)
    for y, x in np.ndindex(out.shape):
        counts = np.ones((h, w), bool) if templ_mask is None else templ_mask != 0
        most = counts.sum()
        if image_mask is not None:
            counts = counts & (image_mask[y : y + h, x : x + w] != 0)
        if counts.sum() < most / 2:
            out[y, x] = np.nan
        else:
            out[y, x] = exact.window_score(method, image, templ, x, y, image_mask, templ_mask)
    return out


def same_bits(a, b):
    assert a.dtype == b.dtype == np.float32
    assert a.shape == b.shape
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    a, b = np.nan_to_num(a, nan=7), np.nan_to_num(b, nan=7)
    np.testing.assert_array_equal(a.view(np.uint32), b.view(np.uint32))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", TYPES)
def test_correlate(draw, method, dtype):
    image, templ = draw((9, 11), dtype), draw((4, 3), dtype)
    image[2:6, 5:8] = templ
    same_bits(exactncc.correlate(image, templ, method=method), expected(method, image, templ))


@pytest.mark.parametrize("method", METHODS)
def test_correlate_channels_and_masks(draw, method):
    image, templ = draw((8, 9, 3)), draw((3, 4, 3))
    image_mask, templ_mask = draw((8, 9), "bool"), draw((3, 4), "bool")
    templ_mask[0, 0] = True
    got = exactncc.correlate(
        image, templ, method=method, channel_axis=-1, mask=image_mask, template_mask=templ_mask
    )
    same_bits(got, expected(method, image, templ, image_mask, templ_mask))
    first = exactncc.correlate(
        np.moveaxis(image, -1, 0), np.moveaxis(templ, -1, 0), method=method, channel_axis=0,
        mask=image_mask, template_mask=templ_mask.astype(np.uint8) * 255,
    )  # fmt: skip
    same_bits(first, got)


@pytest.mark.parametrize("method", METHODS)
def test_template_and_plan_give_the_same_bits(draw, method):
    image, templ = draw((20, 30), "uint16"), draw((5, 4), "uint16")
    one = exactncc.correlate(image, templ, method=method)
    same_bits(exactncc.correlate(image, exactncc.Template(templ), method=method), one)
    plan = exactncc.Plan(image, templ, method=method)
    same_bits(plan.correlate(image), one)
    out = np.empty_like(one)
    assert plan.correlate(image, exactncc.Template(templ), out=out) is out
    same_bits(out, one)


def matches_by_definition(scores, distance, min_score, top):
    """Greedy search as rules.h says it, on a map of scores where large is good."""
    height, width = scores.shape
    order = sorted(np.ndindex(scores.shape), key=lambda p: (-scores[p], p))
    rank = {p: i for i, p in enumerate(order)}
    found = []
    for y, x in order:
        if not scores[y, x] >= min_score or len(found) == top:
            break
        around = [(y + j, x + i) for j in (-1, 0, 1) for i in (-1, 0, 1) if i or j]
        inside = [p for p in around if 0 <= p[0] < height and 0 <= p[1] < width]
        if distance > 1 and any(rank[p] < rank[y, x] for p in inside):
            continue
        if all(max(abs(x - a), abs(y - b)) >= distance for a, b, _ in found):
            found.append((x, y, scores[y, x]))
    return found


@pytest.mark.parametrize("distance", [0, 1, 2, 5, None])
@pytest.mark.parametrize("top", [3, None])
def test_find(draw, distance, top):
    image, templ = draw((16, 21)) // 64, draw((4, 5)) // 64
    scores = expected("ccoeff_normed", image, templ)
    wanted = matches_by_definition(scores, 2 if distance is None else distance, np.float32(0.1), top)
    for search in (exactncc.find, lambda image, templ, **k: exactncc.Plan(image, templ).find(image, **k)):
        got = search(image, templ, min_score=0.1, min_distance=distance, top=top)
        assert [(m.x, m.y, m.score) for m in got] == wanted
        assert len(wanted) > 2
        assert set(got.template) == {0}
        assert set(got.width) == {5}
        assert set(got.height) == {4}


def suppress_by_definition(matches, overlap=None, distance=None):
    kept = []
    key = lambda m: (-m["score"], m["y"], m["x"], m["template"], m["width"], m["height"])
    for m in sorted(matches.tolist_of_dicts(), key=key):
        for k in kept:
            if distance is not None:
                dx = abs(2 * m["x"] + m["width"] - 2 * k["x"] - k["width"])
                dy = abs(2 * m["y"] + m["height"] - 2 * k["y"] - k["height"])
                if max(dx, dy) < 2 * distance:
                    break
            else:
                w = min(m["x"] + m["width"], k["x"] + k["width"]) - max(m["x"], k["x"])
                h = min(m["y"] + m["height"], k["y"] + k["height"]) - max(m["y"], k["y"])
                shared = max(w, 0) * max(h, 0)
                union = m["width"] * m["height"] + k["width"] * k["height"] - shared
                if Fraction(shared, union) > Fraction(overlap):
                    break
        else:
            kept.append(m)
    return kept


@pytest.mark.parametrize("rule", [{"overlap": 0.25}, {"overlap": 0.0}, {"distance": 3}, {"distance": 2.5}])
def test_find_batch_and_suppress(draw, rule):
    image = draw((24, 30))
    templates = [image[3:9, 4:11], image[4:10, 5:11], draw((5, 5)), image[12:20, 11:20]]
    alone = [exactncc.find(image, t, top=6) for t in templates]
    for number, matches in enumerate(alone):
        matches.template = number
    every = np.concatenate(alone).view(exactncc.Matches)
    listed = exactncc.find_batch(image, templates, top=6)
    assert listed.tolist_of_dicts() == suppress_by_definition(every, overlap=1)
    wanted = suppress_by_definition(every, **rule)
    assert 2 < len(wanted) < len(every)
    assert exactncc.find_batch(image, templates, top=6, **rule).tolist_of_dicts() == wanted
    assert exactncc.suppress(every, **rule).tolist_of_dicts() == wanted
    assert exactncc.suppress(every, top=2, **rule).tolist_of_dicts() == wanted[:2]
    assert exactncc.find_batch(image, templates, top=6, keep=2, **rule).tolist_of_dicts() == wanted[:2]


def test_refine(draw):
    yy, xx = np.mgrid[:40, :50]
    image = (120 + 100 * np.sin(xx / 3.1 + yy / 7) * np.cos(yy / 4.3)).astype(np.uint8)
    templ = image[11:22, 13:26].copy()
    templ[1::3, ::2] += 3
    found = exactncc.find(image, templ, top=2, min_score=0.5)
    refined = exactncc.refine(image, templ, found)
    assert refined.dtype["x"] == np.float64
    for m, r in zip(found, refined):
        s = {
            (i, j): exact.window_score("ccoeff_normed", image, templ, int(m.x) + i, int(m.y) + j)
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
        }
        g = np.array([s[1, 0] - s[-1, 0], s[0, 1] - s[0, -1]]) / 2
        xy = (s[1, 1] - s[-1, 1] - s[1, -1] + s[-1, -1]) / 4
        hessian = np.array([[s[1, 0] - 2 * s[0, 0] + s[-1, 0], xy], [xy, s[0, 1] - 2 * s[0, 0] + s[0, -1]]])
        dx, dy = -np.linalg.solve(hessian, g)
        assert abs(dx) + abs(dy) > 1e-4
        np.testing.assert_allclose([r.x, r.y], [m.x + dx, m.y + dy], rtol=0, atol=1e-9)
        np.testing.assert_allclose(r.score, s[0, 0] + g @ [dx, dy] / 2, rtol=0, atol=1e-9)


def test_refine_several_templates(draw):
    image = draw((40, 50))
    templates = [image[3:12, 4:15], image[20:30, 30:41]]
    found = exactncc.find_batch(image, templates, top=3)
    refined = exactncc.refine(image, templates, found)
    for number, template in enumerate(templates):
        mine = found.template == number
        alone = exactncc.refine(image, template, found[mine])
        assert alone[["x", "y", "score"]].tolist() == refined[mine][["x", "y", "score"]].tolist()
    with pytest.raises(ValueError, match="of template 1, and there are 1"):
        exactncc.refine(image, templates[:1], found)


@pytest.mark.parametrize("correlate", [False, True])
@pytest.mark.parametrize("border", ["clamp", "zero"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_convolve(draw, correlate, border, dtype):
    image = draw((7, 9)).astype(dtype)
    coefs = draw((3, 4), "int8")
    for anchor in (None, (0, 3), (2, 1)):
        b, a = anchor or (1, 2)
        wanted = np.empty(image.shape)
        for y, x in np.ndindex(image.shape):
            total = 0
            for j, i in np.ndindex(coefs.shape):
                u, v = (x - a + i, y - b + j) if correlate else (x + a - i, y + b - j)
                inside = 0 <= u < 9 and 0 <= v < 7
                if inside or border == "clamp":
                    total += int(coefs[j, i]) * int(image[min(max(v, 0), 6), min(max(u, 0), 8)])
            wanted[y, x] = total  # below 2^24: no rounding
        got = exactncc.convolve(image, coefs, border=border, correlate=correlate, anchor=anchor)
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("mode", ["same", "full"])
@pytest.mark.parametrize("border", ["clamp", "zero", "mirror", "wrap"])
def test_borders(draw, mode, border):
    image, templ = draw((9, 10)), draw((4, 5))
    before, after = ((2, 2), (1, 2)) if mode == "same" else ((3, 4), (3, 4))
    how = {"clamp": "edge", "zero": "constant", "mirror": "reflect", "wrap": "wrap"}[border]
    padded = np.pad(image, list(zip(before, after)), how)
    same_bits(
        exactncc.correlate(image, templ, mode=mode, border=border), expected("ccoeff_normed", padded, templ)
    )


def test_flat_windows_and_coverage(draw):
    image = draw((8, 9))
    image[2:6, 2:7] = 9
    templ = draw((3, 3))
    zero, nan = (exactncc.correlate(image, templ, flat=f) for f in ("zero", "nan"))
    flat = np.isnan(nan)
    assert flat.sum() == 6
    assert (zero[flat] == 0).all()
    mask = draw((8, 9), "bool")
    coverage = exactncc.correlate(image, templ, method="coverage", mask=mask)
    windows = np.lib.stride_tricks.sliding_window_view(mask, (3, 3))
    np.testing.assert_array_equal(coverage, np.float32(windows.sum((2, 3)) / 9))


def test_promises(draw):
    image = draw((50, 60), "uint16") // 500 + 65000
    for y, x in ((0, 0), (13, 21), (30, 40)):
        templ = image[y : y + 20, x : x + 20]
        scores = exactncc.correlate(image, templ)
        assert scores[y, x] == 1.0
        assert np.abs(scores).max() == 1.0
        crop = exactncc.correlate(image[5:, 7:], templ)
        same_bits(crop, np.ascontiguousarray(scores[5:, 7:]))
