# SPDX-License-Identifier: BSD-2-Clause
"""Arrays of all kinds: strides, types, masks, results, and what is refused."""

import numpy as np
import pytest

import exactncc

correlate = exactncc.correlate


@pytest.fixture
def pair(draw):
    image = draw((30, 40))
    return image, image[10:17, 12:20].copy()


LAYOUTS = {
    "crop": lambda a: np.pad(a, 3)[3:-3, 3:-3],
    "fortran": np.asfortranarray,
    "every second column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "every second row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "rows upside down": lambda a: a[::-1].copy()[::-1],
    "columns mirrored": lambda a: a[:, ::-1].copy()[:, ::-1],
    "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "lists": lambda a: a.tolist(),
    "memoryview": memoryview,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strides(pair, layout):
    image, templ = pair
    wanted = correlate(image, templ)
    change = LAYOUTS[layout]
    for a, b in ((change(image), templ), (image, change(templ)), (change(image), change(templ))):
        np.testing.assert_array_equal(correlate(a, b), wanted)
        np.testing.assert_array_equal(correlate(a, exactncc.Template(b)), wanted)
        found = exactncc.find(a, b, min_score=0.9)
        assert (found.x.tolist(), found.y.tolist()) == ([12], [10])


@pytest.mark.parametrize("dtype", ["<u2", ">u2", "<f8", ">f8", ">i4", "<i8"])
def test_byte_order_and_alignment(pair, dtype):
    image, templ = pair
    raw = np.zeros(image.size * np.dtype(dtype).itemsize + 1, np.uint8)
    odd = raw[1:].view(dtype).reshape(image.shape)
    odd[...] = image
    wanted = correlate(image.astype(np.dtype(dtype).newbyteorder("=")), templ.astype(np.dtype(dtype).newbyteorder("=")))
    np.testing.assert_array_equal(correlate(odd, templ.astype(dtype)), wanted)


def test_pixels_are_not_copied(pair):
    image, templ = pair
    wide = np.zeros((30, 50), np.uint8)
    for array in (image, wide[:, 5:45], wide[::2], wide[3:9, 4:7]):
        view = exactncc._core.Image()
        assert view.set(array, None, None)
        assert view.data == array.ctypes.data
        assert view.pitch == array.strides[0]
    for array in (wide.T, wide[:, ::2], wide[::-1], np.broadcast_to(wide[0], (4, 50))):
        assert not exactncc._core.Image().set(array, None, None)


@pytest.mark.parametrize("other", ["bool", "int32", "uint32", "int64", "uint64", "float16", "float64"])
def test_types_follow_the_rule(draw, other):
    image = draw((20, 25), "bool" if other == "bool" else "uint8")
    templ = image[5:12, 6:15]
    exactly = {"bool": "uint8", "float16": "float32", "float64": "float64", "uint32": "uint32"}.get(other, "uint8")
    got = correlate(image.astype(other), templ.astype(other))
    np.testing.assert_array_equal(got, correlate(image.astype(exactly), templ.astype(exactly)))
    assert exactncc.Template(templ.astype(other)).dtype == exactly


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 255, "uint8"),
        (-1, 127, "int8"),
        (0, 256, "uint16"),
        (-1, 128, "int16"),
        (0, 65536, "uint32"),
        (2**32 - 9, 2**32 - 1, "uint32"),
    ],
)
def test_wide_integers_become_the_first_type_that_holds_them(rng, low, high, wanted):
    image = rng.integers(low, high, (12, 13), endpoint=True)
    image[0, 0], image[3, 3], image[-1, -1] = low, low, high
    image[4, 4] = high
    templ = image[2:7, 1:6]
    assert exactncc.Template(image).dtype == wanted
    got = correlate(image, templ)
    np.testing.assert_array_equal(got, correlate(image.astype(wanted), templ.astype(wanted)))
    # The type is that of both: a template whose own values would allow a narrower one.
    np.testing.assert_array_equal(correlate(image, image[1:3, 1:3]), correlate(image.astype(wanted), image[1:3, 1:3].astype(wanted)))  # fmt: skip


