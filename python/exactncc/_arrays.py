# SPDX-License-Identifier: BSD-2-Clause
"""Arrays in host memory as views for the library: the rules for types, axes, strides and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core

Array = np.ndarray[Any, Any]

# The pixel types of the library by their numbers (image.h).
PIXELS = tuple(np.dtype(n) for n in ("uint8", "uint16", "float32", "int8", "int16", "uint32", "float64"))
_NATIVE = frozenset(PIXELS)
# In the order in which they are tried for integers that are not native.
_INTEGERS = tuple(np.dtype(n) for n in ("uint8", "int8", "uint16", "int16", "uint32"))
_BOOL, _FLOAT16 = np.dtype(bool), np.dtype(np.float16)


def is_xarray(array: Any) -> bool:
    return type(array).__module__.split(".")[0] == "xarray"


def plain(array: Any) -> Any:
    """Return the values of an xarray.DataArray, and any other array as it is."""
    return array.values if is_xarray(array) else array


def fast_view(array: Any, mask: Any, no_data: float | None, channel_axis: int | None) -> _core.Image | None:
    """Return a view of an array that needs no conversion, or None."""
    if type(array) is not np.ndarray or array.ndim != (2 if channel_axis is None else 3):
        return None
    if channel_axis is not None and channel_axis not in (-1, 2):
        return None
    if mask is not None and type(mask) is not np.ndarray:
        return None
    view = _core.Image()
    return view if view.set(array, mask, no_data) else None


def pixels_of(array: Any, what: str, channel_axis: int | None) -> tuple[Array, Array | None]:
    """Return an array with its channels last, and which of its pixels count if it is masked."""
    excluded: Array | None = None
    if isinstance(array, np.ma.MaskedArray):
        excluded = np.ma.getmaskarray(array)
        array = array.data
    array = np.asarray(array)
    if channel_axis is None:
        if array.ndim == 3:
            raise ValueError(
                f"the {what} has 3 dimensions, {array.shape}: give channel_axis (-1 if its channels are last); "
                "volumes are not supported"
            )
        if array.ndim != 2:
            raise ValueError(f"the {what} must have 2 dimensions, not {array.ndim}")
    else:
        if array.ndim != 3:
            raise ValueError(f"the {what} must have 3 dimensions with channel_axis={channel_axis}, not {array.ndim}")
        if not -3 <= channel_axis < 3:
            raise ValueError(f"channel_axis must be within -3 .. 2, not {channel_axis}")
        array = np.moveaxis(array, channel_axis, -1)
        if excluded is not None:
            excluded = np.any(np.moveaxis(excluded, channel_axis, -1), axis=-1)
    if array.size == 0:
        raise ValueError(f"the {what} has no pixels: its shape is {array.shape}")
    if excluded is None:
        return array, None
    counts: Array = np.logical_not(excluded)
    return array, counts


def mask_of(mask: Any, counts: Array | None, what: str, shape: tuple[int, ...]) -> Array | None:
    """Return the mask of an image, joined with the pixels that count for other reasons."""
    if mask is None:
        return counts
    given: Array = np.asarray(mask)
    if given.dtype not in (np.bool_, np.uint8):
        raise TypeError(
            f"the mask of the {what} has dtype {given.dtype}; it must be bool or uint8 (not 0: the pixel counts). "
            "Weights are not supported: give, for example, mask > 0"
        )
    if given.shape != shape[:2]:
        raise ValueError(f"the mask of the {what} has the shape {given.shape}; it must be {shape[:2]}")
    return given if counts is None else (given != 0) & counts


def common_dtype(*arrays: Array) -> np.dtype[Any]:
    """Return the native type that holds the values of all arrays."""
    for array in arrays:
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise TypeError(
                f"arrays of dtype {array.dtype} are not supported; use bool, integers, float16, float32 or float64"
            )
    dtype = np.result_type(*(a.dtype for a in arrays)).newbyteorder("=")
    if dtype in _NATIVE:
        return dtype
    if dtype == _BOOL:
        return _INTEGERS[0]
    if dtype == _FLOAT16:
        return np.dtype(np.float32)
    if all(a.dtype.kind in "biu" for a in arrays):
        low, high = min(int(a.min()) for a in arrays), max(int(a.max()) for a in arrays)
        for dtype in _INTEGERS:
            if _holds(dtype, low, high):
                return dtype
        raise ValueError(
            f"no integer type of the library holds the values {low} .. {high}; subtract an offset, or convert the "
            "arrays to float64, which rounds integers beyond 2**53"
        )
    return np.dtype(np.float64)


def _holds(dtype: np.dtype[Any], low: int, high: int) -> bool:
    info = np.iinfo(dtype)
    return info.min <= low and high <= info.max


def to_dtype(array: Array, dtype: np.dtype[Any]) -> Array:
    """Convert an image to the type of a template, if that changes no value."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind in "biu" and dtype.kind in "iu":
        low, high = int(array.min()), int(array.max())
        if not _holds(dtype, low, high):
            raise ValueError(
                f"the image has the values {low} .. {high}, which the template's dtype {dtype} does not hold; "
                f"make the template from an array of dtype {common_dtype(array)}"
            )
    elif array.dtype.kind not in "biuf" or not np.can_cast(array.dtype, dtype, "safe"):
        raise TypeError(
            f"the image has dtype {array.dtype} and the template {dtype}; make the template from an array of dtype "
            f"{common_dtype(array)}"
        )
    return array.astype(dtype)


def view_of(pixels: Array, mask: Array | None, no_data: float | None, dtype: np.dtype[Any]) -> _core.Image:
    """Return a view of pixels, of which a copy is made if the library cannot read them as they are."""
    view = _core.Image()
    if pixels.dtype == dtype and view.set(pixels, mask, no_data):
        return view
    view = _core.Image()
    mask = None if mask is None else np.ascontiguousarray(mask)
    copy = np.array(pixels, dtype, order="C", copy=True)
    if not view.set(copy, mask, no_data):
        raise ValueError(f"an image of shape {pixels.shape} exceeds the limits: 2^30 rows and columns, 64 channels")
    return view


def filled(out: Any, shape: tuple[int, int], image: Any, fill: Callable[[_core.Map], None]) -> Array:
    """Return a map that `fill` has written: `out` if it is given, otherwise a new array."""
    result, written, view = _map_for(out, shape, image)
    fill(view)
    if written is not result:
        result[...] = written
    return result


def _map_for(out: Any, shape: tuple[int, int], *inputs: Any) -> tuple[Array, Array, _core.Map]:
    """Return the array of the result, the one that the library writes, and a view of the latter."""
    if out is None:
        written = result = np.empty(shape, np.float32)
    else:
        if not isinstance(out, np.ndarray) or out.dtype != np.float32 or not out.flags.writeable:
            raise TypeError("out must be a writable NumPy array of dtype float32")
        if out.shape != shape:
            raise ValueError(f"out has the shape {out.shape}; the result has {shape}")
        result = written = out
        if any(isinstance(a, np.ndarray) and np.may_share_memory(out, a) for a in inputs):
            written = np.empty(shape, np.float32)
    view = _core.Map()
    if not view.set(written):
        view = _core.Map()
        written = np.empty(shape, np.float32)
        if not view.set(written):
            raise ValueError(f"a map of shape {shape} exceeds the limit of 2^30 rows and columns")
    return result, written, view
