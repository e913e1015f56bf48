# SPDX-License-Identifier: BSD-2-Clause
"""Template matching with the signatures and results of scikit-image and OpenCV.

The scores are those of `exactncc.correlate`, so they are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._calls import correlate
from ._template import Template

__all__ = [
    "TM_CCOEFF",
    "TM_CCOEFF_NORMED",
    "TM_CCORR",
    "TM_CCORR_NORMED",
    "TM_SQDIFF",
    "TM_SQDIFF_NORMED",
    "matchTemplate",
    "match_template",
]

TM_SQDIFF, TM_SQDIFF_NORMED, TM_CCORR, TM_CCORR_NORMED, TM_CCOEFF, TM_CCOEFF_NORMED = range(6)
_METHODS = ("sqdiff", "sqdiff_normed", "ccorr", "ccorr_normed", "ccoeff", "ccoeff_normed")
_BORDERS = {"edge": "clamp", "reflect": "mirror", "wrap": "wrap"}


def match_template(
    image: Any, template: Any, pad_input: bool = False, mode: str = "constant", constant_values: Any = 0
) -> np.ndarray[Any, Any]:
    """Match a template as ``skimage.feature.match_template`` does.

    Parameters
    ----------
    image : array_like, shape (H, W) or (H, W, C)
        With three dimensions, the template must span the last one.
    template : array_like, shape (h, w) or (h, w, C)
        Not larger than the image.
    pad_input : bool
        False: the windows inside the image. True: one window centred on each pixel.
    mode : str
        How the image is padded, as for ``numpy.pad``, if `pad_input` is True.
    constant_values : number
        The value outside the image in mode 'constant'.

    Returns
    -------
    ndarray
        Normalized cross-correlation, -1 to 1; 0 where a window is flat. Shape (H-h+1, W-w+1), or
        (H, W) with `pad_input`; a last axis of 1 if there were three. float32 for float16 and
        float32 images, otherwise float64, with the values of `exactncc.correlate`.

    Raises
    ------
    ValueError
        The template is larger than the image, or has more dimensions.
    UnsupportedError
        Three dimensions of which the template does not span the last, or with `pad_input`.

    Examples
    --------
    >>> image = np.zeros((6, 6))
    >>> image[3, 4] = 1
    >>> template = np.zeros((3, 3))
    >>> template[1, 1] = 1
    >>> result = exactncc.match_template(image, template)
    >>> [int(i) for i in np.unravel_index(result.argmax(), result.shape)]
    [2, 3]
    """
    from ._errors import UnsupportedError

    image = np.asanyarray(image)
    small = image.dtype in (np.float16, np.float32)
    shape = template.shape if isinstance(template, Template) else np.shape(template)
    if image.ndim not in (2, 3):
        raise ValueError(f"the image must have 2 or 3 dimensions, not {image.ndim}")
    if image.ndim < len(shape):
        raise ValueError(f"the template has {len(shape)} dimensions, more than the image's {image.ndim}")
    if any(n < t for n, t in zip(image.shape, shape)):
        raise ValueError(f"the image, {image.shape}, must not be smaller than the template, {tuple(shape)}")
    if image.ndim == 3:
        if pad_input or len(shape) != 3 or shape[2] != image.shape[2]:
            raise UnsupportedError(
                f"volumes are not supported: the template, {tuple(shape)}, must span the last axis of the image, "
                f"{image.shape}, and pad_input be False"
            )
        scores = _joint(image, np.asanyarray(template))
    elif not pad_input:
        scores = correlate(image, template)
    elif mode in _BORDERS or (mode == "constant" and np.all(np.equal(constant_values, 0))):
        scores = correlate(image, template, mode="same", border=_BORDERS.get(mode, "zero"))
    else:
        values = {"constant_values": constant_values} if mode == "constant" else {}
        if mode not in ("constant", "symmetric", "maximum", "minimum"):
            image = image.astype(np.float64)  # the other modes of numpy.pad make fractions
        # The width of the template on all sides, since some modes depend on the width; then what windows need.
        padded = np.pad(image, [(t, t) for t in shape], mode, **values)  # type: ignore[call-overload]
        rows, columns = (slice(t - t // 2, n + 2 * t - t // 2 - 1) for n, t in zip(image.shape, shape))
        scores = correlate(padded[rows, columns], template)
    return np.asarray(scores, np.float32 if small else np.float64)


def _joint(image: np.ndarray[Any, Any], template: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Match with one mean for all channels: a channel is a column of its own."""
    channels = image.shape[2]
    rows = correlate(image.reshape(image.shape[0], -1), template.reshape(template.shape[0], -1))
    return np.asarray(rows[:, ::channels, None])


def matchTemplate(
    image: Any, templ: Any, method: int, result: Any = None, mask: Any = None
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Match a template as ``cv2.matchTemplate`` does.

    Parameters
    ----------
    image : array_like, shape (H, W) or (H, W, C)
        Any type that `correlate` takes. The channels are last and give one score.
    templ : array_like, shape (h, w) or (h, w, C)
        If it is larger than the image in both directions, the two change places.
    method : int
        ``TM_SQDIFF``, ``TM_SQDIFF_NORMED``, ``TM_CCORR``, ``TM_CCORR_NORMED``, ``TM_CCOEFF`` or
        ``TM_CCOEFF_NORMED``, with the numbers of OpenCV.
    result : ndarray of float32, optional
        Receives the result if it has its shape.
    mask : array_like, shape (h, w), optional
        Of the template. uint8: a pixel counts if it is not 0. Other types must hold 0 and 1 only;
        weights are not supported.

    Returns
    -------
    ndarray of float32, shape (H-h+1, W-w+1)
        The scores of `correlate`. They differ from OpenCV's where those are not exact: a flat
        window or template scores 0, and 'sqdiff_normed' is not clipped at 1.

    Raises
    ------
    TypeError
        The mask has weights.
    ValueError
        The method is not known, or the shapes do not fit together.

    Examples
    --------
    >>> image = np.random.default_rng(1).integers(0, 256, (60, 80), dtype=np.uint8)
    >>> scores = exactncc.compat.matchTemplate(image, image[20:30, 40:52], exactncc.compat.TM_SQDIFF)
    >>> float(scores[20, 40])
    0.0
    """
    if method not in range(len(_METHODS)):
        raise ValueError(f"method {method} is not known; OpenCV's methods are 0 .. {len(_METHODS) - 1}")
    image, templ = np.asanyarray(image), np.asanyarray(templ)
    if image.ndim != templ.ndim:
        raise ValueError(f"image and template have {image.ndim} and {templ.ndim} dimensions")
    if image.shape[0] < templ.shape[0] and image.shape[1] < templ.shape[1]:
        image, templ = templ, image
    if mask is not None:
        mask = np.asarray(mask)
        mask = mask[..., 0] if mask.ndim == 3 and (mask == mask[..., :1]).all() else mask
        if mask.dtype not in (np.bool_, np.uint8):
            if not np.isin(mask, (0, 1)).all():
                raise TypeError("weights in a mask are not supported: its values must be 0 and 1")
            mask = mask != 0
    axis = -1 if image.ndim == 3 else None
    shape = tuple(n - t + 1 for n, t in zip(image.shape[:2], templ.shape[:2]))
    usable = isinstance(result, np.ndarray) and result.shape == shape and result.dtype == np.float32
    scores: np.ndarray[Any, np.dtype[np.float32]] = correlate(
        image,
        templ,
        method=_METHODS[method],
        template_mask=mask,
        channel_axis=axis,
        out=result if usable else None,
    )
    return scores