def test_different_types_are_promoted(draw):
    image, templ = draw((20, 20)), draw((5, 6), "int16")
    np.testing.assert_array_equal(correlate(image, templ), correlate(image.astype(np.int16), templ))
    np.testing.assert_array_equal(
        correlate(image, templ.astype(np.float32)), correlate(image.astype(np.float32), templ.astype(np.float32))
    )
    prepared = exactncc.Template(templ)
    np.testing.assert_array_equal(correlate(image, prepared), correlate(image, templ))
    np.testing.assert_array_equal(correlate(image.astype(np.int64), prepared), correlate(image, templ))
    np.testing.assert_array_equal(exactncc.Plan(image, templ).correlate(image), correlate(image, templ))
    assert len(exactncc.find_batch(image, [templ, templ[:3]])) == 20


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (np.array([[-1, 2**31]]), ValueError, r"no integer type of the library holds the values -1 \.\. 2147483648"),
        (np.array([[2**32]]), ValueError, "no integer type"),
        (np.ones((4, 4), complex), TypeError, "complex128 are not supported"),
        (np.ones((4, 4), np.longdouble), TypeError, "not supported"),
        (np.array([["a"]]), TypeError, "not supported"),
        (np.array([[None]]), TypeError, "object are not supported"),
        (np.zeros((4, 4), "M8[s]"), TypeError, "not supported"),
        (np.zeros((4, 4), [("r", "u1")]), TypeError, "not supported"),
        (np.zeros(4), ValueError, "must have 2 dimensions, not 1"),
        (np.zeros((4, 4, 4)), ValueError, "volumes are not supported"),
        (np.zeros((2, 2, 2, 2)), ValueError, "must have 2 dimensions, not 4"),
        (np.zeros((0, 4)), ValueError, "no pixels"),
    ],
)
def test_refused_arrays(pair, bad, error, text):
    image, templ = pair
    for call in (
        lambda: correlate(bad, templ),
        lambda: correlate(image, bad),
        lambda: exactncc.find(bad, templ),
        lambda: exactncc.Template(bad),
        lambda: exactncc.Plan(bad, templ),
        lambda: exactncc.find_batch(image, [bad]),
        lambda: exactncc.convolve(bad, [[1]]),
    ):
        with pytest.raises(error, match=text):
            call()


