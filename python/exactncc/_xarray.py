# SPDX-License-Identifier: BSD-2-Clause
"""xarray.DataArray in and out."""

from __future__ import annotations

from typing import Any

from . import _calls


def correlate(image: Any, template: Any, out: Any, mode: str, options: dict[str, Any]) -> Any:
    """Correlate, with the dimensions of the image and the coordinates of the windows' top-left pixels.

    In mode 'same' the coordinates are those of the image, and in mode 'full' there are none. Other
    coordinates than those of the two axes are left out.
    """
    import xarray

    axis = options["channel_axis"]
    dims = list(image.dims)
    if axis is not None and image.ndim == 3:
        del dims[axis]
    pattern = template.values if isinstance(template, xarray.DataArray) else template
    scores = _calls.correlate(image.values, pattern, out=out, **options)
    coords = {}
    if mode != "full":
        for dim, size in zip(dims, scores.shape):
            if dim in image.coords:
                coords[dim] = image.coords[dim][:size]
    return xarray.DataArray(scores, coords, dims, name=options["method"])
