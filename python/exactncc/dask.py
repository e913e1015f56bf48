# SPDX-License-Identifier: BSD-2-Clause
"""Matching of Dask arrays, chunk by chunk, with the results of one call on the whole array.

Each chunk is matched together with the pixels around it that its windows need. In mode 'valid' the
map of a crop is the crop of the map, so the chunks have no influence on the result.
"""

from __future__ import annotations

import itertools
from typing import Any

import dask.array
import numpy as np
from dask.delayed import delayed

from . import _calls
from ._matches import Matches, matches_of
from ._template import Template

__all__ = ["correlate", "find"]

da: Any = dask.array  # whose functions have types in part only
_PADS = {"clamp": "edge", "zero": "constant", "mirror": "reflect", "wrap": "wrap"}


def _padded(image: Any, shape: tuple[int, int], mode: str, border: str) -> Any:
    """Return the image with the border that the windows of a mode reach."""
    if mode == "valid":
        return image
    if border not in _PADS:
        raise ValueError(f"border {border!r} is not supported for Dask arrays; use {', '.join(_PADS)}")
    before = [n // 2 if mode == "same" else n - 1 for n in shape]
    after = [n - 1 - n // 2 if mode == "same" else n - 1 for n in shape]
    if border in ("mirror", "wrap") and any(b > n - 1 for b, n in zip(before, image.shape)):
        raise ValueError(f"border {border!r} needs an image that is larger than the template: {image.shape}, {shape}")
    sides = [*zip(before, after), *[(0, 0)] * (image.ndim - 2)]
    return da.pad(image, sides, _PADS[border])


def _first(mode: str, shape: tuple[int, int]) -> tuple[int, int]:
    """Return row and column of the window of the map's first element."""
    shift = {"valid": [0, 0], "same": [n // 2 for n in shape], "full": [n - 1 for n in shape]}[mode]
    return -shift[0], -shift[1]


def _template(template: Any, options: dict[str, Any], image: Any) -> Template:
    axis = options.get("channel_axis")
    if isinstance(template, Template):
        if options.get("template_mask") is not None:
            raise ValueError("template_mask is for arrays; a Template has its mask from when it was made")
        return template
    array = np.asanyarray(template)
    if array.dtype.kind in "biu" and array.dtype != image.dtype and image.dtype.kind in "biu":
        # The values of the image are not known yet, so its type decides.
        array = array.astype(np.result_type(array.dtype, image.dtype))
    mask = options.pop("template_mask", None)
    return Template(array, mask=mask, no_data=options.get("no_data"), channel_axis=axis)


def _spans(chunks: tuple[int, ...], positions: int) -> list[tuple[int, int]]:
    """Return ranges of positions, one per chunk that has any."""
    ends = [min(e, positions) for e in itertools.accumulate(chunks)]
    ends[-1] = positions
    return [(a, b) for a, b in zip([0, *ends], ends) if b > a]


class _Windows:
    """The pixels, and the mask, of ranges of windows of a Dask array."""

    def __init__(self, image: Any, template: Any, options: dict[str, Any]) -> None:
        image = da.asarray(image)
        axis = options.get("channel_axis")
        self.templ = _template(template, options, image)
        options.pop("template_mask", None)
        if axis is not None:
            image = da.moveaxis(image, axis, -1)
            options["channel_axis"] = -1
        if image.ndim != (2 if axis is None else 3):
            raise ValueError(f"the image has {image.ndim} dimensions; give channel_axis if it has channels")
        self.shape: tuple[int, int] = (self.templ.shape[0], self.templ.shape[1])
        self.mode = options.pop("mode", "valid")
        border = options.pop("border", "clamp")
        if self.mode not in ("valid", "same", "full"):
            raise ValueError(f"mode {self.mode!r} is not known; the names are valid, same, full")
        self.image = _padded(image, self.shape, self.mode, border)
        mask = options.pop("mask", None)
        self.mask = None
        if mask is not None:
            mask = da.asarray(mask)
            if border == "zero" and self.mode != "valid":
                mask = ~(mask == 0)  # the zeros of the border count
                sides = [(p, q) for p, q in zip(*self._border())]
                self.mask = da.pad(mask, sides, "constant", constant_values=True)
            else:
                self.mask = _padded(mask, self.shape, self.mode, border)
        self.rows, self.columns = (n - t + 1 for n, t in zip(self.image.shape, self.shape))
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"the template, {self.shape}, is larger than the image, {image.shape[:2]}")
        self.options = options

    def _border(self) -> tuple[list[int], list[int]]:
        before = [n // 2 if self.mode == "same" else n - 1 for n in self.shape]
        return before, [n - 1 - b if self.mode == "same" else b for n, b in zip(self.shape, before)]

    def spans(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        return _spans(self.image.chunks[0], self.rows), _spans(self.image.chunks[1], self.columns)

    def pixels(self, rows: tuple[int, int], columns: tuple[int, int]) -> tuple[Any, Any]:
        """Return the pixels, in one chunk, and their mask, of the windows at some positions."""
        box = (
            slice(rows[0], rows[1] + self.shape[0] - 1),
            slice(columns[0], columns[1] + self.shape[1] - 1),
        )
        parts = [None if a is None else a[box].rechunk(-1) for a in (self.image, self.mask)]
        return parts[0], parts[1]


def _correlate_block(pixels: Any, mask: Any, templ: Template, options: dict[str, Any]) -> Any:
    return _calls.correlate(pixels, templ, mask=mask, **options)


def correlate(image: Any, template: Any, **options: Any) -> Any:
    """Compute the score of every window of a Dask array, lazily.

    Parameters
    ----------
    image : dask.array.Array, shape (H, W) or with a channel axis
        Its chunks, of any sizes, become those of the map. For int32, int64 and uint64 make the
        template from an array of the type that holds all values.
    template : array_like or Template
        As for `exactncc.correlate`; in memory.
    **options
        As for `exactncc.correlate`: method, mode, border (not 'overlap'), flat, min_valid, mask (an
        array or a Dask array), template_mask, no_data, channel_axis, kernel.

    Returns
    -------
    dask.array.Array of float32
        The bits of ``exactncc.correlate(image.compute(), template, **options)``.

    Raises
    ------
    TypeError, ValueError
        As for `exactncc.correlate`. What depends on the pixels is raised when it is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import exactncc.dask
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> scores = exactncc.dask.correlate(da.from_array(image, chunks=25), image[20:30, 40:52])
    >>> scores.shape, float(scores.max().compute())
    ((51, 69), 1.0)
    """
    windows = _Windows(image, template, dict(options))
    block = delayed(_correlate_block, pure=True)
    rows, columns = windows.spans()
    grid = []
    for r in rows:
        line = []
        for c in columns:
            pixels, mask = windows.pixels(r, c)
            shape = (r[1] - r[0], c[1] - c[0])
            scores = block(pixels, mask, windows.templ, windows.options)
            line.append(da.from_delayed(scores, shape, np.float32))
        grid.append(line)
    return da.block(grid)


def _candidates_block(
    pixels: Any,
    mask: Any,
    templ: Template,
    box: tuple[int, int, int, int],
    origin: tuple[int, int],
    search: dict[str, Any],
) -> bytes:
    """Return the matches of a block within a box of its positions (x0, y0, x1, y1), at their place in the image."""
    found = _calls.find(pixels, templ, mask=mask, **search)
    inside = (found.x >= box[0]) & (found.y >= box[1]) & (found.x < box[2]) & (found.y < box[3])
    found = found[inside]
    found.x += origin[1]
    found.y += origin[0]
    return bytes(found.tobytes())


def _choose(parts: list[bytes], distance: int, top: int | None, method: str) -> Matches:
    return _calls.suppress(matches_of(bytearray(b"".join(parts))), distance=distance, top=top, method=method)


def find(
    image: Any,
    template: Any,
    *,
    top: int | None = 10,
    min_score: float = 0.0,
    max_score: float = float("inf"),
    min_distance: int | None = None,
    **options: Any,
) -> Any:
    """Find the best matches of a template in a Dask array, lazily.

    Parameters
    ----------
    image, template
        As for `correlate` of this module.
    top, min_score, max_score, min_distance
        As for `exactncc.find`. A `min_score` that few windows reach saves most of the memory.
    **options
        As for `correlate` of this module.

    Returns
    -------
    dask.delayed.Delayed
        ``compute()`` returns the matches of ``exactncc.find(image.compute(), template, ...)``.

    Raises
    ------
    TypeError, ValueError
        As for `correlate` of this module.

    Examples
    --------
    >>> import dask.array as da
    >>> import exactncc.dask
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> matches = exactncc.dask.find(da.from_array(image, chunks=25), image[20:30, 40:52], min_score=0.5)
    >>> matches.compute()
    1 match
     x   y  score  template  width  height
    40  20      1         0     12      10
    """
    windows = _Windows(image, template, dict(options))
    distance = min_distance
    if distance is None:
        distance = max(min(windows.shape) // 2, 1)
    # A candidate is better than its neighbours if the distance is above 1, so a block needs one position
    # more on each side. At a distance of 2 `find` returns all candidates; the choice among them comes last.
    near = 1 if distance > 1 else 0
    search = windows.options | {
        "top": None if near else top,
        "min_score": min_score,
        "max_score": max_score,
        "min_distance": 1 + near,
    }
    block = delayed(_candidates_block, pure=True)
    first = _first(windows.mode, windows.shape)
    parts = []
    spans = windows.spans()
    for (r0, r1), (c0, c1) in itertools.product(*spans):
        rows = max(r0 - near, 0), min(r1 + near, windows.rows)
        columns = max(c0 - near, 0), min(c1 + near, windows.columns)
        pixels, mask = windows.pixels(rows, columns)
        box = (c0 - columns[0], r0 - rows[0], c1 - columns[0], r1 - rows[0])
        origin = (rows[0] + first[0], columns[0] + first[1])
        parts.append(block(pixels, mask, windows.templ, box, origin, search))
    method = windows.options.get("method", "ccoeff_normed")
    return delayed(_choose, pure=True)(parts, distance, top, method)