def test_refused_values(pair):
    image, templ = pair
    for options, text in (
        ({"method": "ncc"}, "ncc"),
        ({"mode": "Valid"}, "mode 'Valid' is not known; the names are valid, same, full"),
        ({"border": "reflect"}, "the names are clamp, zero, mirror, wrap, overlap"),
        ({"flat": "one"}, "the names are zero, nan"),
        ({"min_valid": 2.0}, "min_valid"),
        ({"kernel": "fastest"}, "fastest"),
    ):
        with pytest.raises(exactncc.ArgumentError, match=text):
            correlate(image, templ, **options)
        with pytest.raises(ValueError, match=text):
            exactncc.find(image, templ, **options)
    for options, text in (
        ({"min_score": float("nan")}, "score limit is not a number"),
        ({"max_score": 0.5}, "score"),
        ({"min_distance": -1}, "min_distance must not be negative"),
        ({"min_score": 1.0, "method": "sqdiff"}, "score"),
    ):
        with pytest.raises(exactncc.ArgumentError, match=text):
            exactncc.find(image, templ, **options)
    with pytest.raises(TypeError):
        exactncc.find(image, templ, top=-1)
    with pytest.raises(TypeError):
        correlate(image, templ, "ccorr")
    with pytest.raises(exactncc.ArgumentError, match="template"):
        correlate(templ, image)
    with pytest.raises(exactncc.ArgumentError, match="channel"):
        correlate(np.zeros((9, 9, 3), np.uint8), np.zeros((2, 2, 2), np.uint8), channel_axis=-1)
    with pytest.raises(ValueError, match="64 channels"):
        correlate(np.zeros((9, 9, 65), np.uint8), np.zeros((2, 2, 65), np.uint8), channel_axis=-1)
    with pytest.raises(ValueError, match="channel_axis"):
        correlate(np.zeros((9, 9, 3), np.uint8), np.zeros((2, 2, 3), np.uint8), channel_axis=3)
    with pytest.raises(ValueError, match="must have 3 dimensions"):
        correlate(image, templ, channel_axis=-1)
    with pytest.raises(TypeError, match="the image has dtype float64 and the template uint8"):
        correlate(image.astype(float), exactncc.Template(templ))
    with pytest.raises(ValueError, match="make the template from an array of dtype int16"):
        correlate(image.astype(np.int64) - 1000, exactncc.Template(templ))
    with pytest.raises(exactncc.ArgumentError, match="context"):
        correlate(image, exactncc.Template(templ), context=exactncc.Context("cpu"))
    with pytest.raises(ValueError, match="not both"):
        exactncc.find_batch(image, [templ, exactncc.Template(templ)])
    with pytest.raises(ValueError, match="keep needs"):
        exactncc.find_batch(image, [templ], keep=3)
    with pytest.raises(exactncc.UnsupportedError):
        exactncc.convolve(image.astype(np.float64), [[1.0]])
    with pytest.raises(exactncc.ArgumentError):
        exactncc.convolve(image, [[np.inf]])
    with pytest.raises(ValueError, match="2 dimensions"):
        exactncc.convolve(image, [1, 2])
    with pytest.raises(ValueError, match="border 'wrap'"):
        exactncc.convolve(image, [[1]], border="wrap")
    with pytest.raises(exactncc.DeviceError):
        exactncc.Context("cuda", cuda_index=99)
    with pytest.raises(ValueError, match="'gpu' is not known"):
        exactncc.Context("gpu")
    with pytest.raises(exactncc.ArgumentError, match="threads"):
        exactncc.Context("cpu", threads=-1)
    for wrong in "cuda:", "cuda:x", "cuda:0,", "cuda:-1", "cuda:all,0", []:
        with pytest.raises(ValueError, match="is not known; the names are"):
            exactncc.Context(wrong)
    with pytest.raises(TypeError):
        exactncc.Context(["a"])
    for twice in "cuda:2,1,2", [2, 1, 2]:
        with pytest.raises(exactncc.ArgumentError, match="CUDA device 2 is twice in the list"):
            exactncc.Context(twice)
    with pytest.raises(exactncc.ArgumentError, match="the device number -1 is negative"):
        exactncc.Context([0, -1])
    for missing in "cuda:98,99", [98, 99], "cuda:99":
        with pytest.raises(exactncc.DeviceError):
            exactncc.Context(missing)
    plan = exactncc.Plan(image, templ)
    with pytest.raises(exactncc.ArgumentError):
        plan.correlate(image[1:])
    with pytest.raises(TypeError, match="must be a Template"):
        plan.find(image, templ)


def test_masks(pair, draw):
    image, templ = pair
    keep = draw(image.shape, "bool") | draw(image.shape, "bool")
    wanted = correlate(image, templ, mask=keep)
    assert not np.array_equal(wanted, correlate(image, templ))
    masked = np.ma.array(image, mask=~keep)
    for options in (
        {"mask": keep.astype(np.uint8) * 200},
        {"mask": np.asfortranarray(keep)},
        {"mask": keep.tolist()},
    ):
        np.testing.assert_array_equal(correlate(image, templ, **options), wanted)
    np.testing.assert_array_equal(correlate(masked, templ), wanted)
    half = keep | (np.arange(image.shape[1]) % 2 == 0)
    both = correlate(np.ma.array(image, mask=~half), templ, mask=keep | ~half)
    np.testing.assert_array_equal(both, correlate(image, templ, mask=half & (keep | ~half)))
    inner = np.ones(templ.shape, bool)
    inner[0] = inner[:, -1] = False
    wanted = correlate(image, templ, template_mask=inner)
    np.testing.assert_array_equal(correlate(image, np.ma.array(templ, mask=~inner)), wanted)
    np.testing.assert_array_equal(correlate(image, exactncc.Template(templ, mask=inner)), wanted)
    np.testing.assert_array_equal(exactncc.Plan(image, exactncc.Template(templ, mask=inner)).correlate(image), wanted)
    color = np.ma.array(np.dstack([image] * 3), mask=np.zeros((*image.shape, 3), bool))
    color.mask[4, 5, 1] = True  # a pixel counts if none of its channels is masked
    one = np.ones(image.shape, bool)
    one[4, 5] = False
    np.testing.assert_array_equal(
        correlate(color, np.dstack([templ] * 3), channel_axis=-1),
        correlate(color.data, np.dstack([templ] * 3), channel_axis=-1, mask=one),
    )


