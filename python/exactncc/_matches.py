# SPDX-License-Identifier: BSD-2-Clause
"""Lists of matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MATCH = np.dtype(
    [("x", "<i4"), ("y", "<i4"), ("score", "<f4"), ("template", "<i4"), ("width", "<i4"), ("height", "<i4")]
)
REFINED = np.dtype(
    [("x", "<f8"), ("y", "<f8"), ("score", "<f8"), ("template", "<i4"), ("width", "<i4"), ("height", "<i4")]
)
POSE = np.dtype(
    [("center_x", "<f8"), ("center_y", "<f8"), ("angle", "<f8"), ("scale", "<f8"), ("score", "<f4"), ("template", "<i4"),
     ("x", "<i4"), ("y", "<i4"), ("width", "<i4"), ("height", "<i4"),
     ("grid_angle", "<f8"), ("grid_scale", "<f8"), ("fit_score", "<f8")]
)  # fmt: skip
_RECORDS = {dtype: np.dtype((np.record, dtype)) for dtype in (MATCH, REFINED, POSE)}
_SHOWN = 20  # matches that a repr prints


class Matches(np.recarray[Any, Any]):
    """Matches, best first: a structured NumPy array with one element per match.

    Fields: ``x``, ``y`` (the top-left pixel of the window; x points right, y down, from 0),
    ``score``, ``template`` (the number of the template; 0 if there is only one), ``width`` and
    ``height`` (of the template, pixels). A field is an array: ``matches.score`` or
    ``matches["score"]``. pandas takes the array as it is: ``pandas.DataFrame(matches)``.

    `find`, `find_batch` and `suppress` return integer positions and float32 scores, `refine`
    float64 positions and scores. `find_poses` has more fields.
    """

    @property
    def center(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The centres, shape (n, 2): ``(x + (width - 1) / 2, y + (height - 1) / 2)``, or those of `find_poses`."""
        if self.dtype.names and "center_x" in self.dtype.names:
            return np.stack([self["center_x"], self["center_y"]], axis=-1)
        x = self["x"] + (self["width"] - 1) / 2
        y = self["y"] + (self["height"] - 1) / 2
        return np.stack([x, y], axis=-1)

    def __repr__(self) -> str:
        names = self.dtype.names
        if names is None or self.ndim != 1:
            return super().__repr__()
        rows = [[_cell(value) for value in row] for row in self[:_SHOWN].tolist()]
        widths = [max(len(cell) for cell in column) for column in zip(names, *rows)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths)) for row in [list(names), *rows]]
        more = len(self) - _SHOWN
        if more > 0:
            lines.append(f"... and {more} more")
        count = f"{len(self)} match{'' if len(self) == 1 else 'es'}"
        return "\n".join([f"{count}, best first" if len(self) > 1 else count, *(lines if len(self) else [])])

    __str__ = __repr__

    def tolist_of_dicts(self) -> list[dict[str, Any]]:
        """Return the matches as dictionaries of Python numbers, for JSON and the like."""
        names = self.dtype.names or ()
        return [dict(zip(names, values)) for values in self.tolist()]

    def plot(self, image: Any = None, ax: Axes | None = None, *, scores: bool = True, **style: Any) -> Axes:
        """Draw the windows of the matches with matplotlib.

        Parameters
        ----------
        image : array_like, optional
            The image to draw first: rows x columns, or with colours last.
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure is made.
        scores : bool
            Whether to write each match's score above its window.
        **style
            Given to ``matplotlib.patches.Rectangle``, for example ``edgecolor="red"``.

        Returns
        -------
        matplotlib.axes.Axes
            Where the matches are drawn.

        Raises
        ------
        ImportError
            matplotlib is not installed (``pip install exactncc[plot]``).
        """
        try:
            import matplotlib.pyplot as plt
            from matplotlib.patches import Rectangle
        except ImportError as error:
            raise ImportError("plot needs matplotlib: pip install exactncc[plot]") from error
        if ax is None:
            ax = plt.subplots()[1]
        if image is not None:
            ax.imshow(np.asarray(image), cmap="gray", interpolation="nearest")
        look: dict[str, Any] = {"fill": False, "edgecolor": "tab:red", "linewidth": 1.5} | style
        for match in self:
            # A pixel of imshow is centred on its coordinates.
            corner = (float(match["x"]) - 0.5, float(match["y"]) - 0.5)
            ax.add_patch(Rectangle(corner, int(match["width"]), int(match["height"]), **look))
            if scores:
                text = f"{float(match['score']):.3f}"
                ax.text(*corner, text, color=look["edgecolor"], fontsize="small", va="bottom", clip_on=True)
        if image is None:
            ax.autoscale_view()
            ax.set_aspect("equal")
            ax.yaxis.set_inverted(True)
        return ax


def _cell(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def matches_of(data: bytearray) -> Matches:
    """Return an array on the bytes of candidates."""
    return np.ndarray.__new__(Matches, len(data) // MATCH.itemsize, _RECORDS[MATCH], data)


def poses_of(data: bytearray) -> Matches:
    """Return an array on the bytes of matches at poses."""
    return np.ndarray.__new__(Matches, len(data) // POSE.itemsize, _RECORDS[POSE], data)


def refined_of(positions: np.ndarray[Any, Any], matches: np.ndarray[Any, Any]) -> Matches:
    """Join refined positions (rows of x, y, score) with the rest of the matches."""
    refined = np.ndarray.__new__(Matches, len(matches), _RECORDS[REFINED])
    for column, name in enumerate(("x", "y", "score")):
        refined[name] = positions[:, column]
    for name in ("template", "width", "height"):
        refined[name] = matches[name]
    return refined


def candidates_of(matches: Any) -> np.ndarray[Any, Any]:
    """Return a copy of matches as the C library takes them: contiguous elements of MATCH."""
    array = np.asarray(matches)
    names = array.dtype.names
    if names is None or not set(MATCH.names or ()) <= set(names):
        raise TypeError("matches must be a structured array with the fields x, y, score, template, width and height")
    if array.ndim != 1:
        raise ValueError(f"matches must have 1 dimension, not {array.ndim}")
    copy = np.empty(len(array), MATCH)
    for name in MATCH.names or ():
        if name in ("x", "y") and array.dtype[name].kind == "f" and np.any(array[name] % 1):
            raise ValueError("positions must be whole pixels; these have been refined")
        copy[name] = array[name]
    return copy
