# SPDX-License-Identifier: BSD-2-Clause
"""Templates at any rotation and scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _arrays, _core, _device
from ._context import Context
from ._matches import Matches, poses_of
from ._operands import image_view, templates_of

_SEARCHES = ("auto", "exhaustive", "pyramid")
_SUPPORTS = ("whole", "disc")


def _range(name: str, values: Sequence[float]) -> tuple[float, float, float | None]:
    if len(values) not in (2, 3):
        raise ValueError(f"{name} must be (first, last) or (first, last, step), not {values!r}")
    return float(values[0]), float(values[1]), float(values[2]) if len(values) == 3 else None


def _word(name: str, value: str, words: tuple[str, ...]) -> int:
    if value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, not {value!r}")
    return words.index(value)


def find_poses(
    image: Any,
    templates: Any,
    *,
    angles: Sequence[float] = (0.0, 360.0),
    scales: Sequence[float] = (1.0, 1.0),
    top: int | None = 10,
    min_score: float | None = None,
    overlap: float = 0.3,
    search: str = "auto",
    support: str = "whole",
    any_polarity: bool = False,
    refine: bool = True,
    min_valid: float = 0.5,
    mask: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    kernel: str | None = None,
    context: Context | None = None,
    progress: Callable[[float], object] | None = None,
) -> Matches:
    """Find templates at any rotation and scale.

    Parameters
    ----------
    image
        As for `correlate`.
    templates : array_like, Template, or list of these
        For masks make `Template` objects or masked arrays.
    angles : (first, last) or (first, last, step)
        Degrees, counter-clockwise as seen. (0, 360) is the full circle. Without a step, no corner
        of the template moves by more than a pixel from one angle to the next.
    scales : (first, last) or (first, last, step)
        Within 0.0625 .. 16. Without a step as above.
    top : int, optional
        The largest number of matches of all templates. None: all.
    min_score : float, optional
        The smallest score of a match, 0 .. 1. None: for each template the score that chance exceeds
        in 1 search of 100, but within 0.5 .. 0.8.
    overlap : float
        Of two matches whose turned frames share more than this part of their union, the better one
        is kept.
    search : {'auto', 'exhaustive', 'pyramid'}
        Every pose at every position, or from coarse to fine, which is far faster and can miss a
        match. 'auto': 'pyramid', where it can serve.
    support : {'whole', 'disc'}
        Use the whole template, or the largest disc in it.
    any_polarity : bool
        Whether matches may have reversed contrast. Their scores are then negative.
    refine : bool
        Whether to refine matches to fractions of a pixel and of a step.
    min_valid, mask, no_data, channel_axis, kernel
        As for `correlate`.
    context, progress
        As for `correlate`.

    Returns
    -------
    Matches
        Best first. Fields: ``center_x``, ``center_y``, ``angle`` and ``scale`` (refined); ``score``,
        the exact NCC of the best pose of the grid, ``grid_angle`` and ``grid_scale``, in the window
        at ``x``, ``y`` of ``width`` x ``height`` pixels; ``template``, the index into `templates`;
        ``fit_score``, the value of the fitted surface at the refined pose.

    Raises
    ------
    TypeError, ValueError, UnsupportedError, CancelledError
        As for `correlate`.

    Examples
    --------
    >>> y, x = np.mgrid[:120, :160]
    >>> image = (128 + 60 * np.sin(x / 7 + y * y / 900) + 50 * np.cos(y / 6 - x * y / 1200)).astype(np.uint8)
    >>> turned = np.rot90(image[40:72, 50:90])
    >>> match = exactncc.find_poses(image, turned, top=1)[0]
    >>> round(match.angle), round(float(match.center_x), 1), round(float(match.center_y), 1), float(match.score)
    (270, 69.5, 55.5, 1.0)
    """
    image = _arrays.plain(image)
    poses = _core.Poses(
        _word("search", search, _SEARCHES),
        bool(_word("support", support, _SUPPORTS)),
        any_polarity,
        refine,
        -1.0 if min_score is None else min_score,
        overlap,
        top,
        min_valid,
    )
    turns, sizes = _range("angles", angles), _range("scales", scales)
    several = list(templates) if isinstance(templates, (list, tuple)) else [templates]
    context, made = templates_of(several, no_data, channel_axis, context, image)
    if not made:
        return poses_of(bytearray())
    view = image_view(image, made[0], mask, no_data, channel_axis)
    cores = [t._core for t in made]
    with _device.ordered(view):
        return poses_of(_core.find_poses(context._core, view, cores, poses, turns, sizes, kernel, progress))
