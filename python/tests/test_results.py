# SPDX-License-Identifier: BSD-2-Clause
"""Results, and what other packages make of them."""

import json
import subprocess
import sys

import numpy as np
import pytest

import exactncc


@pytest.fixture
def matches(draw):
    image = draw((60, 80))
    return exactncc.find_batch(image, [image[20:30, 40:52], image[5:11, 6:18]], top=13)


def test_repr(matches):
    lines = repr(matches).splitlines()
    assert lines[0] == "26 matches, best first"
    assert lines[1].split() == ["x", "y", "score", "template", "width", "height"]
    assert lines[2].split() == ["6", "5", "1", "1", "12", "6"]
    assert len(lines) == 23
    assert lines[-1] == "... and 6 more"
    assert str(matches) == repr(matches)
    assert repr(matches[:0]) == "0 matches"
    assert repr(matches[:1]).splitlines()[0] == "1 match"
    assert repr(matches[["x", "score"]]).splitlines()[1].split() == ["x", "score"]
    assert isinstance(repr(matches.reshape(2, 13)), str)
    assert repr(matches[0])


def test_arrays_of_matches(matches):
    assert isinstance(matches, np.ndarray)
    assert matches.dtype.itemsize == 24
    assert isinstance(matches[:3], exactncc.Matches)
    np.testing.assert_array_equal(matches.score, matches["score"])
    assert (np.diff(matches.score) <= 0).all()
    np.testing.assert_array_equal(matches.center[0], [6 + 5.5, 5 + 2.5])
    assert json.loads(json.dumps(matches.tolist_of_dicts()))[0]["x"] == 6
    matches.score[0] = 2  # the caller's own


def test_pandas(matches):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(matches)
    assert list(frame.columns) == ["x", "y", "score", "template", "width", "height"]
    assert frame.x.tolist() == matches.x.tolist()
    assert frame.dtypes["score"] == np.float32
    assert len(pandas.DataFrame(matches[:0])) == 0


def test_plot(matches, draw):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    image = draw((60, 80))
    ax = matches[:3].plot(image, edgecolor="blue")
    boxes = [p.get_bbox().bounds for p in ax.patches]
    assert boxes == [(m.x - 0.5, m.y - 0.5, m.width, m.height) for m in matches[:3]]
    assert [t.get_text() for t in ax.texts] == [f"{m.score:.3f}" for m in matches[:3]]
    assert len(ax.images) == 1
    assert matches.plot(ax=plt.figure().gca(), scores=False).yaxis_inverted()
    ax.figure.canvas.draw()
    plt.close("all")


def test_plot_without_matplotlib(matches, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install exactncc\[plot\]"):
        matches.plot()


@pytest.mark.parametrize("bad", [np.zeros(3), [1, 2], np.zeros(2, [("x", "i4"), ("y", "i4")])])
def test_other_arrays_are_not_matches(bad, draw):
    with pytest.raises(TypeError, match="fields x, y, score"):
        exactncc.suppress(bad)
    with pytest.raises(TypeError, match="fields x, y, score"):
        exactncc.refine(draw((9, 9)), draw((3, 3)), bad)


def test_refined_matches_are_not_refined_again(draw):
    image = draw((30, 30))
    refined = exactncc.refine(image, image[3:9, 3:9], exactncc.find(image, image[3:9, 3:9]))
    with pytest.raises(ValueError, match="have been refined"):
        exactncc.refine(image, image[3:9, 3:9], refined)
    with pytest.raises(ValueError, match="either distance or overlap"):
        exactncc.suppress(refined[:0], distance=1, overlap=0.5)


def test_import_needs_only_numpy():
    """Nothing else is imported until it is used."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['matplotlib', 'pandas', 'dask', 'xarray', 'scipy', 'cupy', 'torch']));"
        "import numpy as np, exactncc; a = (np.arange(81, dtype='u1').reshape(9, 9) * 37) % 19; print(exactncc.find(a, a[2:5, 1:6], top=1)[0])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.startswith("(1, 2, 1."), run.stderr
