# SPDX-License-Identifier: BSD-2-Clause
"""Tracking: where the parts of one image are in another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _arrays, _core, _device
from ._calls import Progress
from ._context import Context
from ._operands import pair_views

_FITS = ("whole", "quadratic", "gaussian", "oversampled")

# xncc_displacement
_FOUND = np.dtype(
    [(name, "f8") for name in ("x", "y", "dx", "dy")]
    + [("whole_dx", "i4"), ("whole_dy", "i4"), ("score", "f4"), ("second", "f4")]
    + [(name, "f8") for name in ("ratio", "snr", "curve_xx", "curve_xy", "curve_yy", "cov_xx", "cov_xy", "cov_yy")]
    + [("valid", "f8"), ("loop", "f8"), ("residual", "f8"), ("state", "u4"), ("_reserved", "u4")]
)
_SHOWN = [name for name in _FOUND.names or () if name != "_reserved"]


def _two(value: int | Sequence[int], name: str) -> tuple[int, int]:
    """Return a number for x and one for y."""
    both = (value, value) if isinstance(value, (int, np.integer)) else tuple(value)
    if len(both) != 2:
        raise ValueError(f"{name} is {value!r}; give one whole number, or one for x and one for y")
    return int(both[0]), int(both[1])


def _grid(shape: tuple[int, ...], chip: tuple[int, int], step: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return the centres of chips, row by row."""
    if step[0] < 1 or step[1] < 1:
        raise ValueError(f"grid is {step}; the distance of chips is at least 1 pixel")
    x = np.arange(0, shape[1] - chip[0] + 1, step[0]) + (chip[0] - 1) / 2
    y = np.arange(0, shape[0] - chip[1] + 1, step[1]) + (chip[1] - 1) / 2
    return np.stack([np.tile(x, len(y)), np.repeat(y, len(x))], axis=1)


def _points(points: Any, shift: Sequence[float]) -> np.ndarray[Any, Any]:
    """Return rows of x, y and the predicted dx and dy."""
    given = np.asarray(points, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] not in (2, 4):
        raise ValueError(f"points has the shape {given.shape}; give rows of x, y, or of x, y, dx, dy")
    rows = np.zeros((len(given), 4))
    rows[:, : given.shape[1]] = given
    rows[:, 2:] += np.asarray(shift, dtype=np.float64)
    return rows


