# SPDX-License-Identifier: BSD-2-Clause
"""Dask arrays give the results of one call, also on a cluster of processes."""

import numpy as np
import pytest

import exactncc

da = pytest.importorskip("dask.array")
import exactncc.dask  # noqa: E402

CHUNKS = [(40, 50), (7, 9), (1, 50), ((3, 30, 2, 5), (20, 1, 29))]


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("mode", ["valid", "same", "full"])
def test_correlate(draw, chunks, mode):
    image, templ = draw((40, 50)), draw((6, 9))
    for border in ("clamp", "zero", "mirror", "wrap"):
        lazy = exactncc.dask.correlate(da.from_array(image, chunks), templ, mode=mode, border=border)
        assert isinstance(lazy, da.Array)
        wanted = exactncc.correlate(image, templ, mode=mode, border=border)
        assert lazy.shape == wanted.shape
        assert lazy.dtype == np.float32
        np.testing.assert_array_equal(lazy.compute(scheduler="threads"), wanted)
        if mode == "valid":
            break


def test_correlate_channels_masks_and_methods(draw):
    image, templ = draw((3, 30, 40), "uint16"), draw((3, 6, 7), "uint16")
    mask, templ_mask = draw((30, 40), "bool"), draw((6, 7), "bool")
    for options in (
        {"mask": mask},
        {"mask": da.from_array(mask, 9), "template_mask": templ_mask, "mode": "same", "border": "zero"},
        {"mask": mask, "mode": "full", "border": "clamp", "min_valid": 0.2, "method": "sqdiff"},
    ):
        lazy = exactncc.dask.correlate(da.from_array(image, (2, 11, 17)), templ, channel_axis=0, **options)
        whole = options | {"mask": mask}
        np.testing.assert_array_equal(lazy.compute(), exactncc.correlate(image, templ, channel_axis=0, **whole))


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("distance", [0, 2, 7, None])
def test_find(draw, chunks, distance):
    image = draw((40, 50)) // 64  # many equal scores
    templ = image[10:15, 20:26]
    for options in ({}, {"top": None, "min_score": 0.3}, {"mode": "same", "border": "mirror", "top": 25}):
        lazy = exactncc.dask.find(da.from_array(image, chunks), templ, min_distance=distance, **options)
        wanted = exactncc.find(image, templ, min_distance=distance, **options)
        got = lazy.compute(scheduler="threads")
        assert isinstance(got, exactncc.Matches)
        assert got.tolist() == wanted.tolist()
        assert len(got) >= 5


def test_find_a_distance(draw):
    image, templ = draw((40, 50)), draw((5, 6))
    options = {"method": "sqdiff_normed", "max_score": 0.9, "top": 8}
    wanted = exactncc.find(image, templ, **options)
    assert exactncc.dask.find(da.from_array(image, 13), templ, **options).compute().tolist() == wanted.tolist()
    assert len(wanted) == 8


def test_nothing_is_computed_before_compute(draw):
    def never(block):
        raise AssertionError("a block was read")

    image = da.from_array(draw((40, 50)), 20).map_blocks(never, dtype=np.uint8, meta=np.empty((0, 0), np.uint8))
    templ = draw((5, 6))
    for lazy in (exactncc.dask.correlate(image, templ), exactncc.dask.find(image, templ)):
        with pytest.raises(AssertionError, match="a block was read"):
            lazy.compute()


def test_refused(draw):
    image = da.from_array(draw((20, 20)), 7)
    for call in (exactncc.dask.correlate, exactncc.dask.find):
        with pytest.raises(ValueError, match="overlap"):
            call(image, draw((3, 3)), mode="same", border="overlap")
        with pytest.raises(ValueError, match="larger than the image"):
            call(image, draw((21, 3)))
        with pytest.raises(ValueError, match="channel_axis"):
            call(image[..., None], draw((3, 3)))
        with pytest.raises(ValueError, match="the names are"):
            call(image, draw((3, 3)), mode="inside")


def test_a_cluster_of_processes(draw):
    distributed = pytest.importorskip("distributed")
    image = draw((120, 150), "uint16")
    templ = exactncc.Template(image[50:60, 70:85], mask=draw((10, 15), "bool"))
    scores, matches = exactncc.correlate(image, templ), exactncc.find(image, templ)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        lazy = da.from_array(image, 40)
        got = client.gather(client.compute([exactncc.dask.correlate(lazy, templ), exactncc.dask.find(lazy, templ)]))
    np.testing.assert_array_equal(got[0], scores)
    assert got[1].tolist() == matches.tolist()
