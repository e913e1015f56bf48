# SPDX-License-Identifier: BSD-2-Clause
"""The functions of one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _arrays, _core, _device
from ._context import Context
from ._matches import Matches, candidates_of, matches_of, refined_of
from ._operands import context_of, image_view, operands, templates_of
from ._rules import peaks, rule, suppress_rule
from ._template import Template

Progress = Callable[[float], object]
INF = float("inf")


def correlate(
    image: Any,
    template: Any,
    *,
    method: str = "ccoeff_normed",
    mode: str = "valid",
    border: str = "clamp",
    flat: str = "zero",
    min_valid: float = 0.5,
    mask: Any = None,
    template_mask: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    kernel: str | None = None,
    out: Any = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Any:
    """Compute the score of every window of an image.

    Parameters
    ----------
    image : array_like, shape (H, W) or with a channel axis
        bool, integers of 8 to 64 bits, float16, float32 or float64, with any strides. Arrays of
        CuPy, PyTorch and JAX on a GPU are not copied to the host. See Notes for types.
    template : array_like or Template, shape (h, w) or with a channel axis
        In mode 'valid' not larger than the image.
    method : str
        'ccoeff_normed' (NCC), 'ccoeff', 'ccorr', 'ccorr_normed', 'sqdiff', 'sqdiff_normed' or
        'coverage'. With the 'sqdiff' methods a small score is good. The formulas are OpenCV's.
    mode : {'valid', 'same', 'full'}
        The windows inside the image, one centred on each pixel, or all that share a pixel with it.
    border : {'clamp', 'zero', 'mirror', 'wrap', 'overlap'}
        The pixels outside the image. 'overlap': only pixels inside the image count.
    flat : {'zero', 'nan'}
        The score of a window without contrast, where a normed method would divide by 0.
    min_valid : float
        A window scores NaN if less than this fraction of the template's pixels counts in it.
    mask, template_mask : array_like of bool or uint8, optional
        A pixel counts where its mask is not 0. The masks of NumPy masked arrays are used as well.
    no_data : float, optional
        Pixels with this value do not count, in image and template. NaN: pixels that have a NaN.
    channel_axis : int, optional
        The axis of the channels in image and template: -1 for channels last, 0 for channels first.
        The channels give one score. None: one channel.
    kernel : str, optional
        The name of the kernel to use. By default the fastest is chosen.
    out : ndarray of float32, optional
        Receives the result.
    context : Context, optional
        The engines to use. By default those of the template, or of `default_context`.
    progress : callable, optional
        Called as ``progress(fraction)`` in the calling thread while the call runs. An exception
        from it stops the call.

    Returns
    -------
    ndarray of float32
        Shape (H-h+1, W-w+1), (H, W) or (H+h-1, W+w-1) as the mode says. In mode 'valid', element
        [y, x] is the score of the window whose top-left pixel is [y, x]. For arrays on a GPU the
        result is an array of the same framework on the same device; for an xarray.DataArray it is
        a DataArray.

    Raises
    ------
    TypeError
        A dtype is not supported, or a mask has weights.
    ValueError
        Shapes or values do not fit together. `ArgumentError` is a ValueError.
    UnsupportedError
        The kernel that was asked for cannot serve the call.
    CancelledError
        `Context.cancel` was called. Ctrl-C raises KeyboardInterrupt as usual.

    Notes
    -----
    Scores are exact, for integers and floats: exact sums, one formula in double precision, one
    rounding to float32. Two different types are converted to the type that NumPy promotes them to.
    bool becomes uint8, float16 float32. int32, int64 and uint64 become the first of uint8, int8,
    uint16, int16 and uint32 that holds all values of image and template, which changes no score;
    if none does, ValueError is raised.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> scores = exactncc.correlate(image, image[20:30, 40:52])
    >>> scores.shape
    (51, 69)
    >>> y, x = np.unravel_index(scores.argmax(), scores.shape)
    >>> (int(y), int(x), float(scores[y, x]))
    (20, 40, 1.0)
    """
    if _arrays.is_xarray(image):
        from . import _xarray

        options = {k: v for k, v in locals().items() if k not in ("image", "template", "out", "_xarray")}
        return _xarray.correlate(image, template, out, mode, options)
    what = rule(method, mode, border, flat, min_valid)
    context, view, templ = operands(image, template, mask, template_mask, no_data, channel_axis, context)
    if view.on_device:
        keep = isinstance(template, Template)
        return _device.correlate(view, keep, templ, what, kernel, out, context, progress)

    def fill(target: _core.Map) -> None:
        _core.correlate(context._core, view, templ, what, kernel, target, progress)

    return _arrays.filled(out, _core.measure(what, view, templ), image, fill)


def find(
    image: Any,
    template: Any,
    *,
    top: int | None = 10,
    min_score: float = 0.0,
    max_score: float = INF,
    min_distance: int | None = None,
    method: str = "ccoeff_normed",
    mode: str = "valid",
    border: str = "clamp",
    flat: str = "zero",
    min_valid: float = 0.5,
    mask: Any = None,
    template_mask: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    kernel: str | None = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Matches:
    """Find the best matches of a template in an image.

    Parameters
    ----------
    image, template
        As for `correlate`.
    top : int, optional
        The largest number of matches. None: all.
    min_score : float
        The smallest score of a match; at most 0 with the 'sqdiff' methods.
    max_score : float
        The largest score of a match; only with the 'sqdiff' methods.
    min_distance : int, optional
        The minimum distance of two matches in pixels, the larger of that in x and in y. None: half
        the shorter side of the template. Above 1, a match is better than its eight neighbours.
    method, mode, border, flat, min_valid, mask, template_mask, no_data, channel_axis, kernel
        As for `correlate`.
    context, progress
        As for `correlate`.

    Returns
    -------
    Matches
        A structured array, best first; equal scores by y, then by x. Positions are the top-left
        pixels of windows, 0-based, x to the right and y down.

    Raises
    ------
    TypeError, ValueError, UnsupportedError, CancelledError
        As for `correlate`.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> exactncc.find(image, image[20:30, 40:52], min_score=0.5)
    1 match
     x   y  score  template  width  height
    40  20      1         0     12      10
    """
    image = _arrays.plain(image)
    what = rule(method, mode, border, flat, min_valid)
    which = peaks(top, min_score, max_score, min_distance)
    context, view, templ = operands(image, template, mask, template_mask, no_data, channel_axis, context)
    if view.on_device:
        return matches_of(_device.find(view, templ, what, which, kernel, context, progress))
    return matches_of(_core.find(context._core, view, templ, what, which, kernel, progress))


def find_batch(
    image: Any,
    templates: Sequence[Any],
    *,
    top: int | None = 10,
    min_score: float = 0.0,
    max_score: float = INF,
    min_distance: int | None = None,
    overlap: float | None = None,
    distance: float | None = None,
    keep: int | None = None,
    method: str = "ccoeff_normed",
    mode: str = "valid",
    border: str = "clamp",
    flat: str = "zero",
    min_valid: float = 0.5,
    mask: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    kernel: str | None = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Matches:
    """Find several templates in one image.

    Parameters
    ----------
    image
        As for `correlate`.
    templates : sequence of array_like, or of Template
        Their sizes may differ. For masks make `Template` objects or masked arrays.
    top, min_score, max_score, min_distance
        As for `find`, for each template.
    overlap : float, optional
        Of two matches whose windows share more than this part of their union, the better one is
        kept. As for `suppress`.
    distance : float, optional
        Of two matches whose centres are closer than this, the better one is kept. By default, no
        match is suppressed for the sake of another template.
    keep : int, optional
        The largest number of matches of all templates, with `overlap` or `distance`.
    method, mode, border, flat, min_valid, mask, no_data, channel_axis, kernel
        As for `correlate`.
    context, progress
        As for `correlate`.

    Returns
    -------
    Matches
        One list, best first. The field ``template`` is the index into `templates`. Without
        `overlap` and `distance` it has the matches that `find` returns for each template.

    Raises
    ------
    TypeError, ValueError, UnsupportedError, CancelledError
        As for `correlate`.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> parts = [image[5:15, 6:16], image[30:38, 50:62]]
    >>> exactncc.find_batch(image, parts, min_score=0.9)
    2 matches, best first
     x   y  score  template  width  height
     6   5      1         0     10      10
    50  30      1         1     12       8
    """
    image = _arrays.plain(image)
    if keep is not None and overlap is None and distance is None:
        raise ValueError("keep needs overlap or distance; top limits the matches of each template")
    what = rule(method, mode, border, flat, min_valid)
    which = peaks(top, min_score, max_score, min_distance)
    merge = suppress_rule(distance, overlap, keep)
    context, made = templates_of(templates, no_data, channel_axis, context, image)
    if not made:
        return matches_of(bytearray())
    view = image_view(image, made[0], mask, no_data, channel_axis)
    cores = [t._core for t in made]
    if view.on_device:
        keep = all(isinstance(t, Template) for t in templates)
        return matches_of(_device.find_batch(view, keep, cores, what, which, merge, kernel, context, progress))
    return matches_of(_core.find_batch(context._core, view, cores, what, which, merge, kernel, progress))


def refine(
    image: Any,
    template: Any,
    matches: Any,
    *,
    method: str = "ccoeff_normed",
    mode: str = "valid",
    border: str = "clamp",
    flat: str = "zero",
    min_valid: float = 0.5,
    mask: Any = None,
    no_data: float | None = None,
    channel_axis: int | None = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Matches:
    """Refine matches to fractions of a pixel.

    A quadratic surface is fitted to the scores at each match and its eight neighbours.

    Parameters
    ----------
    image
        As for `correlate`.
    template : array_like, Template, or list of these
        What was searched for: the template of `find`, or the list of `find_batch`.
    matches : Matches
        What `find`, `find_batch` or `suppress` returned.
    method, mode, border, flat, min_valid, mask, no_data, channel_axis
        Those of the search.
    context, progress
        As for `correlate`.

    Returns
    -------
    Matches
        The same matches in the same order, with float64 positions and scores. A position is the
        top-left corner of the window. The score is that of the surface and can slightly exceed 1.

    Raises
    ------
    TypeError, ValueError, UnsupportedError, CancelledError
        As for `correlate`; ValueError also if a match is not a position of the map.

    Examples
    --------
    >>> y, x = np.mgrid[:40, :50]
    >>> image = (200 * np.exp(-((x - 24.25) ** 2 + (y - 18) ** 2) / 30)).astype(np.uint8)
    >>> template = (200 * np.exp(-((x - 24) ** 2 + (y - 18) ** 2) / 30)).astype(np.uint8)[8:29, 14:35]
    >>> found = exactncc.find(image, template, top=1)
    >>> refined = exactncc.refine(image, template, found)
    >>> int(found.x[0]), round(float(refined.x[0]), 1)
    (14, 14.2)
    """
    image = _arrays.plain(image)
    what = rule(method, mode, border, flat, min_valid)
    candidates = candidates_of(matches)
    several = isinstance(template, (list, tuple)) and not np.isscalar(_first_leaf(template))
    context, made = templates_of(template if several else [template], no_data, channel_axis, context, image)
    positions = np.empty((len(candidates), 3))
    numbers = candidates["template"] if several else np.zeros(len(candidates), np.int32)
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(made):
        raise ValueError(f"a match is of template {numbers.max()}, and there are {len(made)} templates")
    for number in np.unique(numbers):
        mine = numbers == number
        view = image_view(image, made[number], mask, no_data, channel_axis)
        part = np.ascontiguousarray(candidates[mine])
        stream = _device.stream_of(view)
        data = _core.refine(context._core, view, made[number]._core, what, part, stream, progress)
        positions[mine] = np.frombuffer(data).reshape(-1, 3)
    return refined_of(positions, candidates)


def _first_leaf(template: Any) -> Any:
    """Return the first pixel of a template given as rows, or the first template of a list."""
    while isinstance(template, (list, tuple)) and template:
        template = template[0]
    return template


def suppress(
    matches: Any,
    *,
    overlap: float | None = None,
    distance: float | None = None,
    top: int | None = None,
    method: str = "ccoeff_normed",
) -> Matches:
    """Make one list of the matches of several templates by non-maximum suppression.

    Matches are accepted in the order of their scores. A match that is taken for the same object as
    an accepted one is removed, and so are matches whose score is NaN.

    Parameters
    ----------
    matches : Matches
        The matches of one image, in any order; for example ``np.concatenate`` of several results.
    overlap : float, optional
        Two matches are the same object if the area that their windows share, divided by that of
        their union, exceeds this; 0 to 1. The default is 0.5 if `distance` is not given.
    distance : float, optional
        Two matches are the same object if their centres are closer than this in x and in y, pixels.
    top : int, optional
        The largest number of matches to keep. None: all.
    method : str
        The method of the scores, which says whether large or small scores are good.

    Returns
    -------
    Matches
        The matches that are kept, best first.

    Raises
    ------
    TypeError
        `matches` is not an array of matches.
    ValueError
        Both limits are given, or one is out of range.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> twice = [exactncc.find(image, image[20:30, 40:52], top=1) for _ in range(2)]
    >>> len(exactncc.suppress(np.concatenate(twice)))
    1
    """
    what = rule(method, "valid", "clamp", "zero", 0.5)
    if overlap is None and distance is None:
        overlap = 0.5
    limit = suppress_rule(distance, overlap, top)
    assert limit is not None
    candidates = candidates_of(matches)
    kept = _core.suppress(what, candidates, limit)
    return matches_of(bytearray(candidates[:kept].tobytes()))


def coefficients_of(coefficients: Any) -> _arrays.Array:
    """Return the coefficients of a convolution as the library takes them."""
    array = np.asarray(coefficients)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or array.size == 0:
        raise ValueError(f"the coefficients must be numbers in 2 dimensions, not {array.dtype} of shape {array.shape}")
    return np.ascontiguousarray(array, np.float32)


def zero_border(border: str) -> bool:
    if border not in ("clamp", "zero"):
        raise ValueError(f"border {border!r} is not known to convolve; the names are clamp, zero")
    return border == "zero"


def convolution_view(image: Any) -> _core.Image:
    """Return a view of an image that convolve takes: uint8, uint16 or float32."""
    view = _arrays.fast_view(image, None, None, None)
    if view is not None:
        return view
    if _device.is_device(image):
        return _device.image_view(image, None, None, None, None)
    pixels, counts = _arrays.pixels_of(image, "image", None)
    if counts is not None and not counts.all():
        raise ValueError("convolve takes no masked arrays; fill them first")
    return _arrays.view_of(pixels, None, None, _arrays.common_dtype(pixels))


def convolve(
    image: Any,
    coefficients: Any,
    *,
    border: str = "clamp",
    correlate: bool = False,
    anchor: tuple[int, int] | None = None,
    kernel: str | None = None,
    out: Any = None,
    context: Context | None = None,
    progress: Progress | None = None,
) -> Any:
    """Convolve an image with a filter.

    Parameters
    ----------
    image : array_like, shape (H, W)
        uint8, uint16 or float32, or a type that `correlate` would convert to one of these.
    coefficients : array_like, shape (h, w)
        Finite numbers, up to 127 x 127, converted to float32.
    border : {'clamp', 'zero'}
        The pixels outside the image.
    correlate : bool
        Whether to correlate: the filter is then not rotated by 180 degrees.
    anchor : (int, int), optional
        Row and column of the coefficient that is over the output pixel. By default (h//2, w//2).
    kernel, context, progress
        As for the function `correlate`.
    out : ndarray of float32, optional
        Receives the result.

    Returns
    -------
    ndarray of float32, shape (H, W)
        Each element is a sum in one order with one fused multiply-add per coefficient, so every
        kernel returns the same bits. For arrays on a GPU, an array of the same framework.

    Raises
    ------
    TypeError, ValueError, CancelledError
        As for `correlate`.
    UnsupportedError
        The image has another pixel type.

    Examples
    --------
    >>> image = np.zeros((3, 4), np.uint8)
    >>> image[1, 1] = 1
    >>> exactncc.convolve(image, [[1, 2, 3]])
    array([[0., 0., 0., 0.],
           [1., 2., 3., 0.],
           [0., 0., 0., 0.]], dtype=float32)
    """
    if _arrays.is_xarray(image):
        return image.copy(data=convolve(**{**locals(), "image": image.values}))
    if context is None:
        context = context_of(image)
    is_zero = zero_border(border)
    array = coefficients_of(coefficients)
    xy = None if anchor is None else (anchor[1], anchor[0])

    def prepare() -> _core.Filter:
        return _core.Filter(context._core, array, correlate, xy)

    view = convolution_view(image)
    if view.on_device:
        kept = _device.pattern(array, None, (context._core, correlate, xy), prepare)
        return _device.convolve(view, kept, is_zero, kernel, out, context, progress)
    coefs = prepare()

    def fill(target: _core.Map) -> None:
        _core.convolve(context._core, view, coefs, is_zero, kernel, target, progress)

    return _arrays.filled(out, view.shape[:2], image, fill)


__all__ = ["Template", "convolve", "correlate", "find", "find_batch", "refine", "suppress"]
