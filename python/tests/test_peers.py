# SPDX-License-Identifier: BSD-2-Clause
"""Agreement with scikit-image and OpenCV where both are right, and cases where they are wrong."""

import exact
import numpy as np
import pytest

import exactncc

cv2 = pytest.importorskip("cv2")
feature = pytest.importorskip("skimage.feature")
CV_METHODS = ["TM_SQDIFF", "TM_SQDIFF_NORMED", "TM_CCORR", "TM_CCORR_NORMED", "TM_CCOEFF", "TM_CCOEFF_NORMED"]
CLOSE = 2e-5  # what OpenCV's single-precision transforms leave of a contrast like this one


@pytest.fixture
def scene(rng):
    """A smooth picture with contrast everywhere, on which floats do well."""
    y, x = np.mgrid[:70, :90]
    waves = 90 * np.sin(x / 5 + y / 11) * np.cos(y / 6) + rng.normal(0, 12, (70, 90))
    return np.clip(128 + waves, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("shape", [(9, 13), (8, 12)])
def test_match_template_is_that_of_skimage(scene, dtype, pad, shape):
    image = scene.astype(dtype)
    templ = image[20 : 20 + shape[0], 30 : 30 + shape[1]]
    for mode in ("constant", "edge", "reflect", "wrap", "symmetric", "mean"):
        ours = exactncc.match_template(image, templ, pad_input=pad, mode=mode)
        theirs = feature.match_template(image, templ, pad_input=pad, mode=mode)
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-4 if dtype == np.float32 else 1e-6)
    ours = exactncc.match_template(image, templ, True, "constant", 100)
    np.testing.assert_allclose(
        ours, feature.match_template(image, templ, True, "constant", 100), rtol=0, atol=2e-4 if dtype == np.float32 else 1e-6
    )  # fmt: skip


def test_match_template_with_colours(rng):
    image = rng.integers(0, 256, (30, 40, 3), dtype=np.uint8)
    templ = image[5:12, 6:17]
    ours, theirs = exactncc.match_template(image, templ), feature.match_template(image, templ)
    assert ours.shape == theirs.shape == (24, 30, 1)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    for bad in ((image, templ[..., :2]), (image, templ[..., 0])):
        with pytest.raises(exactncc.UnsupportedError, match="volumes"):
            exactncc.match_template(*bad)
    with pytest.raises(exactncc.UnsupportedError, match="volumes"):
        exactncc.match_template(image, templ, pad_input=True)


@pytest.mark.parametrize("function", [exactncc.match_template, feature.match_template])
def test_match_template_refuses_what_skimage_refuses(function):
    a = np.zeros((5, 6))
    for image, templ in ((a, np.zeros((6, 6))), (a, np.zeros((2, 2, 2))), (np.zeros(5), np.zeros(2))):
        with pytest.raises(ValueError):
            function(image, templ)


@pytest.mark.parametrize("name", CV_METHODS)
@pytest.mark.parametrize("kind", ["uint8", "float32", "3 channels", "mask", "3 channels, mask"])
def test_matchTemplate_is_that_of_opencv(scene, name, kind):
    method = getattr(cv2, name)
    assert getattr(exactncc.compat, name) == method
    image = scene.astype(np.float32) if kind == "float32" else scene
    if "channels" in kind:
        image = np.dstack([scene, scene[::-1], scene[:, ::-1]])
    templ = np.ascontiguousarray(image[20:31, 30:45])
    mask = None
    if "mask" in kind:
        mask = np.ones((11, 15), np.uint8)
        mask[:3, :4] = 0
    ours = exactncc.compat.matchTemplate(image, templ, method, mask=mask)
    theirs = cv2.matchTemplate(image, templ, method, mask=mask)
    assert ours.dtype == theirs.dtype
    scale = 1 if "NORMED" in name else np.abs(theirs).max()
    if name == "TM_SQDIFF_NORMED" and mask is None:
        ours = np.minimum(ours, 1)  # as OpenCV clips it
    np.testing.assert_allclose(ours / scale, theirs / scale, rtol=0, atol=CLOSE)