def track(
    image1: Any,
    image2: Any,
    points: Any = None,
    *,
    grid: int | Sequence[int] | None = None,
    chip: int | Sequence[int] = 32,
    search: int | Sequence[int] = 16,
    coarse: Sequence[Sequence[Any]] = (),
    deform: int = 0,
    shift: Sequence[float] = (0.0, 0.0),
    fit: str = "quadratic",
    oversample: int = 16,
    back: bool = False,
    outliers: float | None = None,
    replace: bool = False,
    method: str = "ccoeff_normed",
    min_valid: float = 0.5,
    mask1: Any = None,
    mask2: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    kernel: str | None = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> np.recarray[Any, Any]:
    """Find where the parts of one image are in another.

    A rectangle of the first image around each point, the chip, is compared with the windows of the
    second one around a predicted displacement. Scores are those of `correlate`, bit for bit.

    Parameters
    ----------
    image1, image2 : array_like, shape (H, W) or with a channel axis
        With types as for `correlate`. Their extents may differ. One or both may be on a GPU: then
        both have the same type.
    points : array_like, shape (n, 2) or (n, 4), optional
        x and y of the chips' centres, and the displacement dx, dy that is predicted for each. By
        default a grid.
    grid : int or pair of int, optional
        Pixels from one chip of the grid to the next, in x and in y; by default half the chip.
    chip : int or pair of int
        The width and the height of the chips.
    search : int or pair of int
        The largest distance from the prediction in x and in y, up to 4096.
    coarse : sequence of (chip, search) or (chip, search, grid)
        Passes before, from coarse to fine: [(64, 16), (32, 8)]. Each predicts where the next one
        searches. Numbers are as above; chips of a pass are half a chip apart by default.
    deform : int
        How often the second image is deformed by what was found, and what is left is tracked again:
        for displacements that change within a chip. The chips for it are `grid` apart, or half a
        chip.
    shift : pair of float
        The predicted displacement of all points; it is added to that in `points`.
    fit : {'quadratic', 'gaussian', 'oversampled', 'whole'}
        How displacements are found to fractions of a pixel. 'whole': not at all.
    oversample : {2, 4, 8, 16, 32, 64}
        With fit 'oversampled', displacements are multiples of 1/oversample pixel.
    back : bool
        Also track back from the second image, which gives the field `loop`.
    outliers : float, optional
        Mark displacements whose residual in the normalized median test exceeds this, usually 2.
    replace : bool
        Replace outliers and missing displacements by the medians of those around them.
    method : str
        'ccoeff_normed' (NCC), 'ccoeff', 'ccorr' or 'ccorr_normed'.
    min_valid : float
        A chip or a window of which less than this fraction counts has no score.
    mask1, mask2 : array_like of bool or uint8, optional
        A pixel of image1 (image2) counts where its mask is not 0. A mask may be on the host or on a
        GPU, wherever its image is.
    no_data, channel_axis, kernel, context, progress
        As for `correlate`.

    Returns
    -------
    recarray
        One record per point, or per chip of the grid from left to right and from top to bottom, with
        the fields x, y (the centre of the chip), dx, dy, whole_dx, whole_dy, score, second, ratio,
        snr, curve_xx, curve_xy, curve_yy, cov_xx, cov_xy, cov_yy, valid, loop, residual and
        state. state has the bit 1 where there is no displacement, 2 where the best window is at the
        edge of the search, 4 for an outlier, and 8 for what was replaced. The C header track.h has
        the formulas.

    Raises
    ------
    TypeError, ValueError, UnsupportedError, CancelledError
        As for `correlate`.

    Notes
    -----
    With arrays on a GPU, the call waits for the caller's current stream first. The C header track.h
    says what is tracked on the GPU; for the rest, the images are copied to the host.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (100, 120), dtype=np.uint8)
    >>> moved = np.roll(image, (-2, 5), axis=(0, 1))
    >>> found = exactncc.track(image, moved, [[60, 50], [30, 40]], search=8)
    >>> found.whole_dx.tolist(), found.whole_dy.tolist(), found.score.tolist()
    ([5, 5], [-2, -2], [1.0, 1.0])
    """
    if points is not None and grid is not None:
        raise ValueError("give either points or grid, not both")
    if fit not in _FITS:
        raise ValueError(f"fit {fit!r} is not known; the names are {', '.join(_FITS)}")
    sides, most = _two(chip, "chip"), _two(search, "search")
    rule = _core.TrackRule(method, *sides, *most, _FITS.index(fit), oversample, bool(back), min_valid)
    for one in coarse:
        if not isinstance(one, Sequence) or len(one) not in (2, 3):
            raise ValueError(f"a pass of coarse is {one!r}; give (chip, search) or (chip, search, grid)")
        pass_chip = _two(one[0], "a chip of coarse")
        pass_grid = _two(one[2], "a grid of coarse") if len(one) == 3 else ((pass_chip[0] + 1) // 2, (pass_chip[1] + 1) // 2)
        rule.coarse(*pass_chip, *_two(one[1], "a search of coarse"), *pass_grid)
    step = _two(grid, "grid") if grid is not None else ((sides[0] + 1) // 2, (sides[1] + 1) // 2)
    rule.deform(deform, *step)
    if replace and outliers is None:
        raise ValueError("replace needs outliers, the limit of the test")
    if outliers is not None:
        rule.check(outliers, replace)
    images = (_arrays.plain(image1), _arrays.plain(image2))
    context, (view1, view2) = pair_views(images, (mask1, mask2), no_data, channel_axis, context)
    rows = _points(_grid(view1.shape, sides, step) if points is None else points, shift)
    with _device.ordered(view1), _device.ordered(view2):
        data = _core.track(context._core, view1, view2, rule, rows, kernel, progress)
    return np.frombuffer(data, _FOUND)[_SHOWN].copy().view(np.recarray)


__all__ = ["track"]
