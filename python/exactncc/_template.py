# SPDX-License-Identifier: BSD-2-Clause
"""Templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays, _core
from ._context import Context, default_context


class Template:
    """A pattern to search for: pixels and their sums, prepared once for many images.

    Every function that takes a template also takes an array. A `Template` saves the preparation
    when it is used more than once, and is needed for calls on a GPU that do not wait.

    Parameters
    ----------
    pixels : array_like, shape (rows, columns) or with a channel axis
        Copied. The type is kept if the library has it (8 and 16 bits, uint32, float32, float64).
        Other types become one of these: bool uint8, float16 float32, and int32, int64 and uint64
        the first of uint8, int8, uint16, int16 and uint32 that holds all values.
    mask : array_like of bool or uint8, shape (rows, columns), optional
        A pixel counts where the mask is not 0. The mask of a NumPy masked array is used as well.
    no_data : float, optional
        Pixels with this value do not count. NaN: pixels that have a NaN.
    channel_axis : int, optional
        The axis of the channels: -1 for channels last, 0 for channels first. None: one channel.
    context : Context, optional
        The context that the template will be used with.

    Raises
    ------
    TypeError
        The dtype is not supported, or the mask has weights.
    ValueError
        The shape is not that of an image, no integer type holds the values, or no pixel counts.

    Notes
    -----
    Templates can be pickled. Unpickling prepares the template for the default context.

    Examples
    --------
    >>> exactncc.Template(np.arange(12, dtype=np.uint8).reshape(3, 4))
    Template(shape=(3, 4), dtype=uint8)
    """

    __slots__ = ("__weakref__", "_context", "_core", "_default", "_mask", "_no_data", "_pixels")

    def __init__(
        self,
        pixels: Any,
        *,
        mask: Any = None,
        no_data: float | None = None,
        channel_axis: int | None = None,
        context: Context | None = None,
    ) -> None:
        array, counts = _arrays.pixels_of(_on_host(pixels), "template", channel_axis)
        mask = _arrays.mask_of(_on_host(mask), counts, "template", array.shape)
        # Copies, so that the template can be pickled and prepared again.
        self._pixels = np.array(array, _arrays.common_dtype(array), order="C", copy=True)
        self._mask = None if mask is None else np.array(mask, order="C", copy=True)
        self._no_data = no_data
        self._default = context is None
        self._prepare(context or default_context())

    def _prepare(self, context: Context) -> None:
        view = _arrays.view_of(self._pixels, self._mask, self._no_data, self._pixels.dtype)
        self._core = _core.Template(context._core, view)
        self._context = context

    @property
    def _usable(self) -> Template:
        """This template, prepared again in a child of fork()."""
        if not self._context._core.ours and self._default:
            self._prepare(default_context())
        return self

    @property
    def context(self) -> Context:
        """The context that the template was made with."""
        return self._context

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns, and the number of channels if there was a channel axis."""
        return self._pixels.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the pixels, which is that of the images that need no conversion."""
        return self._pixels.dtype

    @property
    def masked(self) -> bool:
        """Whether there are pixels that do not count."""
        return self._core.masked

    @property
    def pixels(self) -> np.ndarray[Any, Any]:
        """The pixels as a read-only array, channels last."""
        view = self._pixels.view()
        view.flags.writeable = False
        return view

    def __repr__(self) -> str:
        return f"Template(shape={self.shape}, dtype={self.dtype}{', masked' if self.masked else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        channel_axis = -1 if self._pixels.ndim == 3 else None
        return _unpickle, (self._pixels, self._mask, self._no_data, channel_axis)


def _on_host(array: Any) -> Any:
    """Copies an array on a device to the host; others are returned as they are."""
    if array is None or isinstance(array, np.ndarray):
        return array
    from . import _device

    return _device.to_host(array) if _device.is_device(array) else array


def _unpickle(pixels: Any, mask: Any, no_data: float | None, channel_axis: int | None) -> Template:
    return Template(pixels, mask=mask, no_data=no_data, channel_axis=channel_axis)