def test_matchTemplate_arguments(scene):
    image, templ = scene, scene[5:15, 6:17].copy()
    match, want = exactncc.compat.matchTemplate, cv2.matchTemplate(scene, templ=scene[5:15, 6:17].copy(), method=5)
    result = np.empty_like(want)
    assert match(image, templ, 5, result) is result
    np.testing.assert_allclose(result, want, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(match(templ, image, 5), result)  # change places, as OpenCV's
    np.testing.assert_array_equal(match(image, templ, 5, mask=np.ones(templ.shape, np.float32)), result)
    with pytest.raises(TypeError, match="weights"):
        match(image, templ, 5, mask=np.full(templ.shape, 0.5, np.float32))
    with pytest.raises(ValueError, match="method 6"):
        match(image, templ, 6)


# Three cases where others return a wrong score. README.md shows them.


def exact_score(image, templ, y, x):
    return exact.window_score("ccoeff_normed", image, templ, x, y)


def test_wrong_elsewhere_a_16_bit_image_of_low_contrast():
    """README.md: a copy of the template must score 1."""
    image = 65000 + np.random.default_rng(1).integers(0, 200, (300, 400)).astype(np.uint16)
    templ = image[30:62, 40:72]
    ours = exactncc.find(image, templ, top=1)[0]
    assert ours.item()[:3] == (40, 30, 1.0)
    assert exact_score(image, templ, 30, 40) == 1
    theirs = cv2.matchTemplate(image.astype(np.float32), templ.astype(np.float32), cv2.TM_CCOEFF_NORMED)
    assert np.abs(theirs - exactncc.correlate(image, templ)).max() > 0.1
    single = feature.match_template(image.astype(np.float32), templ.astype(np.float32))
    assert np.abs(single).max() > 1.5  # no correlation is above 1


def test_wrong_elsewhere_one_pixel_of_contrast():
    """README.md: a copy of a template that differs from flat in one pixel must score 1."""
    image = np.full((300, 400), 200, np.uint8)
    image[100, 100] = 201
    templ = image[80:144, 80:144]
    scores = exactncc.correlate(image, templ)
    assert scores[80, 80] == exact_score(image, templ, 80, 80) == 1
    assert abs(cv2.matchTemplate(image, templ, cv2.TM_CCOEFF_NORMED)[80, 80]) < 0.01
    assert exactncc.find(image, templ, top=1)[0].item()[:3] == (80, 80, 1.0)


def test_wrong_elsewhere_one_nan():
    """README.md: a NaN must only affect the windows that contain it."""
    image = np.random.default_rng(2).random((120, 150), dtype=np.float32)
    templ = image[10:22, 10:25].copy()
    image[100, 120] = np.nan
    ours = exactncc.correlate(image, templ)
    assert np.isnan(ours).sum() == 12 * 15
    assert ours[10, 10] == 1
    theirs = feature.match_template(image, templ)
    assert np.isnan(theirs[10, 10])
    assert np.isnan(theirs).mean() > 0.9
    one = cv2.matchTemplate(image, templ, cv2.TM_CCOEFF_NORMED)
    others = ~np.isnan(ours)
    assert (np.abs(one - ours)[others] > 0.001).sum() > 1000


def test_track_is_where_opencv_and_skimage_are(rng):
    smooth = rng.normal(0, 1, (200, 220))
    for axis in (0, 1):
        smooth = smooth + np.roll(smooth, 1, axis) + np.roll(smooth, 2, axis)
    image = np.clip(128 + 12 * smooth, 0, 255).astype(np.uint8)
    moved = np.roll(image, (3, -5), (0, 1)).astype(int) + rng.integers(-30, 31, image.shape)
    moved = np.clip(moved, 0, 255).astype(np.uint8)
    found = exactncc.track(image, moved, grid=12, chip=16, search=10)
    compared = 0
    for d in found[(found.x > 20) & (found.x < 195) & (found.y > 20) & (found.y < 175)]:
        x, y = int(d.x - 7.5), int(d.y - 7.5)
        chip, window = image[y : y + 16, x : x + 16], moved[y - 10 : y + 26, x - 10 : x + 26]
        for scores in (cv2.matchTemplate(window, chip, cv2.TM_CCOEFF_NORMED), feature.match_template(window, chip)):
            second, best = np.partition(scores.ravel(), -2)[-2:]
            if best - second > 2 * CLOSE:
                at = np.unravel_index(np.argmax(scores), scores.shape)
                assert (d.whole_dx, d.whole_dy) == (at[1] - 10, at[0] - 10)
                compared += 1
    assert compared > 200
