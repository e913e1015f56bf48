# SPDX-License-Identifier: BSD-2-Clause
"""The images, the template and the context of a call, from what the caller gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _arrays, _core, _device
from ._context import Context, default_context
from ._template import Template, _on_host

Pair = tuple[Context, _core.Image, _core.Template]


def operands(
    image: Any,
    template: Any,
    mask: Any,
    template_mask: Any,
    no_data: float | None,
    channel_axis: int | None,
    context: Context | None,
) -> Pair:
    """Return the context, and views of a pixel type that image and template have in common."""
    if isinstance(template, Template):
        if template_mask is not None:
            raise ValueError("template_mask is for arrays; a Template has its mask from when it was made")
        template = template._usable
        if context is None:
            context = template._context
        return context, image_view(image, template, mask, no_data, channel_axis), template._core
    view = _arrays.fast_view(image, mask, no_data, channel_axis)
    if context is None:
        context = default_context() if view is not None else context_of(image)
    if view is not None:
        pattern = _arrays.fast_view(template, template_mask, no_data, channel_axis)
        if pattern is not None and pattern.pixel == view.pixel:
            return context, view, _core.Template(context._core, pattern)
    if _device.is_device(image):
        options: dict[str, Any] = {"no_data": no_data, "channel_axis": channel_axis, "context": context}
        rest = (context._core, no_data, channel_axis)
        made = _device.pattern(
            template, template_mask, rest, lambda: Template(template, mask=template_mask, **options)
        )
        return context, _device.image_view(image, mask, no_data, channel_axis, made.dtype), made._core
    pixels, counts = _arrays.pixels_of(image, "image", channel_axis)
    shape, shape_counts = _arrays.pixels_of(template, "template", channel_axis)
    mask = _arrays.mask_of(mask, counts, "image", pixels.shape)
    template_mask = _arrays.mask_of(template_mask, shape_counts, "template", shape.shape)
    dtype = _arrays.common_dtype(pixels, shape)
    pattern = _arrays.view_of(shape, template_mask, no_data, dtype)
    return context, _arrays.view_of(pixels, mask, no_data, dtype), _core.Template(context._core, pattern)


def context_of(image: Any) -> Context:
    """Return the default context of the device that an image is on."""
    return default_context(_device.index_of(image) if _device.is_device(image) else 0)


def image_view(
    image: Any, template: Template, mask: Any, no_data: float | None, channel_axis: int | None
) -> _core.Image:
    """Return a view of an image in the pixel type of a template."""
    view = _arrays.fast_view(image, mask, no_data, channel_axis)
    if view is not None and view.pixel == template._core.pixel:
        return view
    if _device.is_device(image):
        return _device.image_view(image, mask, no_data, channel_axis, template.dtype)
    pixels, counts = _arrays.pixels_of(image, "image", channel_axis)
    mask = _arrays.mask_of(mask, counts, "image", pixels.shape)
    return _arrays.view_of(_arrays.to_dtype(pixels, template.dtype), mask, no_data, template.dtype)


def pair_views(
    images: tuple[Any, Any],
    masks: tuple[Any, Any],
    no_data: float | None,
    channel_axis: int | None,
    context: Context | None,
) -> tuple[Context, list[_core.Image]]:
    """Return the context, and views of two images in one pixel type: that of the images on a GPU, if there are any."""
    names = ("image1", "image2")
    views: list[_core.Image | None] = [None, None]
    on_host: dict[int, tuple[_arrays.Array, _arrays.Array | None]] = {}
    dtype = None
    for i in range(2):
        if _device.is_device(images[i]):
            context = context or context_of(images[i])
            views[i] = view = _device.image_view(images[i], masks[i], no_data, channel_axis, dtype)
            dtype = _arrays.PIXELS[view.pixel]
        else:
            pixels, counts = _arrays.pixels_of(images[i], names[i], channel_axis)
            on_host[i] = pixels, _arrays.mask_of(_on_host(masks[i]), counts, names[i], pixels.shape)
    if dtype is None:
        dtype = _arrays.common_dtype(*(pixels for pixels, _ in on_host.values()))
    for i, (pixels, mask) in on_host.items():
        views[i] = _arrays.view_of(_arrays.to_dtype(pixels, dtype), mask, no_data, dtype)
    return context or default_context(), [view for view in views if view is not None]


def templates_of(
    templates: Sequence[Any], no_data: float | None, channel_axis: int | None, context: Context | None, image: Any
) -> tuple[Context, list[Template]]:
    """Return prepared templates of one type, and their context."""
    made = [t._usable for t in templates if isinstance(t, Template)]
    if context is None:
        context = made[0]._context if made else context_of(image)
    if len(made) == len(templates):
        return context, made
    if made:
        raise ValueError("give either arrays or Template objects, not both: their types must be the same")
    arrays = [_arrays.pixels_of(_on_host(t), "template", channel_axis) for t in templates]
    on_host = [] if _device.is_device(image) else [_arrays.pixels_of(image, "image", channel_axis)[0]]
    dtype = _arrays.common_dtype(*on_host, *(a for a, _ in arrays))
    last = None if channel_axis is None else -1
    options: dict[str, Any] = {"no_data": no_data, "channel_axis": last, "context": context}
    return context, [Template(a.astype(dtype), mask=counts, **options) for a, counts in arrays]