def test_no_data(pair):
    image, templ = pair
    image = image.copy()
    image[3:6, 4:30] = 77
    np.testing.assert_array_equal(
        correlate(image, templ, no_data=77, template_mask=templ != 77), correlate(image, templ, mask=image != 77, template_mask=templ != 77)
    )  # fmt: skip
    holes = image.astype(np.float32)
    holes[image == 77] = np.nan
    got = correlate(holes, templ.astype(np.float32), no_data=float("nan"))
    np.testing.assert_array_equal(got, correlate(image.astype(np.float32), templ.astype(np.float32), mask=image != 77))


@pytest.mark.parametrize("where", ["mask", "template_mask"])
def test_refused_masks(pair, where):
    image, templ = pair
    shape = image.shape if where == "mask" else templ.shape
    for bad, error, text in (
        (np.full(shape, 0.5), TypeError, "Weights are not supported"),
        (np.ones(shape, np.float32), TypeError, "must be bool or uint8"),
        (np.ones(shape, np.int64), TypeError, "must be bool or uint8"),
        (np.ones((3, 3), bool), ValueError, "mask"),
        (np.ones(shape[0], bool), ValueError, "mask"),
    ):
        with pytest.raises(error, match=text):
            correlate(image, templ, **{where: bad})
    with pytest.raises(ValueError, match="template_mask is for arrays"):
        correlate(image, exactncc.Template(templ), template_mask=templ)
    with pytest.raises(exactncc.ArgumentError, match="count"):
        exactncc.Template(templ, mask=np.zeros(templ.shape, bool))


def test_out(pair):
    image, templ = pair
    wanted = correlate(image, templ)
    out = np.full(wanted.shape, 9, np.float32)
    assert correlate(image, templ, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    wide = np.full((wanted.shape[0], wanted.shape[1] + 5), 9, np.float32)
    correlate(image, templ, out=wide[:, 2:-3])
    np.testing.assert_array_equal(wide[:, 2:-3], wanted)
    assert (wide[:, :2] == 9).all()
    assert (wide[:, -3:] == 9).all()
    turned = np.zeros(wanted.shape[::-1], np.float32).T
    assert correlate(image, templ, out=turned) is turned
    np.testing.assert_array_equal(turned, wanted)
    coefs = np.ones((3, 3))
    smooth = np.empty(image.shape, np.float32, order="F")
    assert exactncc.convolve(image, coefs, out=smooth) is smooth
    np.testing.assert_array_equal(smooth, exactncc.convolve(image, coefs))
    own = image.astype(np.float32)
    assert exactncc.convolve(own, coefs, out=own) is own  # reads and writes one array
    np.testing.assert_array_equal(own, smooth)
    scene, pattern = np.tile(image, (30, 20)).astype(np.float32), templ.astype(np.float32)
    wanted = correlate(scene, pattern)
    part = scene[6:, 7:]
    np.testing.assert_array_equal(correlate(scene, pattern, out=part), wanted)  # the image is overwritten
    locked = out.copy()
    locked.flags.writeable = False
    for bad, error in ((locked, TypeError), (out.astype(float), TypeError), (out[1:], ValueError), ([[1.0]], TypeError)):
        with pytest.raises(error, match="out"):
            correlate(image, templ, out=bad)
