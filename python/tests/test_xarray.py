# SPDX-License-Identifier: BSD-2-Clause
"""xarray.DataArray in and out."""

import numpy as np
import pytest

import exactncc

xarray = pytest.importorskip("xarray")


@pytest.fixture
def image(draw):
    coords = {"north": 9000.0 - 10 * np.arange(20), "east": 500.0 + 10 * np.arange(30), "time": 7}
    return xarray.DataArray(draw((20, 30)), coords, ["north", "east"], name="red")


def test_correlate(image):
    templ = image[5:9, 6:13]
    scores = exactncc.correlate(image, templ)
    assert isinstance(scores, xarray.DataArray)
    np.testing.assert_array_equal(scores.values, exactncc.correlate(image.values, templ.values))
    assert scores.dims == ("north", "east")
    best = scores[scores.argmax(...)]
    assert (float(best.north), float(best.east)) == (8950, 560)
    same = exactncc.correlate(image, templ, mode="same")
    assert same.shape == image.shape
    np.testing.assert_array_equal(same.east, image.east)
    assert not exactncc.correlate(image, templ, mode="full").coords


def test_channels(image):
    bands = xarray.concat([image, image + 1], "band")
    scores = exactncc.correlate(bands, bands[:, 5:9, 6:13], channel_axis=0)
    assert scores.dims == ("north", "east")
    assert float(scores.max()) == 1.0


def test_the_other_functions(image):
    templ = image[5:9, 6:13]
    found = exactncc.find(image, templ, top=1)
    assert found[0].item()[:3] == (6, 5, 1.0)
    assert exactncc.find_batch(image, [templ], top=1)[0] == found[0]
    assert exactncc.refine(image, templ.values, found).shape == (1,)
    smooth = exactncc.convolve(image, np.ones((3, 3)) / 9)
    assert isinstance(smooth, xarray.DataArray)
    assert smooth.dims == image.dims
    np.testing.assert_array_equal(smooth.values, exactncc.convolve(image.values, np.ones((3, 3)) / 9))
